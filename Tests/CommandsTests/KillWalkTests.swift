import Codec
import Testing

/// Holder or reader dies as if by `kill -9` at the steps of a presentation in turn. Nothing that was acknowledged is lost, a copy that
/// left is counted, both homes open again, and the next presentation passes.
///
/// Each kind of step is walked once; `$WALLETBENCH_KILL_WALK=all` walks every single one.
@Suite(.serialized, .timeLimit(.minutes(30))) struct KillWalkTests {
    enum Role: String, CaseIterable { case holder, reader }

    @Test(arguments: Role.allCases) func theHomesOutliveAKillAtAnyStep(of role: Role) async throws {
        let stage = try Shell()
        defer { stage.remove() }
        try stage.write(Self.round, to: "round")
        for line in [
            "walletbench issuer mint --type mdl --to-holder --home h --test-home",
            "walletbench trust add h/trust/made/iaca.pem --home r --test-home",
        ] { try #require(try stage.run(line).status == 0, "\(line)") }
        let points = try points(of: role, stage)
        #expect(points.count > 30 && points.contains("message sent"), "\(points)")
        var before = try State(stage)
        #expect(before.uses == 1 && before.held == 1 && before.read == 1)
        var killed = 0
        let numbers = numbers(points)
        for number in numbers {
            let comment = Comment("\(role) killed at \(number), \(points[number - 1])")
            let outcome = try stage.run(role == .holder ? "sh round \(number) 0" : "sh round 0 \(number)")
            let after = try State(stage)
            // How often the log of the database is emptied differs a little, so that the last points are not always reached.
            let isKilled = outcome.stdout.contains("\(role.rawValue) 137")
            killed += isKilled ? 1 : 0
            #expect(
                isKilled || outcome.stdout.contains("holder 0") && outcome.stdout.contains("reader 0"),
                "\(comment): \(outcome.stdout)")
            #expect(!outcome.stdout.contains("124"), "\(comment): the other side hangs: \(outcome.stdout)")
            let left = outcome.stdout.contains("document org.iso.18013.5.1.mDL") ? 1 : 0
            #expect(after.uses - before.uses == left || left == 0 && after.uses - before.uses == 1, comment)
            #expect(after.held >= before.held && after.read >= before.read, comment)
            #expect(!outcome.stdout.contains("reader 0") || after.read == before.read + 1, comment)
            before = after
        }
        #expect(killed * 5 >= numbers.count * 4, "\(killed) kills at \(numbers.count) points")
        let last = try stage.run("sh round 0 0")
        #expect(last.stdout.contains("holder 0") && last.stdout.contains("reader 0"), "\(last.stdout)")
    }

    /// What both homes say that they hold.
    private struct State {
        let uses: Int
        let held: Int
        let read: Int

        init(_ stage: Shell) throws {
            func answer(_ line: String) throws -> JSON {
                let outcome = try stage.run("walletbench \(line) --json")
                try #require(outcome.status == 0, "\(line): \(outcome.stderr)")
                return try JSON.decode(outcome.stdout)
            }
            uses = Int(try #require(answer("holder list --home h")["documents"]?.arrayValue?.first?["uses"]?.intValue))
            held = try #require(answer("holder log --home h")["records"]?.arrayValue?.count)
            read = try #require(answer("reader log --home r")["records"]?.arrayValue?.count)
        }
    }

    /// The names of the steps of one good run.
    private func points(of role: Role, _ stage: Shell) throws -> [String] {
        let outcome = try stage.run("\(role == .holder ? "HOLDER" : "READER")_POINTS=points sh round 0 0; cat points")
        try #require(outcome.stdout.contains("holder 0") && outcome.stdout.contains("reader 0"), "\(outcome.stdout)")
        return outcome.stdout.split(separator: "\n").map(String.init).filter {
            $0 != "holder 0" && $0 != "reader 0" && !$0.hasPrefix("document ")
        }
    }

    private func numbers(_ points: [String]) -> [Int] {
        // The last of each kind: the first are passed while the home opens, which the tests of the vault walk.
        KillNumbers.walked(points)
    }

    /// `round N M`: a presentation in which the holder dies at its point N, the reader at its point M, and 0 is never. What a killed
    /// holder leaves of its socket stays for the next.
    private static let round = """
        rm -f h.out r.out
        WALLETBENCH_KILL_AT=$1 ${HOLDER_POINTS:+env WALLETBENCH_KILL_POINTS=$HOLDER_POINTS} timeout 60 walletbench holder present \\
            --home h --link unix:link.sock --consent auto --json > h.out 2> h.err &
        holder=$!
        until grep -qs '"ready"' h.out; do kill -0 $holder 2> /dev/null || break; sleep 0.02; done
        text=$(sed -n 's/.*"engagement":"\\(mdoc:[^"]*\\)".*/\\1/p' h.out | head -n 1)
        if [ -n "$text" ]; then
            WALLETBENCH_KILL_AT=$2 ${READER_POINTS:+env WALLETBENCH_KILL_POINTS=$READER_POINTS} timeout 60 walletbench reader read \\
                --home r --engagement "$text" --request mdl-age-over-18 --json > r.out 2> r.err
            echo "reader $?"
            # A holder that no reader reached would wait for its whole time.
            grep -q '"received"' h.out || kill $holder 2> /dev/null
        fi
        wait $holder
        echo "holder $?"
        grep -o '"type":"org.iso.18013.5.1.mDL"' r.out 2> /dev/null | head -n 1 | sed 's/.*"\\(org[^"]*\\)"/document \\1/'
        true
        """
}
