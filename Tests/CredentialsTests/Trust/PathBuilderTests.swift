import Codec
import Crypto
import Ports
import TestSupport
import Testing

/// Paths whose certificates are made here, each right but for what the test changes.
@Suite struct PathBuilderTests {
    private func key(_ seed: UInt64) throws -> PrivateKey {
        try PrivateKey.generate(.p256, random: SeededRandom(seed: seed))
    }

    private func name(_ text: String) -> DistinguishedName { DistinguishedName([.init(.commonName, text)]) }

    /// A certificate for `key`, signed by `signer`.
    private func certificate(
        _ subject: String, _ key: PrivateKey, by issuer: String, _ signer: PrivateKey, isCA: Bool,
        _ change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws -> Certificate {
        var builder = CertificateBuilder(
            serialNumber: [0x12, 0x34, 0x56, 0x78], signatureAlgorithm: .ecdsaWithSHA256, issuer: name(issuer),
            notBefore: TestPKI.time.adding(days: -1), notAfter: TestPKI.time.adding(days: 1), subject: name(subject),
            spki: key.publicKey.spki)
        builder.extensions = [
            .basicConstraints(BasicConstraints(isCA: isCA)), .keyUsage(isCA ? .keyCertSign : .digitalSignature),
            .subjectKeyIdentifier([1, 2, 3]), .authorityKeyIdentifier([4, 5, 6]),
        ]
        change(&builder)
        return try builder.signed(by: signer)
    }

    private func build(
        _ leaf: Certificate, with others: [Certificate] = [], root: Certificate, depth: Int = 8, at time: Timestamp = TestPKI.time
    ) -> ChainResult {
        var policy = ChainPolicy.mdoc
        policy.skew = 0
        var builder = PathBuilder(verifier: ChainVerifier(anchors: [root], policy: policy))
        builder.depth = depth
        return builder.build(leaf, with: others, at: time)
    }

    @Test func certificatesThatAuthoritiesIssueToThemselvesDoNotDeepenAPath() throws {
        let (first, second, third) = (try key(1), try key(2), try key(3))
        let root = try certificate("Root", first, by: "Root", first, isCA: true)
        let old = try certificate("CA", second, by: "Root", first, isCA: true)
        let new = try certificate("CA", third, by: "CA", second, isCA: true)
        let leaf = try certificate("Leaf", try key(4), by: "CA", third, isCA: false)
        #expect(build(leaf, with: [old, new], root: root, depth: 1).path == [leaf, new, old])
        #expect(build(leaf, with: [old, new], root: root, depth: 1).isTrusted)
        #expect(!build(leaf, with: [old, new], root: root, depth: 0).isTrusted)

        let other = try certificate("Other CA", third, by: "CA", second, isCA: true)
        let below = try certificate("Leaf", try key(4), by: "Other CA", third, isCA: false)
        #expect(!build(below, with: [old, other], root: root, depth: 1).isTrusted)
        #expect(build(below, with: [old, other], root: root, depth: 2).isTrusted)
    }

    @Test func aRootWithAnUnknownCriticalExtensionCertifiesNobody() throws {
        let key = try key(1)
        let item = CertificateExtension("1.3.6.1.4.1.55738.666.1", critical: true, value: [5, 0])
        let root = try certificate("Root", key, by: "Root", key, isCA: true) { $0[item.oid] = item }
        let leaf = try certificate("Leaf", try self.key(2), by: "Root", key, isCA: false)
        let findings = build(leaf, root: root).findings
        #expect(findings.map(\.kind) == [.unknownCritical(item.oid)])
        #expect(findings.map(\.certificate) == [1])
    }

    @Test func theLastSecondOfValidityIsWhole() throws {
        let key = try key(1)
        let root = try certificate("Root", key, by: "Root", key, isCA: true)
        let end = root.notAfter.secondsSince1970
        let leaf = try certificate("Leaf", try self.key(2), by: "Root", key, isCA: false)
        #expect(build(leaf, root: root, at: Timestamp(secondsSince1970: end, nanoseconds: 999_999_999)).isTrusted)
        #expect(!build(leaf, root: root, at: Timestamp(secondsSince1970: end + 1)).isTrusted)
    }

    @Test func aListOfNoPurposesIsMalformed() throws {
        let key = try key(1)
        #expect(throws: CryptoError.self) {
            try certificate("Leaf", key, by: "Root", key, isCA: false) { $0[.extendedKeyUsage] = .extendedKeyUsage([]) }
        }
    }

    // MARK: What RFC 5280 asks of authorities

    private func violations(isCA: Bool, _ change: (inout CertificateBuilder) -> Void) throws -> [String] {
        try certificate("Subject", try key(1), by: "Issuer", try key(2), isCA: isCA, change).internetProfileViolations()
    }

    @Test func conformingCertificatesViolateNothing() throws {
        #expect(try violations(isCA: true) { _ in } == [])
        #expect(try violations(isCA: false) { $0[.subjectKeyIdentifier] = nil } == [])
        #expect(
            try violations(isCA: false) { builder in
                builder[.subjectAlternativeName] = .subjectAlternativeName([.dns("*.a-1.example"), .dns("localhost")])
            } == [])
    }

    @Test func everyDemandOnAuthoritiesIsLookedAt() throws {
        func breaks(isCA: Bool = true, _ clause: String, _ change: (inout CertificateBuilder) -> Void) throws {
            let found = try violations(isCA: isCA, change)
            #expect(found.count == 1 && found.allSatisfy { $0.hasSuffix("(\(clause))") }, "\(clause): \(found)")
        }
        try breaks("4.2.1.1") { $0[.authorityKeyIdentifier] = nil }
        try breaks("4.2.1.2") { $0[.subjectKeyIdentifier] = nil }
        try breaks("4.2") { $0[.subjectKeyIdentifier] = .subjectKeyIdentifier([1], critical: true) }
        try breaks("4.2.1.9") { $0[.basicConstraints] = .basicConstraints(BasicConstraints(isCA: true), critical: false) }
        try breaks("4.2") { $0[.policyConstraints] = CertificateExtension(.policyConstraints, value: [0x30, 0]) }
        try breaks("4.1.2.6") { $0.subject = DistinguishedName([]) }
        try breaks(isCA: false, "4.2.1.9") { $0[.keyUsage] = .keyUsage([.digitalSignature, .keyCertSign]) }
        try breaks(isCA: false, "4.2.1.6") { $0.subject = DistinguishedName([]) }
        try breaks(isCA: false, "4.2") {
            $0[.subjectAlternativeName] = CertificateExtension(.subjectAlternativeName, value: Array("example".utf8))
        }
        for bad in ["foo_bar.example", "-a.example", "a..example", ""] {
            try breaks(isCA: false, "4.2.1.6") { $0[.subjectAlternativeName] = .subjectAlternativeName([.dns(bad)]) }
        }
    }

    @Test func aTrustedRootNeedNotNameItsAuthority() throws {
        let root = try certificate("Root", try key(1), by: "Other", try key(2), isCA: true) { $0[.authorityKeyIdentifier] = nil }
        #expect(root.internetProfileViolations(namesAuthority: false).isEmpty)
        #expect(!root.internetProfileViolations().isEmpty)
    }
}
