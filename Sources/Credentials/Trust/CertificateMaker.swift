package import Crypto
package import Ports

/// Makes test certificates of every profile, each keeping all rules or breaking exactly one. Their subjects say TEST.
package struct CertificateMaker: Sendable {
    /// Where certificates of an issuer say that its CRL is; nil: roots of their own.
    static func crlURI(of issuer: Certificate?) -> String { "https://pki.utopia.example/\(issuer.map(crlName) ?? "test.crl")" }

    /// The name of the file: one for each kind of authority, as the CRL of one says nothing about certificates of another.
    package static func crlName(of issuer: Certificate) -> String {
        let name = issuer.subject.commonName ?? ""
        for (kind, file) in [("Reader", "readers.crl"), ("VICAL", "lists.crl"), ("Server", "servers.crl")] where name.contains(kind)
        {
            return file
        }
        return "test.crl"
    }

    private static let contact = "https://pki.utopia.example/contact"

    package let edition: Edition
    /// The time around which certificates are made: valid since before, until well after.
    package let time: Timestamp
    /// A deterministic one makes deterministic signatures, too.
    package let random: any RandomSource
    /// Alpha-2 code in every subject.
    package let country: String
    /// ST of every subject.
    package let state: String
    /// O of every subject, and the start of every CN.
    package let organization: String

    package init(
        at time: Timestamp, random: any RandomSource, edition: Edition = .first, country: String = "UT", state: String = "UT-U",
        organization: String = "Utopia"
    ) {
        self.edition = edition
        self.time = time.wholeSeconds
        self.random = random
        self.country = country
        self.state = state
        self.organization = organization
    }

    /// An IACA root (B.1.2).
    package func root(
        _ name: String = "TEST IACA", curve: Curve = .p256, breaking rule: String? = nil
    ) throws -> SigningIdentity {
        let key = try PrivateKey.generate(curve, random: random)
        var draft = rootDraft(name, key)
        draft.builder[.issuerAlternativeName] = .issuerAlternativeName([.uri(Self.contact)])
        if edition == .first { draft.builder[.crlDistributionPoints] = .crlDistributionPoint(Self.crlURI(of: nil)) }
        if let rule { try draft.breakRule(rule) }
        return SigningIdentity(certificate: try draft.builder.signed(by: key, nonce: nonce), key: key)
    }

    /// A root of another kind than an IACA: for readers, VICALs, servers. It has no issuer alternative name, which tells it apart.
    package func authority(_ name: String, curve: Curve = .p256) throws -> SigningIdentity {
        let key = try PrivateKey.generate(curve, random: random)
        return SigningIdentity(certificate: try rootDraft(name, key).builder.signed(by: key, nonce: nonce), key: key)
    }

    /// A link certificate by which `old` certifies `new` (B.1.3).
    package func link(from old: SigningIdentity, to new: Certificate, breaking rule: String? = nil) throws -> Certificate {
        var builder = builder(signer: old.key, issuer: old.certificate.subject, subject: new.subject, spki: new.spkiBytes)
        builder.notAfter = min(new.notAfter, old.certificate.notAfter)
        builder.extensions = extensions(.link, keyBits: new.publicKeyBits, issuer: old.certificate)
        var draft = CertificateDraft(profile: .link, edition: edition, builder: builder, issuer: old, random: random)
        if let rule, !Self.rulesBrokenInNewRoot.contains(rule) { try draft.breakRule(rule) }
        return try draft.builder.signed(by: old.key, nonce: nonce)
    }

    /// Rules of link certificates that are broken by linking to a root that breaks them: broken in the link alone, they would
    /// break new-root-key or new-root-subject as well.
    package static let rulesBrokenInNewRoot: Set<String> = ["public-key", "public-key-form", "string-form"]

    /// An end entity: document signer, reader, signer of status lists or VICALs, server.
    ///
    /// - Parameters:
    ///   - curve: of the new key.
    ///   - change: what else should be different.
    package func endEntity(
        _ profile: CertificateProfile, _ name: String? = nil, issuer: SigningIdentity, curve: Curve = .p256,
        breaking rule: String? = nil, change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws -> SigningIdentity {
        let key = try PrivateKey.generate(curve, random: random)
        var builder = builder(
            signer: issuer.key, issuer: issuer.certificate.subject, subject: subject(name ?? Self.name(of: profile)),
            spki: key.publicKey.spki)
        builder.notBefore = max(time.adding(days: -1), issuer.certificate.notBefore)
        builder.notAfter = min(time.adding(days: 400), issuer.certificate.notAfter)
        builder.extensions = extensions(profile, keyBits: key.publicKey.point, issuer: issuer.certificate)
        var draft = CertificateDraft(profile: profile, edition: edition, builder: builder, issuer: issuer, random: random)
        if let rule { try draft.breakRule(rule) }
        change(&draft.builder)
        return SigningIdentity(certificate: try draft.builder.signed(by: issuer.key, nonce: nonce), key: key)
    }

    private static func name(of profile: CertificateProfile) -> String {
        switch profile {
        case .ds: "TEST Document Signer"
        case .reader: "TEST Reader"
        case .status: "TEST Status List Signer"
        case .vical: "TEST VICAL Signer"
        case .tls: "TEST Server"
        case .iaca, .link: "TEST IACA"
        }
    }

    /// How ECDSA signatures get their nonce: repeatable runs need repeatable ones.
    var nonce: SignatureNonce { random.isDeterministic ? .deterministic : .random }

    private func subject(_ name: String) -> DistinguishedName {
        DistinguishedName([
            .init(.countryName, country), .init(.stateOrProvinceName, state), .init(.organizationName, organization),
            .init(.commonName, "\(organization) \(name)"),
        ])
    }

    private func rootDraft(_ name: String, _ key: PrivateKey) -> CertificateDraft {
        let name = subject(name)
        var builder = builder(signer: key, issuer: name, subject: name, spki: key.publicKey.spki)
        builder.extensions = extensions(.iaca, keyBits: key.publicKey.point, issuer: nil)
        return CertificateDraft(profile: .iaca, edition: edition, builder: builder, issuer: nil, random: random)
    }

    private func builder(
        signer: PrivateKey, issuer: DistinguishedName, subject: DistinguishedName, spki: [UInt8]
    ) -> CertificateBuilder {
        // 126 random bits, positive whatever they are.
        var serialNumber = random.bytes(16)
        serialNumber[0] = serialNumber[0] & 0x3F | 0x40
        return CertificateBuilder(
            serialNumber: serialNumber, signatureAlgorithm: SignatureAlgorithm(curve: signer.curve) ?? .ecdsaWithSHA256,
            issuer: issuer, notBefore: time.adding(days: -30), notAfter: time.adding(days: 3650), subject: subject, spki: spki)
    }

    /// What every certificate of the profile has.
    private func extensions(_ profile: CertificateProfile, keyBits: [UInt8], issuer: Certificate?) -> [CertificateExtension] {
        var list: [CertificateExtension] = [.subjectKeyIdentifier(HashAlgorithm.sha1.digest(keyBits))]
        if let issuer { list.append(.authorityKeyIdentifier(issuer.subjectKeyIdentifier ?? issuer.computedKeyIdentifier)) }
        if profile.isAuthority {
            list += [.keyUsage([.keyCertSign, .cRLSign]), .basicConstraints(.init(isCA: true, pathLength: 0))]
        } else {
            list.append(.keyUsage(.digitalSignature))
        }
        if [.ds, .reader, .vical, .tls].contains(profile) {
            list.append(.extendedKeyUsage(profile.purposes, critical: profile != .tls))
        }
        if profile == .tls { list.append(.subjectAlternativeName([.dns("localhost"), .ipAddress([127, 0, 0, 1])])) }
        if [.link, .ds, .reader].contains(profile) { list.append(.issuerAlternativeName([.uri(Self.contact)])) }
        if [.link, .ds, .reader, .vical].contains(profile) { list.append(.crlDistributionPoint(Self.crlURI(of: issuer))) }
        return list
    }
}
