internal import Codec
package import Ports

/// A document of the holder: what is known about it, and its copies. The copies' bytes are stored apart.
package struct StoredDocument: Sendable, Equatable {
    /// How far the issuing has come (OpenID4VCI 1.0 §9: deferred; pending: begun, nothing promised yet).
    package enum State: String, Sendable { case issued, deferred, pending }

    /// How often a copy may be presented.
    package enum UsePolicy: String, Sendable, CaseIterable {
        /// Each copy once; when all are used the document is exhausted (method A, `once_only`).
        case once
        /// The newest copy, any number of times (method B, `limited_time`).
        case limitedTime = "limited-time"
        /// The least used copy, any number of times (method C, `rotating-batch`).
        case rotate
        /// One copy for each relying party, and to it always that one (method D, `per-relying-party`).
        case perRelyingParty = "per-relying-party"
    }

    /// When fresh copies are due, as the issuer wants it (ETSI TS 119 472-3).
    package struct Renewal: Sendable, Equatable {
        /// At so many unused copies or fewer.
        package var unused: Int?
        /// At so many seconds of validity or fewer.
        package var lifetimeLeft: Int64?

        package init(unused: Int? = nil, lifetimeLeft: Int64? = nil) { (self.unused, self.lifetimeLeft) = (unused, lifetimeLeft) }
    }

    /// To whom a copy is going to be presented.
    package enum Recipient: Sendable, Equatable {
        /// Nobody has asked yet: is there anybody whom the document could be presented to?
        case anybody
        /// A relying party by its name, when that is authenticated; nil where it is not, so that it is like no other.
        case party(String?)
    }

    /// One issued copy, with a device key of its own.
    package struct Copy: Sendable, Equatable {
        package var id: String
        /// The device key in the key store; nil when it is not held, so that the copy cannot be presented.
        package var keyID: String?
        /// How often its bytes have left, or were about to.
        package var uses: Int
        package var lastUsed: Timestamp?
        /// The end of its validity, where it is known.
        package var validUntil: Timestamp?
        /// The relying party that it is kept for under `perRelyingParty`.
        package var party: String?

        package init(
            id: String, keyID: String?, uses: Int = 0, lastUsed: Timestamp? = nil, validUntil: Timestamp? = nil,
            party: String? = nil
        ) {
            (self.id, self.keyID, self.uses, self.lastUsed) = (id, keyID, uses, lastUsed)
            (self.validUntil, self.party) = (validUntil, party)
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
    package var renewal: Renewal
    package var added: Timestamp
    package var copies: [Copy]

    package init(
        id: String, format: String, type: String, displayName: String, issuer: String?, state: State = .issued,
        policy: UsePolicy = .rotate, renewal: Renewal = Renewal(), added: Timestamp, copies: [Copy] = []
    ) {
        self.id = id
        self.format = format
        self.type = type
        self.displayName = displayName
        self.issuer = issuer
        self.state = state
        self.policy = policy
        self.renewal = renewal
        self.added = added
        self.copies = copies
    }

    /// Copies that may still be presented under the policy and whose key is held.
    package var copiesLeft: Int {
        switch policy {
        case .once, .perRelyingParty: unusedCopies
        case .limitedTime, .rotate: copies.count { $0.keyID != nil }
        }
    }

    private var unusedCopies: Int { copies.count { $0.keyID != nil && $0.uses == 0 } }

    /// Whether copies there were, but none may be presented any more; those that belong to a relying party still may, to it.
    package var isExhausted: Bool {
        (policy == .once || policy == .perRelyingParty) && copiesLeft == 0 && copies.contains { $0.keyID != nil && $0.uses > 0 }
    }

    /// Why fresh copies are due; nil: they are not. A document of copies that never came from an issuer is not renewed.
    package func renewalReason(at time: Timestamp) -> String? {
        guard state == .issued else { return nil }
        if let limit = renewal.unused, unusedCopies <= limit {
            return "\(unusedCopies) unused \(unusedCopies == 1 ? "copy" : "copies") left"
        }
        if let limit = renewal.lifetimeLeft, let end = copies.filter({ $0.keyID != nil }).compactMap(\.validUntil).max(),
            end.seconds(since: time) <= limit
        {
            return end < time ? "the last copy expired at \(end.rfc3339)" : "the last copy expires at \(end.rfc3339)"
        }
        return nil
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
        if let unused = renewal.unused { object["renewalUnused"] = .integer(Int64(unused)) }
        if let left = renewal.lifetimeLeft { object["renewalLifetimeLeft"] = .integer(left) }
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
            policy: policy,
            renewal: Renewal(
                unused: json["renewalUnused"]?.intValue.map { Int(clamping: $0) },
                lifetimeLeft: json["renewalLifetimeLeft"]?.intValue),
            added: Timestamp(secondsSince1970: Int64(added)), copies: read)
    }
}

extension StoredDocument.Copy {
    var json: JSON {
        var object: JSONObject = ["id": .string(id), "uses": .integer(Int64(uses))]
        if let keyID { object["key"] = .string(keyID) }
        if let lastUsed { object["lastUsed"] = .integer(lastUsed.secondsSince1970) }
        if let validUntil { object["validUntil"] = .integer(validUntil.secondsSince1970) }
        if let party { object["party"] = .string(party) }
        return .object(object)
    }

    init?(json: JSON) {
        guard let id = json["id"]?.stringValue, let uses = json["uses"]?.intValue else { return nil }
        self.init(
            id: id, keyID: json["key"]?.stringValue, uses: Int(uses),
            lastUsed: (json["lastUsed"]?.intValue).map { Timestamp(secondsSince1970: Int64($0)) },
            validUntil: (json["validUntil"]?.intValue).map { Timestamp(secondsSince1970: Int64($0)) },
            party: json["party"]?.stringValue)
    }
}
