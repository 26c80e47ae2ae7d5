import Codec
import Credentials
import Crypto
import OpenID
import Ports
import Vault

/// How a presentation ended for the holder, as the log says it.
enum PresentationOutcome: String, Sendable {
    /// The response left with documents.
    case sent
    /// The holder said no, or there was nothing to answer with.
    case refused
    /// The session broke off, or the response could not be made.
    case failed
}

extension TransactionRecord {
    /// The holder's record of one request of a session and its answer.
    /// - Parameters:
    ///   - request: nil when it could not be read.
    ///   - bytes: the DeviceRequest; nil when none came.
    ///   - presentation: what left; nil when nothing did.
    init(
        holderAt time: Timestamp, request: PresentationRequest?, bytes: [UInt8]? = nil, reader: Proposal.Reader?,
        registration: RegistrationReport? = nil, presentation: Presentation?, outcome: PresentationOutcome
    ) {
        self.init(
            time: time, role: .holder, kind: "presentation", peer: reader?.name, peerTrusted: reader?.isTrusted,
            asked: request.map(Self.asked) ?? [:],
            left: Self.tree(
                presentation?.disclosures.flatMap { document in
                    document.elements.map { (document.docType, $0.nameSpace, $0.identifier) }
                } ?? []),
            verdict: outcome.rawValue, requestHash: bytes.map(Self.hash), responseHash: presentation.map { Self.hash($0.bytes) },
            registration: registration?.kept, documents: presentation?.disclosures.map(\.documentID) ?? [])
    }

    /// The wallet's record of one request of OpenID4VP and its answer.
    /// - Parameters:
    ///   - client: nil when the request did not prove who asks.
    ///   - bytes: the request as received.
    ///   - answer: what was made; nil when nothing was.
    init(
        walletAt time: Timestamp, client: VPClient?, bytes: [UInt8]? = nil, registration: RegistrationReport? = nil,
        proposal: Proposal?, answer: VPAnswer?, outcome: PresentationOutcome
    ) {
        let disclosures = answer?.token?.disclosures ?? []
        self.init(
            time: time, role: .holder, kind: "presentation", peer: client?.name, peerTrusted: client?.isTrusted,
            asked: Self.asked(PresentationRequest(documents: proposal?.entries.map(\.request) ?? [])),
            left: Self.tree(
                disclosures.flatMap { document in document.elements.map { (document.docType, $0.nameSpace, $0.identifier) } }),
            verdict: outcome.rawValue, requestHash: bytes.map(Self.hash),
            responseHash: answer.map { Self.hash(Array($0.plain.encoded().utf8)) }, registration: registration?.kept,
            documents: disclosures.map(\.documentID))
    }

    /// The reader's record of one request and the report on what came.
    /// - Parameters:
    ///   - bytes: the DeviceRequest as sent.
    ///   - response: the DeviceResponse; nil when none came.
    init(
        readerAt time: Timestamp, request: PresentationRequest, bytes: [UInt8]? = nil, response: [UInt8]?,
        report: PresentationReport
    ) {
        self.init(
            .reader, at: time, asked: Self.asked(request), requestHash: bytes.map(Self.hash), responseHash: response.map(Self.hash),
            report: report, verdict: report.verdict.rawValue)
    }

    /// The verifier's record of a transaction of OpenID4VP and the report on its answer.
    /// - Parameter report: nil when what the wallet answered was not judged.
    init(verifierAt time: Timestamp, transaction: VPTransaction, report: PresentationReport?) {
        var asked = JSONObject()
        for query in transaction.query.credentials {
            let type = query.types?.first ?? query.format
            var nameSpaces = asked[type]?.objectValue ?? [:]
            for claim in query.claims ?? [] {
                let names = query.format == "mso_mdoc" ? claim.path.names : nil
                let (nameSpace, name) = names.map { ($0[0], $0[$0.count - 1]) } ?? ("", claim.path.label)
                var elements = nameSpaces[nameSpace]?.objectValue ?? [:]
                elements[name] = .bool(claim.intentToRetain ?? false)
                nameSpaces[nameSpace] = .object(elements)
            }
            asked[type] = .object(nameSpaces)
        }
        let raw = transaction.evidence.flatMap { ($0["response"] ?? $0["vp_token"] ?? $0["error"])?.stringValue ?? $0.encoded() }
        self.init(
            .verifier, at: time, asked: .object(asked), requestHash: nil, responseHash: raw.map { Self.hash(Array($0.utf8)) },
            report: report, verdict: transaction.error ?? report?.verdict.rawValue ?? transaction.status.rawValue)
    }

