import Codec
import Credentials
import Crypto

/// The keys of a decentralized identifier (DID Core): did:jwk and did:key by themselves, others (did:web) from configuration.
struct DIDDocument {
    /// Why it has no document here.
    struct Unresolvable: Error, CustomStringConvertible { let description: String }

    private let did: String
    private var keys: [(id: String, key: PublicKey)] = []

    /// - Parameter known: configured documents, by DID.
    init(_ did: String, known: [String: JSON]) throws(Unresolvable) {
        self.did = did
        if let document = known[did] {
            keys = Self.keys(in: document, did)
            guard !keys.isEmpty else { throw Unresolvable(description: "the configured document has no usable verificationMethod") }
            return
        }
        if did.hasPrefix("did:jwk:") {
            keys = [("#0", try Self.jwk(String(did.dropFirst(8))))]
        } else if did.hasPrefix("did:key:") {
            let name = String(did.dropFirst(8))
            keys = [("#" + name, try Self.multikey(name))]
        } else {
            throw Unresolvable(description: "only did:jwk and did:key resolve by themselves; others need a configured document")
        }
    }

    /// The key of a `kid`: the whole DID URL, or its fragment alone.
    func key(_ kid: String) -> PublicKey? {
        keys.first { kid == did + $0.id || kid == $0.id || kid == $0.id.dropFirst() }?.key
    }

    private static func keys(in document: JSON, _ did: String) -> [(id: String, key: PublicKey)] {
        (document["verificationMethod"]?.arrayValue ?? []).prefix(64).compactMap { method in
            guard let id = method["id"]?.stringValue else { return nil }
            let fragment = id.hasPrefix(did) ? String(id.dropFirst(did.count)) : id
            if let jwk = method["publicKeyJwk"], let key = try? PublicKey(jwk: jwk) { return (fragment, key) }
            if let text = method["publicKeyMultibase"]?.stringValue, let key = try? multikey(text) { return (fragment, key) }
            return nil
        }
    }

    private static func jwk(_ text: String) throws(Unresolvable) -> PublicKey {
        do { return try PublicKey(jwk: JSON.decode(Base64URL.decode(text))) } catch {
            throw Unresolvable(description: "did:jwk holds no usable key: \(error)")
        }
    }

    /// Multibase base58btc around a multicodec key.
    private static func multikey(_ text: String) throws(Unresolvable) -> PublicKey {
        guard text.hasPrefix("z"), let bytes = Base58.decode(text.dropFirst()), bytes.count > 2 else {
            throw Unresolvable(description: "did:key is no multibase text in base58btc")
        }
        let code = Array(bytes.prefix(2))
        guard let curve = multicodec.first(where: { $0.code == code })?.curve else {
            throw Unresolvable(description: "did:key holds a key of multicodec 0x\(Hex.encode(code)), which is not supported")
        }
        do { return try PublicKey(curve: curve, point: Array(bytes.dropFirst(2))) } catch {
            throw Unresolvable(description: "did:key: \(error)")
        }
    }

    /// The varints of p256-pub, p384-pub, p521-pub and ed25519-pub.
    private static let multicodec: [(code: [UInt8], curve: Curve)] = [
        ([0x80, 0x24], .p256), ([0x81, 0x24], .p384), ([0x82, 0x24], .p521), ([0xED, 0x01], .ed25519),
    ]
}

/// base58 with the alphabet of Bitcoin, as multibase calls it base58btc.
enum Base58 {
    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

    /// nil for a character outside of the alphabet, or a text longer than any key.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count <= 200 else { return nil }
        var bytes: [UInt8] = []
        for character in text.utf8 {
            guard var carry = alphabet.firstIndex(of: character) else { return nil }
            for place in bytes.indices {
                carry += Int(bytes[place]) * 58
                bytes[place] = UInt8(carry & 0xFF)
                carry >>= 8
            }
            while carry > 0 {
                bytes.append(UInt8(carry & 0xFF))
                carry >>= 8
            }
        }
        let zeros = text.utf8.prefix { $0 == UInt8(ascii: "1") }.count
        return Array(repeating: 0, count: zeros) + bytes.reversed()
    }

    static func encode(_ bytes: [UInt8]) -> String {
        var digits: [Int] = []
        for byte in bytes {
            var carry = Int(byte)
            for place in digits.indices {
                carry += digits[place] << 8
                digits[place] = carry % 58
                carry /= 58
            }
            while carry > 0 {
                digits.append(carry % 58)
                carry /= 58
            }
        }
        let zeros = bytes.prefix { $0 == 0 }.count
        return String(decoding: Array(repeating: alphabet[0], count: zeros) + digits.reversed().map { alphabet[$0] }, as: UTF8.self)
    }
}
