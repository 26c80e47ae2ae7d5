import Codec
import Crypto
import TestSupport
import Testing

/// RSASSA-PSS as OpenSSL signs with it.
struct RSAPSSTests {
    private func certificates() throws -> [Certificate] {
        try PEM.blocks(in: String(decoding: try Fixture.bytes("x509/rsa-pss.pem"), as: UTF8.self)).map {
            try Certificate(der: $0.bytes)
        }
    }

    @Test func certificatesWithSaltsAsLongAsTheHashVerify() throws {
        let all = try certificates()
        #expect(
            all.map(\.signatureAlgorithm.signatureAlgorithm) == [.rsaPSSWithSHA256, .rsaPSSWithSHA512, nil])
        for certificate in all.prefix(2) { #expect(certificate.isSigned(by: certificate)) }
    }

    @Test func anotherSaltLengthOrAnotherSignatureIsRefused() throws {
        let all = try certificates()
        #expect(!all[2].isSigned(by: all[2]))
        var spoiled = all[0].der
        spoiled[spoiled.count - 1] ^= 1
        let broken = try Certificate(der: spoiled)
        #expect(!broken.isSigned(by: broken))
    }

    @Test func theNameSaysTheHash() throws {
        #expect(try certificates()[1].signatureAlgorithm.name == "id-RSASSA-PSS with SHA-512")
        #expect(try certificates()[2].signatureAlgorithm.name == "1.2.840.113549.1.1.10")
    }
}