    /// The wallet's record of an issuance: what was offered, and what came.
    /// - Parameters:
    ///   - asked: the configurations that were wanted.
    ///   - received: the copies that came, by configuration.
    init(
        issuanceAt time: Timestamp, session: IssuanceSession, asked: [String], received: [DeliveredCredentials],
        documents: [String], outcome: String
    ) {
        func types(_ ids: [String]) -> JSON {
            let types = ids.map { session.metadata?.configuration($0)?.type ?? $0 }
            return .object(JSONObject(Array(Set(types)).sorted().map { (key: $0, value: .object([:])) }))
        }
        let copies = received.flatMap(\.copies).map(\.bytes)
        self.init(
            time: time, role: .holder, kind: "issuance", peer: session.metadata?.issuer, peerTrusted: session.isIssuerTrusted,
            asked: types(asked), left: types(received.map(\.configuration.id)), verdict: outcome,
            requestHash: session.offer.map { Self.hash($0.evidence.bytes) },
            responseHash: copies.isEmpty ? nil : Self.hash(copies.flatMap { $0 }), registration: session.registration?.kept,
            documents: documents)
    }

    private init(
        _ role: Role, at time: Timestamp, asked: JSON, requestHash: String?, responseHash: String?, report: PresentationReport?,
        verdict: String
    ) {
        let documents = report?.documents ?? []
        let issuers = documents.compactMap { $0.issuer?.subject }
        self.init(
            time: time, role: role, kind: "presentation", peer: issuers.isEmpty ? nil : issuers.joined(separator: "; "),
            peerTrusted: documents.contains { $0.trusted != nil } ? documents.allSatisfy { $0.trusted == true } : nil,
            asked: asked,
            left: Self.tree(
                documents.flatMap { document in document.claims.map { (document.type, $0.namespace, $0.element) } }),
            verdict: verdict, requestHash: requestHash, responseHash: responseHash)
    }

    private static func hash(_ bytes: [UInt8]) -> String { Hex.encode(HashAlgorithm.sha256.digest(bytes)) }

    /// `{"docType": {"namespace": {"element": intentToRetain}}}`
    private static func asked(_ request: PresentationRequest) -> JSON {
        var types = JSONObject()
        for document in request.documents {
            var nameSpaces = types[document.docType]?.objectValue ?? [:]
            for element in document.elements {
                var elements = nameSpaces[element.reference.nameSpace]?.objectValue ?? [:]
                elements[element.reference.identifier] = .bool(element.intentToRetain)
                nameSpaces[element.reference.nameSpace] = .object(elements)
            }
            types[document.docType] = .object(nameSpaces)
        }
        return .object(types)
    }

    /// `{"docType": {"namespace": ["element"]}}`
    private static func tree(_ elements: [(docType: String, nameSpace: String, identifier: String)]) -> JSON {
        var types = JSONObject()
        for element in elements {
            var nameSpaces = types[element.docType]?.objectValue ?? [:]
            let known = nameSpaces[element.nameSpace]?.arrayValue ?? []
            nameSpaces[element.nameSpace] = .array(known + [.string(element.identifier)])
            types[element.docType] = .object(nameSpaces)
        }
        return .object(types)
    }
}

extension RegistrationReport {
    /// As records keep it; nil when there was no certificate.
    var kept: JSON? { shown.isNull ? JSON?.none : shown }
}

extension CredentialOffer {
    /// As a file of the bundle.
    var evidence: Evidence { Evidence(name: "offer.json", bytes: Array(JSON.object(json).encoded(pretty: true).utf8)) }
}

extension IssuanceSession {
    /// Whether the signer of the metadata is trusted; nil where nobody looked.
    var isIssuerTrusted: Bool? {
        switch checks.checks.last(where: { $0.id == "IW3.path" })?.outcome {
        case .pass: true
        case .warn, .fail: false
        case .notRun, nil: nil
        }
    }
}

extension Context {
    /// Writes the holder's record of a transaction into the wallet. What happened has happened: when it cannot be written, the
    /// person is told and the command goes on.
    func log(_ record: TransactionRecord, evidence: [Evidence] = [], in vault: Vault) async {
        do throws(VaultError) {
            _ = try await vault.log(record, evidence: evidence, random: SystemRandom())
        } catch {
            console.talk("warning: the transaction is not in the log: \(error)")
        }
    }

    /// The same for the reader, whose records live in the service vault.
    func logReader(_ record: TransactionRecord, evidence: [Evidence] = []) async {
        do throws(CommandError) {
            await log(record, evidence: evidence, in: try serviceVault())
        } catch {
            console.talk("warning: the transaction is not in the log: \(error.what)")
        }
    }
}
