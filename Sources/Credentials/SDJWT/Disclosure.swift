public import Codec

/// One disclosure (RFC 9901 §4.2): a salted claim or array element, in the text whose hash the issuer signed.
public struct Disclosure: Sendable, Hashable {
    /// base64url, as received or made.
    public let encoded: String
    /// The decoded array: salt, name, value, or salt, value; nothing about its shape is checked.
    public let items: [JSON]

    /// A disclosure as received; throws `.disclosure` where it is no base64url of a JSON array.
    public init(encoded: String) throws(SDJWTError) {
        self.encoded = encoded
        let bytes: [UInt8]
        do { bytes = try Base64URL.decode(encoded) } catch { throw .disclosure("no canonical base64url: \(error)") }
        let json: JSON
        do { json = try JSON.decode(bytes) } catch { throw .disclosure("\(error)") }
        guard let items = json.arrayValue else { throw .disclosure("a JSON \(json.typeName), an array expected") }
        self.items = items
    }

    /// A disclosure to issue: of an object's member, or of an array element where there is no name.
    /// - Parameter salt: 16 fresh random bytes.
    public init(salt: [UInt8], name: String?, value: JSON) {
        items = [.string(Base64URL.encode(salt))] + (name.map { [.string($0)] } ?? []) + [value]
        encoded = Base64URL.encode(JSON.array(items).encoded().utf8)
    }

    /// The name of the claim; nil for an array element.
    public var name: String? { items.count == 3 ? items[1].stringValue : nil }
    /// The value, where the array has two or three items.
    public var value: JSON? { items.count == 2 || items.count == 3 ? items.last : nil }

    /// The digest in base64url, over the text as it is (RFC 9901 §4.2.3).
    public func digest(_ hash: SDHash) -> String { hash.text(of: encoded) }
}
