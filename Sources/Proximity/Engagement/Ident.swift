public import Crypto

/// The value of the Ident characteristic, by which an mdoc knows that the reader it found has read its engagement
/// (ISO/IEC 18013-5:2021 §8.3.3.1.1.3).
public enum Ident {
    /// HKDF-SHA-256 over EDeviceKeyBytes with their tag 24, no salt, info "BLEIdent".
    /// - Returns: 16 bytes.
    public static func of(eDeviceKeyBytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        try HKDF.sha256(ikm: eDeviceKeyBytes, salt: [], info: Array("BLEIdent".utf8), length: 16)
    }
}
