public import Codec
import Credentials
public import Crypto

/// EDeviceKeyBytes or EReaderKeyBytes: a COSE_Key in tag 24, as received, and the key it holds.
public struct EphemeralKeyBytes: Sendable {
    /// Why the bytes hold no key that a session can use.
    public enum Refusal: Error, Sendable, Hashable {
        /// No COSE_Key in tag 24; says what.
        case shape(String)
        /// A curve that is unknown or for signatures only.
        case curve(String)
        /// Not a point of that curve.
        case point(curve: String, detail: String)
    }

    /// The complete tag-24 item.
    public let encoded: [UInt8]
    /// The key, its point checked.
    public let publicKey: PublicKey
    /// Whether y came as a sign bit; fine for EDeviceKey, not for EReaderKey.
    public let isCompressed: Bool

    /// Wraps a key of one's own, uncompressed.
    public init(_ key: PublicKey) {
        encoded = Embedded(COSEKey(key)).encoded
        publicKey = key
        isCompressed = false
    }

    /// The key in tag 24 with the sign of y in place of y.
    static func compressed(_ key: PublicKey) -> [UInt8] {
        var compressed = COSEKey(key)
        if let last = key.y.last { compressed.y = .isOdd(last & 1 == 1) }
        return Embedded(compressed).encoded
    }

    /// Reads a received item. Members of the COSE_Key that are not needed are ignored.
    public init(_ item: CBOR) throws(Refusal) {
        let key: COSEKey
        do { key = try Embedded<COSEKey>(item).value } catch { throw .shape(error.description) }
        guard let curve = key.curve, curve.canAgree else {
            throw .curve(key.curve?.rawValue ?? "number \(key.curveIdentifier ?? 0) of key type \(key.keyType)")
        }
        encoded = item.encoded
        isCompressed = if case .isOdd = key.y { true } else { false }
        do { publicKey = try key.publicKey } catch { throw .point(curve: curve.rawValue, detail: error.description) }
    }
}
