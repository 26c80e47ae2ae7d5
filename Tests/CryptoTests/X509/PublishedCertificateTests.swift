import Codec
import Crypto
import Ports
import TestSupport
import Testing

/// Certificates that others made and read.
@Suite struct PublishedCertificateTests {
    struct Published: Sendable, CustomTestStringConvertible {
        let der: [UInt8]
        let fields: JSON

        var testDescription: String { fields["subject"]?.stringValue ?? "" }
    }

    static func all() throws -> [Published] {
        let entries = try Fixture.json("x509/published.json")["certificates"]?.arrayValue ?? []
        return try entries.map { Published(der: try Base64.decode($0["der_b64"]?.stringValue ?? ""), fields: $0) }
    }

    @Test(arguments: try all()) func fieldsAreReadAsOthersReadThem(_ published: Published) throws {
        let certificate = try Certificate(der: published.der)
        #expect(Hex.encode(certificate.sha256) == published.fields["sha256"]?.stringValue)
        #expect(certificate.subject.description == published.fields["subject"]?.stringValue)
        #expect(certificate.issuer.description == published.fields["issuer"]?.stringValue)
        #expect(certificate.signatureAlgorithm.name == published.fields["sigAlg"]?.stringValue)
        #expect(certificate.notBefore == (try Timestamp(rfc3339: published.fields["notBefore"]?.stringValue ?? "")))
        #expect(certificate.notAfter == (try Timestamp(rfc3339: published.fields["notAfter"]?.stringValue ?? "")))
    }

    @Test func theDocumentSignerOfAnnexDIsSignedByItsRoot() throws {
        let (root, signer) = try annexD()
        #expect(root.isSigned(by: root))
        #expect(signer.isSigned(by: root))
        #expect(!root.isSigned(by: signer))
        #expect(signer.issuer == root.subject)
        #expect(signer.keyUsage == .digitalSignature)
        #expect(signer.extendedKeyUsage == [.mdlDocumentSigner])
        #expect(root.basicConstraints == BasicConstraints(isCA: true, pathLength: 0))
        #expect(signer.authorityKeyIdentifier?.keyIdentifier == root.subjectKeyIdentifier)
        #expect(root.computedKeyIdentifier == root.subjectKeyIdentifier)
    }

    @Test func extensionsAreMadeAsThoseOfAnnexD() throws {
        let (root, signer) = try annexD()
        let usage = CertificateExtension.keyUsage([.keyCertSign, .cRLSign])
        #expect(usage.value == root.extension(.keyUsage)?.value)
        #expect(CertificateExtension.keyUsage(.digitalSignature).value == signer.extension(.keyUsage)?.value)
        let constraints = CertificateExtension.basicConstraints(.init(isCA: true, pathLength: 0))
        #expect(constraints.value == root.extension(.basicConstraints)?.value)
        #expect(CertificateExtension.extendedKeyUsage([.mdlDocumentSigner]).value == signer.extension(.extendedKeyUsage)?.value)
        let names = try #require(signer.issuerAlternativeName)
        #expect(CertificateExtension.issuerAlternativeName(names).value == signer.extension(.issuerAlternativeName)?.value)
        let authority = CertificateExtension.authorityKeyIdentifier(root.subjectKeyIdentifier ?? [])
        #expect(authority.value == signer.extension(.authorityKeyIdentifier)?.value)
    }

    /// The standard's own example names a host, not a URI, where its CRLs are.
    @Test func annexDKeepsItsOwnProfilesButForItsDistributionPoints() throws {
        let (root, signer) = try annexD()
        #expect(CertificateProfile.iaca.lint(root, issuer: nil).map(\.id) == ["iaca.crldp-fields"])
        #expect(CertificateProfile.ds.lint(signer, issuer: root).map(\.id) == ["ds.crldp-fields"])
        #expect(signer.crlDistributionPoints == [DistributionPoint(names: [.dns("example.com")])])
    }

    @Test func aDistributionPointIsMadeAsOthersMakeIt() throws {
        let certificate = try certificate(subject: "C=US,CN=OWF Multipaz TEST DS")
        guard case .uri(let uri)? = certificate.crlDistributionPoints?.first?.names.first else {
            Issue.record("no URI in the distribution point")
            return
        }
        #expect(CertificateExtension.crlDistributionPoint(uri).value == certificate.extension(.crlDistributionPoints)?.value)
    }

    @Test func aBooleanThatIsNotDERIsReadAndReported() throws {
        let certificate = try certificate(subject: "CN=IACA_mDO_GEN_01,O=T,C=NL")
        #expect(certificate.basicConstraints?.isCA == true)
        #expect(CertificateProfile.iaca.lint(certificate, issuer: nil).map(\.id).contains("iaca.der"))
    }

    @Test func aNegativeSerialNumberAndACountryInUTF8AreReported() throws {
        let certificate = try certificate(subject: "C=US,CN=OWF Multipaz TEST DS")
        let found = CertificateProfile.ds.lint(certificate, issuer: nil).map(\.id)
        #expect(found == ["ds.serial-positive", "ds.country-form"])
    }

    @Test func listsAreReadAsOthersReadThem() throws {
        for entry in try #require(try Fixture.json("x509/published.json")["lists"]?.arrayValue) {
            let list = try CertificateRevocationList(der: try Base64.decode(entry["der_b64"]?.stringValue ?? ""))
            let expected = entry["expected"]
            #expect(list.issuer.description == expected?["issuer"]?.stringValue)
            #expect(list.nextUpdate == (try Timestamp(rfc3339: expected?["nextUpdate"]?.stringValue ?? "")))
            let serials = expected?["revoked_serials_hex"]?.arrayValue?.compactMap(\.stringValue)
            #expect((list.entries ?? []).map { Hex.encode($0.serialNumber).drop { $0 == "0" } } == serials?.map { $0[...] })
        }
    }

    private func certificate(subject: String) throws -> Certificate {
        let published = try Self.all().first { $0.testDescription == subject }
        return try Certificate(der: try #require(published).der)
    }

    private func annexD() throws -> (root: Certificate, signer: Certificate) {
        (try certificate(subject: "C=US,CN=utopia iaca"), try certificate(subject: "C=US,CN=utopia ds"))
    }
}
