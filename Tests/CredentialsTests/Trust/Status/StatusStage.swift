import Codec
import Crypto
import Ports
import TestSupport
import Testing

@testable import Credentials

/// An issuer with lists, a document that refers to one of them, and a reader that asks: everything at a fixed time, in memory.
struct StatusStage {
    static let uri = "https://status.utopia.example/status/1"

    let stage: PresentationStage
    let listSigner: SigningIdentity
    var list = StatusList(bits: 1, count: 1024)

    init() throws {
        stage = try PresentationStage()
        listSigner = try stage.authority.maker.endEntity(.status, issuer: stage.authority.iaca)
    }

    var time: Timestamp { stage.time }

    func maker(_ fault: StatusListMaker.Fault? = nil, signer: SigningIdentity? = nil, at moment: Timestamp? = nil)
        -> StatusListMaker
    {
        var maker = StatusListMaker(signer: signer ?? listSigner, uri: Self.uri, at: moment ?? time, nonce: .deterministic)
        maker.fault = fault
        return maker
    }

    /// The report of a reader that trusts the issuer, for a document with this `status`, before anybody asked for its status.
    func report(_ status: CBOR?, docType: DocumentDefinition = PresentationStage.mDL) async throws -> PresentationReport {
        let key = try await stage.keyStore.create(KeyOptions())
        let issuer = SpecimenIssuer(country: "UT", jurisdiction: "UT-U", authority: "Utopia Transport")
        let json = try #require(Specimen.mira.claims(for: docType, issuer: issuer, at: time))
        let order = DocumentOrder(
            docType: docType.docType, claims: try Claims(json, definition: docType), deviceKey: key.publicKey, signed: time,
            validUntil: time.adding(days: 90), status: status)
        let identity = try IssuingIdentity(
            certificate: stage.authority.documentSigner.certificate, key: stage.authority.documentSigner.key, nonce: .deterministic)
        let signed = try await MDocIssuer(signer: identity, random: stage.random).mint(order)
        let document = try IssuedDocument(
            id: "document", docType: docType.docType, issuerSigned: IssuerSigned(decoding: signed.encodedCBOR), keyID: key.id)
        let request = PresentationStage.request(["family_name"], of: docType)
        let presentation = try await stage.present([document], to: request)
        return stage.verify(presentation.bytes, request: request)
    }

    /// That report, completed.
    func completed(
        _ reference: StatusReference, _ resources: [String: Resource], policy: TrustPolicy = .enforce,
        docType: DocumentDefinition = PresentationStage.mDL
    ) async throws -> PresentationReport {
        var report = try await report(reference.cbor, docType: docType)
        report = PresentationReport(
            at: report.at, rule: VerdictRule(statusEnforced: true), checks: list(of: report), documents: report.documents)
        let checker = StatusChecker(policy: StatusPolicy(policy), source: MemorySource(resources), edition: .first)
        return await checker.completed(report)
    }

    private func list(of report: PresentationReport) -> CheckList {
        var list = CheckList(edition: .first)
        list.replace(report.checks, of: "")
        return list
    }
}

/// Answers as told, and counts.
final class CountingSource: ResourceSource {
    private let state = Locked((count: 0, resource: Result<Resource, ResourceError>.failure(ResourceError("", "is not set"))))
    /// Waited for before answering, so that callers pile up.
    private let gate: @Sendable () async -> Void

    init(_ resource: Result<Resource, ResourceError>, gate: @escaping @Sendable () async -> Void = {}) {
        self.gate = gate
        set(resource)
    }

    var count: Int { state.withLock { $0.count } }

    func set(_ resource: Result<Resource, ResourceError>) { state.withLock { $0.resource = resource } }

    func fetch(_ uri: String, accept: [String], limit: Int) async throws(ResourceError) -> Resource {
        let result = state.withLock { state in
            state.count += 1
            return state.resource
        }
        await gate()
        return try result.get()
    }
}
