public import Codec

/// An SD-JWT (RFC 9901) taken apart, every part as it arrived: nothing is verified yet.
public struct SDJWT: Sendable, Hashable {
    /// The issuer-signed JWT in compact serialisation.
    public let issuerJWT: String
    /// base64url of `[salt, name, value]` or `[salt, value]`: that text is what is hashed.
    public let disclosures: [String]
    /// The key binding JWT, where there is one.
    public let keyBinding: String?

    /// The most disclosures that are read.
    public static let disclosureLimit = 4096
    /// The longest text that is read, in bytes.
    public static let lengthLimit = 16 << 20

    init(issuerJWT: String, disclosures: [String], keyBinding: String? = nil) {
        self.issuerJWT = issuerJWT
        self.disclosures = disclosures
        self.keyBinding = keyBinding
    }

    /// The compact form (RFC 9901 §4): issuer-signed JWT, `~`, disclosures each followed by `~`, then a key binding JWT or nothing.
    public init(compact: String) throws(SDJWTError) {
        guard compact.utf8.count <= Self.lengthLimit else { throw .form("longer than \(Self.lengthLimit) bytes") }
        let parts = JOSEText.parts(compact, separator: "~")
        guard parts.count >= 2, let last = parts.last else { throw .form("no ~ after the JWT") }
        guard parts.count - 2 <= Self.disclosureLimit else {
            throw .form("\(parts.count - 2) disclosures, at most \(Self.disclosureLimit) are read")
        }
        guard Self.isJWT(parts[0]) else { throw .form("part 0 is no JWT") }
        let disclosures = parts[1..<(parts.count - 1)]
        if let empty = disclosures.firstIndex(of: "") { throw .form("part \(empty) is empty") }
        guard last.isEmpty || Self.isJWT(last) else { throw .form("what follows the last ~ is no JWT") }
        self.init(issuerJWT: parts[0], disclosures: Array(disclosures), keyBinding: last.isEmpty ? nil : last)
    }

    private static func isJWT(_ text: String) -> Bool { text.utf8.count { $0 == UInt8(ascii: ".") } == 2 }

    /// The JWS JSON serialisation (RFC 9901 §8), general or flattened: `disclosures` and `kb_jwt` in the first unprotected header.
    /// Of several signatures the first is the one that is verified.
    public init(json: JSON) throws(SDJWTError) {
        let all: [JWS]
        do { all = try JWSSerialization(json).signatures } catch { throw .json("\(error)") }
        let header = all[0].unprotected
        for (place, other) in all.enumerated().dropFirst()
        where other.unprotected["disclosures"] ?? other.unprotected["kb_jwt"] != nil {
            throw .json("disclosures or kb_jwt in the header of signature \(place)")
        }
        var disclosures: [String] = []
        if let list = header["disclosures"] {
            disclosures = list.arrayValue?.compactMap(\.stringValue) ?? []
            guard list.arrayValue?.count == disclosures.count else { throw .json("disclosures is no list of strings") }
        }
        guard disclosures.count <= Self.disclosureLimit else { throw .json("more than \(Self.disclosureLimit) disclosures") }
        let keyBinding = header["kb_jwt"]
        guard keyBinding == nil || keyBinding?.stringValue != nil else { throw .json("kb_jwt is no string") }
        self.init(issuerJWT: all[0].compact, disclosures: disclosures, keyBinding: keyBinding?.stringValue)
    }

    /// Either form, told apart by its first character.
    public init(text: String) throws(SDJWTError) {
        guard text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
            self = try SDJWT(compact: text)
            return
        }
        let json: JSON
        do { json = try JSON.decode(text) } catch { throw .json("\(error)") }
        self = try SDJWT(json: json)
    }

    /// The compact form.
    public var compact: String { bindable + (keyBinding ?? "") }

    /// Everything up to and with the last `~`: what `sd_hash` is taken over.
    public var bindable: String { ([issuerJWT] + disclosures).map { "\($0)~" }.joined() }

    /// The same without key binding.
    public var unbound: SDJWT { SDJWT(issuerJWT: issuerJWT, disclosures: disclosures) }

    /// The JWS JSON serialisation with one signature.
    public func json(flattened: Bool = true) throws(SDJWTError) -> JSONObject {
        var header = JSONObject()
        if !disclosures.isEmpty { header.append("disclosures", .array(disclosures.map { .string($0) })) }
        if let keyBinding { header.append("kb_jwt", .string(keyBinding)) }
        let jws = try jws()
        let signed: JWS
        do {
            signed = try JWS(
                protected: jws.protected.encoded, unprotected: header, payload: jws.payloadText,
                signature: Base64URL.encode(jws.signature))
        } catch { throw .jwt("issuer JWT", error) }
        return JWSSerialization([signed], isFlattened: flattened).json
    }

    /// The issuer-signed JWT, read.
    public func jws() throws(SDJWTError) -> JWS {
        do { return try JWS(compact: issuerJWT) } catch { throw .jwt("issuer JWT", error) }
    }

    /// The payload with its disclosures put in their places; nothing is verified.
    public func processed() throws(SDJWTError) -> ProcessedSDJWT {
        let payload: JSONObject
        do { payload = try JWS(compact: issuerJWT).claims() } catch { throw .jwt("issuer JWT", error) }
        return ProcessedSDJWT(payload, disclosures: disclosures)
    }
}
