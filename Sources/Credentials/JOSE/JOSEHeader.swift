public import Codec

/// The protected header of a JWS or JWE, with the text in which it arrived: that text is what is signed.
public struct JOSEHeader: Sendable, Hashable {
    /// base64url, as received or made; empty where there is no protected header.
    public let encoded: String
    /// The decoded members.
    public let members: JSONObject

    /// A header as received; empty text means no members.
    public init(encoded: String) throws(JOSEError) {
        self.encoded = encoded
        members = encoded.isEmpty ? JSONObject() : try JOSEText.object(encoded, "the protected header")
    }

    /// A header to send.
    public init(_ members: JSONObject) {
        self.members = members
        encoded = members.isEmpty ? "" : Base64URL.encode(JSON.object(members).encoded().utf8)
    }

    public subscript(_ name: String) -> JSON? { members[name] }

    /// The media type, as it stands.
    public var type: String? { members["typ"]?.stringValue }

    /// The hint about the key.
    public var keyID: String? { members["kid"]?.stringValue }

    /// The certificates of `x5c` (RFC 7515 §4.1.6): DER, leaf first; nil where there is no `x5c`.
    public func x5c() throws(JOSEError) -> [[UInt8]]? {
        try members["x5c"].map { (json) throws(JOSEError) in try JOSEText.x5c(json) }
    }

    /// Checks `crit` (RFC 7515 §4.1.11).
    /// - Parameter understood: extensions that the caller acts upon.
    public func checkCritical(understood: Set<String> = []) throws(JOSEError) {
        guard let critical = members["crit"] else { return }
        guard let names = critical.arrayValue, !names.isEmpty else { throw .criticalHeader("not a list of names") }
        var seen: Set<String> = []
        for entry in names {
            guard let name = entry.stringValue, !name.isEmpty else { throw .criticalHeader("\(entry.encoded()) is no name") }
            guard seen.insert(name).inserted else { throw .criticalHeader("\(name) is listed twice") }
            guard !Self.registered.contains(name) else { throw .criticalHeader("\(name) must not be listed") }
            guard members[name] != nil else { throw .criticalHeader("\(name) is listed and not there") }
            guard understood.contains(name) else { throw .criticalHeader("\(name) is not understood") }
        }
    }

    /// Names that RFC 7515, 7516 and 7518 define, which `crit` must not list.
    private static let registered: Set<String> = [
        "alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit", "enc", "zip", "epk", "apu", "apv", "iv",
        "tag", "p2s", "p2c",
    ]
}

/// Reading the texts that JOSE structures are made of.
enum JOSEText {
    static func bytes(_ text: String, _ part: String) throws(JOSEError) -> [UInt8] {
        do { return try Base64URL.decode(text) } catch { throw .base64url(part, error) }
    }

    static func object(_ text: String, _ part: String) throws(JOSEError) -> JSONObject {
        try object(bytes(text, part), part)
    }

    static func object(_ bytes: [UInt8], _ part: String) throws(JOSEError) -> JSONObject {
        let json: JSON
        do { json = try JSON.decode(bytes) } catch { throw .json(part, error) }
        guard let object = json.objectValue else { throw .malformed("\(part) is a JSON \(json.typeName), an object expected") }
        return object
    }

    /// The parts of a compact serialisation, empty ones included.
    static func parts(_ text: String, separator: Unicode.Scalar = ".") -> [String] {
        text.utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false).map { String(Substring($0)) }
    }

    static func x5c(_ json: JSON) throws(JOSEError) -> [[UInt8]] {
        guard let texts = json.arrayValue, !texts.isEmpty else { throw .malformed("x5c is no list of certificates") }
        var certificates: [[UInt8]] = []
        for (place, text) in texts.enumerated() {
            guard let text = text.stringValue else { throw .malformed("x5c[\(place)] is no string") }
            // Standard base64 here, unlike everywhere else in JOSE.
            do { certificates.append(try Base64.decode(text)) } catch { throw .malformed("x5c[\(place)]: \(error)") }
        }
        return certificates
    }

    /// A member that has to be a string where it is present.
    static func string(_ object: JSONObject, _ name: String) throws(JOSEError) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue else { throw .malformed("\(name) is a JSON \(value.typeName), a string expected") }
        return text
    }
}
