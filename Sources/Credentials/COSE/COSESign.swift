package import Codec
package import Crypto

/// A payload signed by several signers (RFC 9052 §4.1), tagged (98) or not. No profile here uses it; it is read to check the
/// published COSE vectors.
///
///     COSE_Sign = [ protected, unprotected, payload: bstr / nil, signatures: [ + COSE_Signature ] ]
///     COSE_Signature = [ protected, unprotected, signature: bstr ]
package struct COSESign: CBORDecodable, Sendable {
    /// One of the signatures.
    package struct Signature: Sendable {
        let protectedBytes: [UInt8]
        package let protected: COSEHeaders
        package let unprotected: COSEHeaders
        let signature: [UInt8]
    }

    private let protectedBytes: [UInt8]
    private let protected: COSEHeaders
    private let unprotected: COSEHeaders
    private let payload: [UInt8]?
    package let signatures: [Signature]

    package init(_ cbor: CBOR) throws(CBORError) {
        let elements = try (cbor.kind == .tag ? cbor.tagged(98) : cbor).array(count: 4)
        (protectedBytes, protected) = try COSEMessage.protected(elements[0])
        unprotected = try COSEHeaders(received: elements[1])
        payload = elements[2].isNull ? nil : try elements[2].bytes()
        var signatures: [Signature] = []
        for element in try elements[3].array() {
            let parts = try element.array(count: 3)
            let (bytes, headers) = try COSEMessage.protected(parts[0])
            signatures.append(
                Signature(
                    protectedBytes: bytes, protected: headers, unprotected: try COSEHeaders(received: parts[1]),
                    signature: try parts[2].bytes()))
        }
        guard !signatures.isEmpty else { throw elements[3].error(.invalid("COSE_Sign without a signature")) }
        self.signatures = signatures
    }

    /// The encoded Sig_structure of one signature (RFC 9052 §4.4).
    package func toBeSigned(by signature: Signature, externalAAD: [UInt8] = []) throws(COSEError) -> [UInt8] {
        Array(try parts(of: signature, externalAAD).joined())
    }

    /// Verifies one signature.
    package func verify(
        _ signature: Signature, with key: PublicKey, externalAAD: [UInt8] = [], requiresPair: Bool = true
    ) throws(COSEError) {
        try COSEMessage.checkCritical(protected, unprotected)
        try COSEMessage.checkCritical(signature.protected, signature.unprotected)
        let algorithm = try COSEMessage.algorithm(signature.protected, signature.unprotected)
        try algorithm.verify(
            signature.signature, of: try parts(of: signature, externalAAD), with: key, requiresPair: requiresPair)
    }

    private func parts(of signature: Signature, _ externalAAD: [UInt8]) throws(COSEError) -> [[UInt8]] {
        guard let payload else { throw .payloadMissing }
        let protected = [self.protected.isEmpty ? [] : protectedBytes, signature.protected.isEmpty ? [] : signature.protectedBytes]
        return COSEMessage.structure("Signature", protected, aad: externalAAD, payload: payload)
    }
}
