public import Codec

/// The JSON serialisations of a JWS (RFC 7515 §7.2): general, with any number of signatures, and flattened, with one.
///
/// `{"payload", "signatures": [{"protected", "header", "signature"}]}` or `{"payload", "protected", "header", "signature"}`.
public struct JWSSerialization: Sendable {
    /// One JWS a signature, all over the same payload.
    public let signatures: [JWS]
    /// Whether it came, or is to be written, in the flattened form.
    public let isFlattened: Bool

    /// The most signatures that are read: each costs a verification.
    public static let signatureLimit = 16

    /// Reads either form; throws `.malformed` with the member that is missing or mistyped.
    public init(_ json: JSON) throws(JOSEError) {
        guard let object = json.objectValue else { throw .malformed("a JWS in JSON is an object, not a \(json.typeName)") }
        guard let payload = try JOSEText.string(object, "payload") else { throw .malformed("payload is missing") }
        guard let entries = object["signatures"] else {
            isFlattened = true
            signatures = [try Self.signature(object, payload)]
            return
        }
        guard object["signature"] == nil, object["protected"] == nil, object["header"] == nil else {
            throw .malformed("signatures stands next to members of the flattened form")
        }
        guard let entries = entries.arrayValue, !entries.isEmpty else { throw .malformed("signatures is no list with signatures") }
        guard entries.count <= Self.signatureLimit else {
            throw .malformed("\(entries.count) signatures, at most \(Self.signatureLimit) are read")
        }
        isFlattened = false
        var all: [JWS] = []
        for (place, entry) in entries.enumerated() {
            guard let entry = entry.objectValue else { throw .malformed("signatures[\(place)] is no object") }
            all.append(try Self.signature(entry, payload))
        }
        signatures = all
    }

    /// What is to be written.
    ///
    /// - Precondition: at least one signature, all over the same payload; one, where flattened.
    public init(_ signatures: [JWS], isFlattened: Bool) {
        precondition(!signatures.isEmpty && (!isFlattened || signatures.count == 1))
        precondition(signatures.allSatisfy { $0.payloadText == signatures[0].payloadText })
        self.signatures = signatures
        self.isFlattened = isFlattened
    }

    /// The JSON form.
    public var json: JSONObject {
        var object: JSONObject = ["payload": .string(signatures[0].payloadText)]
        if isFlattened {
            for (name, value) in Self.members(signatures[0]) { object.append(name, value) }
        } else {
            object.append("signatures", .array(signatures.map { .object(Self.members($0)) }))
        }
        return object
    }

    private static func members(_ jws: JWS) -> JSONObject {
        var object = JSONObject()
        if !jws.protected.encoded.isEmpty { object.append("protected", .string(jws.protected.encoded)) }
        if !jws.unprotected.isEmpty { object.append("header", .object(jws.unprotected)) }
        object.append("signature", .string(Base64URL.encode(jws.signature)))
        return object
    }

    private static func signature(_ object: JSONObject, _ payload: String) throws(JOSEError) -> JWS {
        guard let signature = try JOSEText.string(object, "signature") else { throw .malformed("signature is missing") }
        let protected = try JOSEText.string(object, "protected") ?? ""
        var unprotected = JSONObject()
        if let header = object["header"] {
            guard let members = header.objectValue else {
                throw .malformed("header is a JSON \(header.typeName), an object expected")
            }
            unprotected = members
        }
        let jws = try JWS(protected: protected, unprotected: unprotected, payload: payload, signature: signature)
        if let name = unprotected.keys.first(where: { jws.protected.members[$0] != nil }) {
            throw .malformed("\(name) stands in the protected and in the unprotected header")
        }
        if unprotected["crit"] != nil { throw .criticalHeader("it stands outside the protected header") }
        return jws
    }
}
