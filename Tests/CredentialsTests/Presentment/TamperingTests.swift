import Codec
import Credentials
import Crypto
import Ports
import Testing

/// Every content fault trips the checks that the catalogue promises, and no others fail.
struct TamperingTests {
    /// Faults that need more than one document on one curve, with what they need.
    private static let asked = [
        "family_name", "given_name", "portrait", "birth_date", "issuing_country", "issuing_jurisdiction", "age_over_18",
    ]
    private static let conduct: Set<String> = ["mso-reuse", "skip-consent", "ignore-maximum-size", "mandatory-behind-reader-auth"]

    /// Those of SD-JWT VCs and of OpenID4VP are walked where both sides of that protocol are.
    private static let ofProximity = ContentFault.all.filter { fault in
        fault.trips.contains { $0.hasPrefix("R") || $0.hasPrefix("H") }
    }.map(\.name)

    @Test(arguments: ofProximity.filter { !conduct.contains($0) })
    func faultTripsItsChecksAndNoOthers(name: String) async throws {
        let fault = try #require(ContentFault.named(name))
        let trips = Set(fault.trips)
        #expect(!trips.isEmpty)
        for sender in fault.senders.sorted(by: { $0.rawValue < $1.rawValue }) {
            let report = try await report(fault: name, by: sender)
            let violated = Set(report.checks.filter { $0.outcome.isViolation }.map(\.id))
            let promised = name == "transcript-other" || name == "device-signature-wrong" ? trips.intersection(violated) : trips
            #expect(!promised.isEmpty && promised.isSubset(of: violated), "\(sender): \(violated) lacks \(trips)")
            let surplus = violated.subtracting(trips).subtracting(fault.also)
            #expect(surplus.isEmpty, "\(sender): \(surplus) violated too")
        }
    }

    private func report(fault name: String, by sender: ContentFault.Sender) async throws -> PresentationReport {
        let edition: Edition = name == "x5t-matches" ? .second : .first
        let stage = try PresentationStage(sessionCurve: name == "device-mac-curve" ? .p384 : .p256)
        let minted = sender == .issuer ? [name] : []
        let documents = [
            try await stage.document(faults: minted), try await stage.document(PresentationStage.pid, id: "other"),
        ]
        let request = PresentationStage.request(Self.asked)
        let presenter = Presenter(
            keyStore: stage.keyStore, tampering: try Tampering(named: sender == .holder ? [name] : []))
        let sent = try await stage.present(documents, to: request, presenter: presenter, edition: edition)
        #expect(sent.faults == (sender == .holder ? [name] : []))
        return stage.verify(sent.bytes, request: request, edition: edition)
    }

    /// Faults of signer certificates, sessions and status are made elsewhere: by `trust make`, the session, the issuer's lists.
    @Test func everyResponseFaultOfTheCatalogueExists() {
        let elsewhere = ["session-data-", "send-status-10", "peer-status-", "close-", "ds-", "country-equal", "state-equal"]
        let promised = CheckCatalogue.rows.filter { $0.id.hasPrefix("R") && $0.activeFrom <= .core }.flatMap(\.faults)
        let wanted = Set(promised).filter { name in !elsewhere.contains { name.hasPrefix($0) } }
        #expect(wanted.subtracting(ContentFault.all.map(\.name)) == [])
    }

    @Test func unknownFaultsAreRefused() {
        #expect(throws: TamperingError.unknown("no-such-fault")) { try Tampering(named: ["no-such-fault"]) }
    }
}
