import Credentials
import Crypto
import Ports
import TestSupport
import Testing

@Suite struct ChainVerifierTests {
    private func verify(_ signer: Certificate, anchors: [Certificate]) -> ChainResult {
        ChainVerifier(anchors: anchors, policy: .mdoc).verify(chain: [signer], at: TestPKI.time)
    }

    @Test func aSignatureWithSHA1CountsAsNone() throws {
        let authority = try TestPKI.authority()
        let signer = try authority.documentSigner(breaking: "signature-algorithm").certificate
        #expect(signer.isSigned(by: authority.iaca.certificate))
        let result = verify(signer, anchors: [authority.iaca.certificate])
        #expect(result.findings.map(\.kind) == [.signatureAlgorithm("ecdsa-with-SHA1")])
        #expect(!result.isTrusted)
    }

    @Test func twoAlgorithmsInOneCertificateCountAsNoSignature() throws {
        let authority = try TestPKI.authority()
        let signer = try authority.documentSigner(breaking: "signature-match").certificate
        #expect(!verify(signer, anchors: [authority.iaca.certificate]).isTrusted)
    }

    @Test func ofTwoRootsWithOneNameTheOneThatSignedIsFound() throws {
        let (first, second) = (try TestPKI.authority(seed: 1), try TestPKI.authority(seed: 2))
        #expect(first.iaca.certificate.subject == second.iaca.certificate.subject)
        let anchors = [first.iaca.certificate, second.iaca.certificate]
        #expect(verify(second.documentSigner.certificate, anchors: anchors).anchor == second.iaca.certificate)
        #expect(verify(first.documentSigner.certificate, anchors: anchors).anchor == first.iaca.certificate)
    }

    @Test func aRootOfTheSameNameWithAnotherKeyIsNoPath() throws {
        let (first, second) = (try TestPKI.authority(seed: 1), try TestPKI.authority(seed: 2))
        let result = verify(first.documentSigner.certificate, anchors: [second.iaca.certificate])
        #expect(result.anchor == nil)
        #expect(result.findings.map(\.kind) == [.noPath(first.iaca.certificate.subjectKeyIdentifier)])
    }

    @Test func namesChainByBytes() throws {
        let authority = try TestPKI.authority()
        let signer = try authority.documentSigner(breaking: "issuer-bytes").certificate
        #expect(signer.issuer.description == authority.iaca.certificate.subject.description)
        #expect(verify(signer, anchors: [authority.iaca.certificate]).anchor == nil)
    }

    @Test func anExpiredRootCertifiesNobody() throws {
        let authority = try TestPKI.authority()
        let result = ChainVerifier(anchors: [authority.iaca.certificate], policy: .mdoc)
            .verify(chain: [authority.documentSigner.certificate], at: authority.iaca.certificate.notAfter.adding(days: 1))
        #expect(result.findings.map(\.certificate) == [0, 1])
        #expect(!result.isTrusted)
    }

    @Test func anEmptyChainHasNoPath() throws {
        let result = ChainVerifier(anchors: [], policy: .mdoc).verify(chain: [], at: TestPKI.time)
        #expect(result.findings.map(\.kind) == [.noPath(nil)])
        #expect(!result.isTrusted)
    }

    @Test func seedAndTimeDetermineEveryByte() throws {
        let (first, second) = (try TestPKI.authority(seed: 4), try TestPKI.authority(seed: 4))
        #expect(first.documentSigner.certificate == second.documentSigner.certificate)
        #expect(first.reader.certificate == second.reader.certificate)
        #expect(first.documentSigner.certificate != (try TestPKI.authority(seed: 5)).documentSigner.certificate)
    }
}
