import Codec
import Testing

/// Issuer or wallet dies as if by `kill -9` at the steps of an issuance in turn, a deferred one, so that both have something to come back
/// for. Both homes open again; a document that the wallet told of is there; what the issuer promised is delivered after a restart, or the
/// wallet says in a sentence why not; the next issuance passes.
///
/// Each kind of step is walked once; `$WALLETBENCH_KILL_WALK=all` walks every single one.
@Suite(.serialized, .timeLimit(.minutes(30))) struct IssuanceKillWalkTests {
    enum Role: String, CaseIterable { case issuer, wallet }

    @Test(arguments: Role.allCases) func anIssuanceOutlivesAKillAtAnyStep(of role: Role) async throws {
        let stage = try Shell()
        defer { stage.remove() }
        try stage.write(Self.round, to: "round")
        for line in [
            "walletbench trust make ds --home i --test-home", "walletbench trust add i/trust/made/iaca.pem --home w --test-home",
        ] { try #require(try stage.run(line).status == 0, "\(line)") }
        // The first round makes what every later one finds: its steps are more.
        try #require(try stage.run("sh round 0 0").stdout.contains("wallet 0"))
        let points = try points(of: role, stage)
        #expect(points.count > 30, "\(points)")
        var before = try Holdings(stage)
        #expect(before.issued == 2 && before.deferred == 0)
        var killed = 0
        let numbers = numbers(points)
        for number in numbers {
            let comment = Comment("\(role) killed at \(number), \(points[number - 1])")
            let outcome = try stage.run(role == .issuer ? "sh round \(number) 0" : "sh round 0 \(number)")
            let after = try Holdings(stage)
            killed += outcome.stdout.contains("\(role.rawValue) 137") ? 1 : 0
            #expect(!outcome.stdout.contains("124"), "\(comment): somebody hangs: \(outcome.stdout)")
            // What was acknowledged is there: the wallet's own word, and what it told the issuer.
            let isTold = outcome.stdout.contains("wallet 0") || outcome.stdout.contains("told")
            #expect(after.issued >= before.issued + (isTold ? 1 : 0), "\(comment): \(outcome.stdout)")
            #expect(after.issued <= before.issued + 1, "\(comment): twice")
            // A deferred document has come after the restart, or the wallet says why it cannot.
            #expect(after.deferred == 0 || outcome.stdout.contains("poll says"), "\(comment): \(outcome.stdout)")
            let isWalletFine = outcome.stdout.contains("wallet 0") || outcome.stdout.contains("wallet 137")
            #expect(isWalletFine || outcome.stdout.contains("wallet says"), "\(comment): \(outcome.stdout)")
            before = after
        }
        #expect(killed * 5 >= numbers.count * 4, "\(killed) kills at \(numbers.count) points")
        let last = try stage.run("sh round 0 0")
        #expect(last.stdout.contains("wallet 0"), "\(last.stdout)")
        #expect(try Holdings(stage).issued == before.issued + 1)
    }

    /// What the wallet says that it holds.
    private struct Holdings {
        let issued: Int
        let deferred: Int

        init(_ stage: Shell) throws {
            let outcome = try stage.run("walletbench holder list --home w --json")
            try #require(outcome.status == 0, "\(outcome.stderr)")
            let documents = try #require(try JSON.decode(outcome.stdout)["documents"]?.arrayValue)
            issued = documents.count { $0["state"] == "issued" }
            deferred = documents.count { $0["state"] == "deferred" }
        }
    }

    /// The names of the steps of one good run.
    private func points(of role: Role, _ stage: Shell) throws -> [String] {
        let outcome = try stage.run("\(role == .issuer ? "ISSUER" : "WALLET")_POINTS=points sh round 0 0; sed 's/^/point /' points")
        try #require(outcome.stdout.contains("wallet 0"), "\(outcome.stdout)")
        return outcome.stdout.split(separator: "\n").filter { $0.hasPrefix("point ") }.map { String($0.dropFirst(6)) }
    }

    private func numbers(_ points: [String]) -> [Int] {
        // The last of each kind, whatever the port and the name of the offer.
        KillNumbers.walked(
            points.map { $0.replacing(#/127\.0\.0\.1:\d+/#, with: "").replacing(#/\/offer\/.*/#, with: "/offer") })
    }

    /// `round N M`: an issuance in which the issuer dies at its point N, the wallet at its point M, and 0 is never; then the issuer is
    /// started again at its port, and the wallet asks for what is deferred.
    private static let round = """
        rm -f i.out w.out p.out
        serve() {
            at=$1; shift
            WALLETBENCH_KILL_AT=$at ${ISSUER_POINTS:+env WALLETBENCH_KILL_POINTS=$ISSUER_POINTS} timeout 60 walletbench issuer serve \\
                --home i --port $(cat port 2> /dev/null || echo 0) --set defer=1 --json "$@" >> i.out 2>> i.err &
            issuer=$!
        }
        serve $1 --offer --type age-verification
        until grep -qs '"uri":' i.out; do kill -0 $issuer 2> /dev/null || break; sleep 0.02; done
        sed -n 's/.*"port":\\([0-9]*\\).*/\\1/p' i.out | head -n 1 > port.new
        [ -s port.new ] && mv port.new port
        link=$(sed -n 's/.*"uri":"\\([^"]*\\)".*/\\1/p' i.out | head -n 1)
        if [ -n "$link" ]; then
            WALLETBENCH_KILL_AT=$2 ${WALLET_POINTS:+env WALLETBENCH_KILL_POINTS=$WALLET_POINTS} timeout 60 walletbench holder accept \\
                "$link" --home w --consent auto --allow-private --wait --json > w.out 2> w.err
            echo "wallet $?"
            { grep -h '^error' w.err; grep -o '"error":"[^"]*"' w.out; } | sed 's/^/wallet says /'
        else
            echo "wallet 137"
        fi
        unset ISSUER_POINTS
        kill $issuer 2> /dev/null
        wait $issuer
        echo "issuer $?"
        mv i.out first.out
        serve 0 --timeout 60
        until grep -qs '"ready"' i.out; do kill -0 $issuer 2> /dev/null || break; sleep 0.02; done
        timeout 60 walletbench holder poll --home w --allow-private --wait --json > p.out 2> p.err
        echo "poll $?"
        grep -o '"error":"[^"]*"' p.out | sed 's/^/poll says /'
        kill $issuer
        wait $issuer
        grep -qs credential_accepted first.out i.out && echo told
        true
        """
}
