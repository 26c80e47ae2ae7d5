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
    ///   - presentation: what left; nil when nothing did.
    init(
        holderAt time: Timestamp, request: PresentationRequest?, reader: Proposal.Reader?, presentation: Presentation?,
        outcome: PresentationOutcome
    ) {
        self.init(
            time: time, role: .holder, kind: "presentation", peer: reader?.name, peerTrusted: reader?.isTrusted,
            asked: request.map(Self.asked) ?? [:],
            left: Self.tree(
                presentation?.disclosures.flatMap { document in
                    document.elements.map { (document.docType, $0.nameSpace, $0.identifier) }
                } ?? []),
            verdict: outcome.rawValue, responseHash: presentation.map { Self.hash($0.bytes) },
            documents: presentation?.disclosures.map(\.documentID) ?? [])
    }

    /// The wallet's record of one request of OpenID4VP and its answer.
    /// - Parameters:
    ///   - client: nil when the request did not prove who asks.
    ///   - answer: what was made; nil when nothing was.
    init(
        walletAt time: Timestamp, client: VPClient?, proposal: Proposal?, answer: VPAnswer?, outcome: PresentationOutcome
    ) {
        let disclosures = answer?.token?.disclosures ?? []
        self.init(
            time: time, role: .holder, kind: "presentation", peer: client?.name, peerTrusted: client?.isTrusted,
            asked: Self.asked(PresentationRequest(documents: proposal?.entries.map(\.request) ?? [])),
            left: Self.tree(
                disclosures.flatMap { document in document.elements.map { (document.docType, $0.nameSpace, $0.identifier) } }),
            verdict: outcome.rawValue, responseHash: answer.map { Self.hash(Array($0.plain.encoded().utf8)) },
            documents: disclosures.map(\.documentID))
    }

    /// The reader's record of one request and the report on what came.
    /// - Parameter response: the DeviceResponse; nil when none came.
    init(readerAt time: Timestamp, request: PresentationRequest, response: [UInt8]?, report: PresentationReport) {
        let issuers = report.documents.compactMap { $0.issuer?.subject }
        self.init(
            time: time, role: .reader, kind: "presentation", peer: issuers.isEmpty ? nil : issuers.joined(separator: "; "),
            peerTrusted: report.documents.contains { $0.trusted != nil } ? report.documents.allSatisfy { $0.trusted == true } : nil,
            asked: Self.asked(request),
            left: Self.tree(
                report.documents.flatMap { document in
                    document.claims.map { (document.type, $0.namespace, $0.element) }
                }),
            verdict: report.verdict.rawValue, responseHash: response.map(Self.hash))
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
