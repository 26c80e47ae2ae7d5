package import Codec

/// A payload with a MAC and recipients (RFC 9052 §6.1), tagged (97) or not. No profile here uses it; it is read to check the
/// published COSE vectors, whose recipients know the key directly.
///
///     COSE_Mac = [ protected, unprotected, payload: bstr / nil, tag: bstr, recipients: [ + COSE_recipient ] ]
package struct COSEMac: CBORDecodable, Sendable {
    private let message: COSEMessage

    package init(_ cbor: CBOR) throws(CBORError) {
        let elements = try (cbor.kind == .tag ? cbor.tagged(97) : cbor).array(count: 5)
        guard try elements[4].array().count > 0 else { throw elements[4].error(.invalid("COSE_Mac without a recipient")) }
        message = try COSEMessage(.array(Array(elements[..<4])), tag: 97, name: "COSE_Mac")
    }

    /// The algorithm, from the protected map if it stands there.
    package func algorithm() throws(COSEError) -> COSEAlgorithm { try message.algorithm() }

    /// The encoded MAC_structure (RFC 9052 §6.3).
    package func toBeMaced(externalAAD: [UInt8] = []) throws(COSEError) -> [UInt8] {
        Array(message.toBeProved("MAC", aad: externalAAD, payload: try message.covered(nil)).joined())
    }

    /// Verifies the MAC, compared in constant time.
    package func verify(key: [UInt8], externalAAD: [UInt8] = []) throws(COSEError) {
        try message.checkCritical()
        try message.algorithm().verify(
            message.proof, of: message.toBeProved("MAC", aad: externalAAD, payload: try message.covered(nil)), key: key)
    }
}
