import Codec
import Credentials
import Crypto

/// Keys that a person gives: PEM, DER, JWK or COSE_Key, as a path, `-` or the text itself.
enum KeyFile {
    /// - Throws: exit code 1 when it is no private key that this program works with, 3 when the file cannot be read.
    static func privateKey(_ argument: String) throws(CommandError) -> PrivateKey {
        let input = try InputReader.read(argument)
        do {
            return switch input.content {
            case .pem(let blocks): try pem(blocks)
            case .der(let bytes): try PrivateKey(der: bytes)
            case .json(let text): try PrivateKey(jwk: JSON.decode(text))
            case .cbor(let bytes): try COSEKey(CBOR(decoding: bytes)).privateKey
            default: throw input.wrong("a private key (PEM, DER, JWK or COSE_Key)")
            }
        } catch let error as CommandError {
            throw error
        } catch { throw .refused("\(input.origin): \(error)", hint: "give a private key as PEM, DER, JWK or COSE_Key") }
    }

    private static func pem(_ blocks: [(label: String, bytes: [UInt8])]) throws -> PrivateKey {
        try PrivateKey(pem: blocks.map { PEM.encode($0.bytes, label: $0.label) }.joined())
    }
}
