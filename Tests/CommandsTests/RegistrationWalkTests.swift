import Codec
import Credentials
import Glibc
import Testing

@testable import Commands

/// Every fault of a registration certificate that verifiers and issuers can make, as people run them: `verifier request` seen by
/// `holder answer`, `issuer serve` seen by `holder accept`. Readers are in FaultWalkTests.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RegistrationWalkTests {
    private static let at = ["--at", "2026-11-30T12:00:00Z"]

    private static func faults(of role: RegistrationFault.Role) -> [RegistrationFault] {
        RegistrationFault.all.filter { $0.roles.contains(role) }
    }

    /// A home with documents of both formats, a verifier's certificate, and what is registered.
    private func stage() async throws -> (InProcess, home: [String]) {
        signal(SIGPIPE, SIG_IGN)
        let stage = try InProcess()
        let home = ["--home", "\(stage.folder)/home"] + Self.at
        let made = "\(stage.folder)/home/trust/made"
        try Files.write(
            Array(#"[{"format": "mso_mdoc", "meta": {"doctype_value": "org.iso.18013.5.1.mDL"}}]"#.utf8),
            to: "\(stage.folder)/mdl.json")
        for words in [
            ["issuer", "mint", "--type", "mdl", "--to-holder", "--test-home"],
            ["issuer", "mint", "--type", "pid", "--format", "dc+sd-jwt", "--to-holder"],
            ["trust", "add", "\(made)/iaca.pem"], ["trust", "make", "wrpac"], ["trust", "make", "wrprc"],
            ["trust", "add", "\(made)/reader-ca.pem", "--role", "readers"],
            ["trust", "add", "\(made)/registrar-ca.pem", "--role", "registrars"],
        ] {
            let outcome = await stage.run(words + home)
            try #require(outcome.exit == .done, "\(words): \(outcome.stderr)")
        }
        return (stage, home)
    }

    private func judge(_ fault: RegistrationFault, _ outcome: InProcess.Outcome) {
        let promised = fault.checks.filter { $0.hasPrefix("T") }
        let seen = outcome.violations.union(outcome.open)
        let surplus = seen.filter { id in
            !(promised + fault.also).contains { $0.hasSuffix(".*") ? id.hasPrefix(String($0.dropLast(1))) : $0 == id }
        }
        #expect(!promised.isEmpty, "\(fault.name) names no check")
        #expect(
            Set(promised).isSubset(of: seen) && surplus.isEmpty,
            "\(fault.name): not tripped \(Set(promised).subtracting(seen)), not allowed \(surplus.sorted())\n\(outcome.stderr)")
    }

    // MARK: OpenID4VP

    private static let request = [
        "verifier", "request", "--request", "pid-and-mdl", "--response-mode", "fragment", "--request-uri-method", "none", "--json",
    ]

    private func answer(
        _ verifier: [String], wallet: [String] = [], _ stage: InProcess, _ home: [String]
    ) async throws -> InProcess.Outcome {
        let request = await stage.run(Self.request + verifier + home)
        let link = try #require(request.answer?["link"]?.stringValue, "\(request.stderr)")
        return await stage.run(["holder", "answer", link, "--consent", "auto", "--json"] + wallet + home)
    }

    @Test func everyFaultOfAVerifiersRegistrationTripsItsChecksAndNoOthers() async throws {
        let (stage, home) = try await stage()
        defer { stage.remove() }
        for fault in Self.faults(of: .verifier) {
            judge(fault, try await answer(["--fault", fault.name], wallet: ["--require-registration"], stage, home))
        }
    }

    /// Result codes that stop under `enforce`; the others are advice.
    @Test func enforcedPolicyDeniesAccessAndWarningAnswers() async throws {
        let (stage, home) = try await stage()
        defer { stage.remove() }
        let advice: [RegistrationFault] = [.content(.noEntitlement), .content(.overAsking), .accessAbsent]
        for fault in Self.faults(of: .verifier) where fault != .accessGarbage {
            let enforced = try await answer(
                ["--fault", fault.name], wallet: ["--registration-policy", "enforce", "--require-registration"], stage, home)
            let isRefused = enforced.answer?["error"]?.stringValue == "access_denied"
            #expect(isRefused == !advice.contains(fault), "\(fault.name): \(enforced.stdout)")
            #expect(enforced.answer?["answered"]?.boolValue == advice.contains(fault), "\(fault.name)")
        }
        let warned = try await answer(["--fault", "wrprc-revoked"], stage, home)
        #expect(warned.exit == .done && warned.violations == ["T51"])
        let off = try await answer(["--fault", "wrprc-revoked"], wallet: ["--registration-policy", "off"], stage, home)
        #expect(off.exit == .done && off.violations.isEmpty && off.answer?["registration"] == .null)
    }

    @Test func aGoodRegistrationIsShownAndItsWarningsAreKeyedByQuery() async throws {
        let (stage, home) = try await stage()
        defer { stage.remove() }
        let file = "\(stage.folder)/home/trust/made/wrprc.jwt"
        let good = try await answer(
            ["--registration", file], wallet: ["--registration-policy", "enforce", "--require-registration"], stage, home)
        #expect(good.exit == .done && good.violations.isEmpty && good.open.isEmpty, "\(good.stdout)")
        let shown = good.answer?["registration"]
        #expect(shown?["name"] == "Utopia TEST Services" && shown?["country"] == "UT" && shown?["purpose"] == "To try wallets out")
        #expect(shown?["granted"] == true && shown?["warnings"] == [:])

        // Of two queries the certificate is about one alone.
        let scoped = try await answer(["--registration", file, "--registration-for", "pid"], stage, home)
        #expect(scoped.violations == ["T63"])
        #expect(scoped.answer?["registration"]?["warnings"]?.objectValue?.keys == ["mdl"])
        let all = try await answer(["--registration", file, "--registration-for", "global"], stage, home)
        #expect(all.violations.isEmpty)

        let beyond = try await answer(["--fault", "wrprc-over-asking"], stage, home)
        #expect(beyond.answer?["registration"]?["warnings"]?.objectValue?.keys.sorted() == ["mdl", "pid"])
        let revoked = try await answer(["--fault", "wrprc-revoked"], stage, home)
        #expect(revoked.answer?["registration"]?["warnings"]?.objectValue?.keys == [""])
    }

    // MARK: OpenID4VCI

    /// One issuance of a driving licence between an issuer and a wallet of the same home.
    private func accept(
        _ issuer: [String], wallet: [String], _ stage: InProcess, _ home: [String]
    ) async throws -> InProcess.Outcome {
        let serving = stage.start(
            ["issuer", "serve", "--offer", "--type", "mdl", "--timeout", "60", "--json"] + issuer + home, as: "issuer")
        guard let offer = await serving.event("request")?["uriByValue"]?.stringValue else {
            throw Shell.Failure(what: "no offer: \(await serving.outcome().stderr)")
        }
        let outcome = await stage.run(
            ["holder", "accept", offer, "--consent", "auto", "--allow-private", "--json"] + wallet + home)
        serving.task.cancel()
        _ = await serving.outcome()
        return outcome
    }

    @Test func everyFaultOfAnIssuersRegistrationTripsItsChecksAndNoOthers() async throws {
        let (stage, home) = try await stage()
        defer { stage.remove() }
        let advice: [RegistrationFault] = [.content(.noEntitlement), .content(.notCovered), .accessAbsent]
        for fault in Self.faults(of: .issuer) {
            let outcome = try await accept(["--fault", fault.name], wallet: ["--require-registration"], stage, home)
            judge(fault, outcome)
            let documents = outcome.answer?["documents"]?.arrayValue?.count
            #expect(documents == (advice.contains(fault) ? 1 : 0), "\(fault.name): \(outcome.stdout)")
        }
    }

    @Test func anIssuersRegistrationIsShownBeforeAnythingIsAsked() async throws {
        let (stage, home) = try await stage()
        defer { stage.remove() }
        let made = await stage.run(["trust", "make", "wrprc", "--provides", "\(stage.folder)/mdl.json"] + home)
        try #require(made.exit == .done, "\(made.stderr)")
        let file = "\(stage.folder)/home/trust/made/wrprc.jwt"
        let outcome = try await accept(
            ["--registration", file], wallet: ["--require-registration", "--signed-metadata", "require"], stage, home)
        #expect(outcome.exit == .done && outcome.violations.isEmpty && outcome.open.isEmpty, "\(outcome.stdout) \(outcome.stderr)")
        #expect(outcome.answer?["registration"]?["registeredFor"] == ["org.iso.18013.5.1.mDL"])
        let event = outcome.stdout.split(separator: "\n").compactMap { try? JSON.decode(String($0)) }
            .first { $0["event"] == "request" }
        #expect(event?["registration"]?["name"] == "Utopia TEST Services")

        // Nothing is taken from an issuer whose registration is gone, unless the person wants it so.
        let warned = try await accept(["--fault", "wrprc-revoked"], wallet: ["--registration-policy", "warning"], stage, home)
        #expect(warned.exit == .done && warned.violations == ["T51"])
    }
}
