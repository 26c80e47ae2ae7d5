internal import Codec
package import Ports

/// A document of the holder: what is known about it, and its copies. The copies' bytes are stored apart.
package struct StoredDocument: Sendable, Equatable {
    /// How far the issuing has come (OpenID4VCI 1.0 §9: deferred; pending: begun, nothing promised yet).
    package enum State: String, Sendable { case issued, deferred, pending }

    /// How often a copy may be presented.
    package enum UsePolicy: String, Sendable, CaseIterable {
        /// Each copy once; when all are used the document is exhausted.
        case once
        /// The least used copy, any number of times.
        case rotate
    }

    /// One issued copy, with a device key of its own.
    package struct Copy: Sendable, Equatable {
        package var id: String
        /// The device key in the key store; nil when it is not held, so that the copy cannot be presented.
        package var keyID: String?
        /// How often its bytes have left, or were about to.
        package var uses: Int
        package var lastUsed: Timestamp?

        package init(id: String, keyID: String?, uses: Int = 0, lastUsed: Timestamp? = nil) {
            (self.id, self.keyID, self.uses, self.lastUsed) = (id, keyID, uses, lastUsed)
        }
    }

    /// Short and random.
    package var id: String
    /// "mso_mdoc" or "dc+sd-jwt".
    package var format: String
    /// The docType or vct.
    package var type: String
    package var displayName: String
    /// The issuer's name as its certificate or metadata gives it.
    package var issuer: String?
    package var state: State
    package var policy: UsePolicy
    package var added: Timestamp
    package var copies: [Copy]

    package init(
        id: String, format: String, type: String, displayName: String, issuer: String?, state: State = .issued,
        policy: UsePolicy = .rotate, added: Timestamp, copies: [Copy] = []
    ) {
        self.id = id
        self.format = format
        self.type = type
        self.displayName = displayName
        self.issuer = issuer
        self.state = state
        self.policy = policy
        self.added = added
        self.copies = copies
    }

    /// Copies that may still be presented under the policy and whose key is held.
    package var copiesLeft: Int {
        copies.count { $0.keyID != nil && (policy == .rotate || $0.uses == 0) }
    }

    /// Whether copies there were, but none may be presented any more.
    package var isExhausted: Bool {
        policy == .once && copiesLeft == 0 && copies.contains { $0.keyID != nil && $0.uses > 0 }
    }
}

extension StoredDocument {
    var json: JSON {
        var object: JSONObject = [
            "id": .string(id), "format": .string(format), "type": .string(type), "displayName": .string(displayName),
            "state": .string(state.rawValue), "policy": .string(policy.rawValue), "added": .integer(added.secondsSince1970),
            "copies": .array(copies.map(\.json)),
        ]
        if let issuer { object["issuer"] = .string(issuer) }
        return .object(object)
    }

    init?(json: JSON) {
        guard let id = json["id"]?.stringValue, let format = json["format"]?.stringValue, let type = json["type"]?.stringValue,
            let displayName = json["displayName"]?.stringValue,
            let state = json["state"]?.stringValue.flatMap(State.init),
            let policy = json["policy"]?.stringValue.flatMap(UsePolicy.init),
            let added = json["added"]?.intValue, let copies = json["copies"]?.arrayValue
        else { return nil }
        let read = copies.compactMap(Copy.init)
        guard read.count == copies.count else { return nil }
        self.init(
            id: id, format: format, type: type, displayName: displayName, issuer: json["issuer"]?.stringValue, state: state,
            policy: policy, added: Timestamp(secondsSince1970: Int64(added)), copies: read)
    }
}

extension StoredDocument.Copy {
    var json: JSON {
        var object: JSONObject = ["id": .string(id), "uses": .integer(Int64(uses))]
        if let keyID { object["key"] = .string(keyID) }
        if let lastUsed { object["lastUsed"] = .integer(lastUsed.secondsSince1970) }
        return .object(object)
    }

    init?(json: JSON) {
        guard let id = json["id"]?.stringValue, let uses = json["uses"]?.intValue else { return nil }
        self.init(
            id: id, keyID: json["key"]?.stringValue, uses: Int(uses),
            lastUsed: (json["lastUsed"]?.intValue).map { Timestamp(secondsSince1970: Int64($0)) })
    }
}
