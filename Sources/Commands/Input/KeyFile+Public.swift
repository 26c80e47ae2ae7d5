import Codec
import Credentials
import Crypto

extension KeyFile {
    /// A public key that a person gives: PEM, DER, JWK or COSE_Key, public or private, or the certificate that has it.
    /// - Throws: exit code 1 when it is no key that this program works with, 3 when the file cannot be read.
    static func publicKey(_ argument: String) throws(CommandError) -> PublicKey {
        let input = try InputReader.read(argument)
        do {
            switch input.content {
            case .pem(let blocks):
                if let block = blocks.first(where: { $0.label == "PUBLIC KEY" }) { return try PublicKey(spki: block.bytes) }
                if let block = blocks.first(where: { $0.label == "CERTIFICATE" }) {
                    return try Certificate(der: block.bytes).publicKey()
                }
                return try privateKey(argument).publicKey
            case .der(let bytes):
                if let key = try? PublicKey(spki: bytes) { return key }
                if let certificate = try? Certificate(der: bytes) { return try certificate.publicKey() }
                return try privateKey(argument).publicKey
            case .json(let text): return try PublicKey(jwk: JSON.decode(text))
            case .cbor(let bytes): return try COSEKey(CBOR(decoding: bytes)).publicKey
            default: throw input.wrong("a public key (PEM, DER, JWK or COSE_Key)")
            }
        } catch let error as CommandError {
            throw error
        } catch { throw .refused("\(input.origin): \(error)", hint: "give a public key as PEM, DER, JWK or COSE_Key") }
    }
}
