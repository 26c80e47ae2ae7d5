import Codec
import Crypto
public import Ports

/// Makes mdocs: items with fresh random, the MSO over their digests, and the signature (ISO/IEC 18013-5:2021 §9.1.2).
public struct MDocIssuer: Sendable {
    /// Who signs.
    public let signer: IssuingIdentity
    /// Where the random of items and the order of digest IDs come from.
    public let random: any RandomSource
    /// What is made wrong on purpose.
    public let tampering: Tampering

    /// An issuer that makes nothing wrong unless told so.
    public init(signer: IssuingIdentity, random: any RandomSource, tampering: Tampering = .none) {
        self.signer = signer
        self.random = random
        self.tampering = tampering
    }

    /// One document for the device key of the order.
    public func mint(_ order: DocumentOrder) async throws(MintError) -> IssuerSigned {
        guard let certificate = signer.certificates.first else { throw .noCertificate }
        var draft = MintDraft(order, signer: signer, certificate: certificate, random: random)
        guard !draft.items.isEmpty else { throw .noClaims }
        do { try tampering.spoil(&draft) } catch { throw .fault(error) }
        let items = draft.encodedItems()
        return IssuerSigned(nameSpaces: items.nameSpaces, issuerAuth: try await sign(draft, draft.payload(items.digests)))
    }

    private func sign(_ draft: MintDraft, _ payload: [UInt8]) async throws(MintError) -> COSESign1 {
        let protected = COSEHeaders(draft.protectedHeaders.map { (.int($0.label), $0.value) })
        let toBeSigned: [UInt8]
        do { toBeSigned = try COSESign1(protected: protected, payload: payload, signature: []).toBeSigned() } catch {
            throw .signing("\(error)")
        }
        var signature = try await signer.sign(toBeSigned)
        if draft.spoilsSignature { signature[signature.count - 1] ^= 1 }
        return COSESign1(
            protected: protected, unprotected: COSEHeaders(draft.unprotectedHeaders.map { (.int($0.label), $0.value) }),
            payload: payload, signature: signature)
    }
}
