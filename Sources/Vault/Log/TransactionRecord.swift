package import Codec
package import Ports

/// One transaction, as the log keeps it: who, what was asked, what left or came, and the outcome. Values are not in it; they
/// are in the evidence, which is stored beside it.
package struct TransactionRecord: Sendable, Equatable {
    package enum Role: String, Sendable, CaseIterable { case holder, reader, verifier, issuer }

    /// Sorts by time.
    package var id: String
    package var time: Timestamp
    package var role: Role
    /// "presentation", "import", "issuance".
    package var kind: String
    /// The other side: a certificate's subject, a client id; nil when it did not say.
    package var peer: String?
    /// Whether the other side was authenticated under a trusted anchor; nil when that was not checked.
    package var peerTrusted: Bool?
    /// What was asked, by document type, namespace and element: `{"docType": {"namespace": {"element": intentToRetain}}}`.
    package var asked: JSON
    /// What left (holder) or came (reader): `{"docType": {"namespace": ["element"]}}`.
    package var left: JSON
    /// "pass", "fail", "undetermined"; for a holder "sent", "refused", "failed".
    package var verdict: String
    /// SHA-256 of the request's bytes as received or sent, in hex; nil when there are none of them.
    package var requestHash: String?
    /// SHA-256 of the response's bytes, in hex; nil when there was none.
    package var responseHash: String?
    /// What the other side is registered for and whether that was accepted, as consent showed it; nil when it did not say.
    package var registration: JSON?
    /// The documents of this home that were used, by name.
    package var documents: [String]

    package init(
        time: Timestamp, role: Role, kind: String, peer: String? = nil, peerTrusted: Bool? = nil, asked: JSON = .object([:]),
        left: JSON = .object([:]), verdict: String, requestHash: String? = nil, responseHash: String? = nil,
        registration: JSON? = nil, documents: [String] = []
    ) {
        id = ""
        self.time = time
        self.role = role
        self.kind = kind
        self.peer = peer
        self.peerTrusted = peerTrusted
        self.asked = asked
        self.left = left
        self.verdict = verdict
        self.requestHash = requestHash
        self.responseHash = responseHash
        self.registration = registration
        self.documents = documents
    }
}

/// What backs a record: messages, report, trace. Each a file of an exported bundle.
package struct Evidence: Sendable, Equatable {
    /// A plain file name, such as "response.cbor" or "report.json".
    package var name: String
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
}

extension TransactionRecord {
    /// The record as `log --json` shows it.
    package var json: JSON {
        var object: JSONObject = [
            "id": .string(id), "time": .string(time.rfc3339), "role": .string(role.rawValue), "kind": .string(kind),
            "asked": asked, "left": left, "verdict": .string(verdict), "documents": .array(documents.map { .string($0) }),
        ]
        object["peer"] = peer.map { .string($0) } ?? .null
        object["peerTrusted"] = peerTrusted.map { .bool($0) } ?? .null
        object["requestHash"] = requestHash.map { .string($0) } ?? .null
        object["responseHash"] = responseHash.map { .string($0) } ?? .null
        object["registration"] = registration ?? .null
        return .object(object)
    }

    init?(json: JSON) {
        guard let id = json["id"]?.stringValue, let time = (json["time"]?.stringValue).flatMap({ try? Timestamp(rfc3339: $0) }),
            let role = (json["role"]?.stringValue).flatMap(Role.init), let kind = json["kind"]?.stringValue,
            let asked = json["asked"], let left = json["left"], let verdict = json["verdict"]?.stringValue
        else { return nil }
        self.init(
            time: time, role: role, kind: kind, peer: json["peer"]?.stringValue, peerTrusted: json["peerTrusted"]?.boolValue,
            asked: asked, left: left, verdict: verdict, requestHash: json["requestHash"]?.stringValue,
            responseHash: json["responseHash"]?.stringValue,
            registration: json["registration"].flatMap { $0.isNull ? JSON?.none : $0 },
            documents: (json["documents"]?.arrayValue ?? []).compactMap(\.stringValue))
        self.id = id
    }
}
