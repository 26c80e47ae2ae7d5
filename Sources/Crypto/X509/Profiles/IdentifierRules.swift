import Codec

extension ProfileRule {
    /// Key identifiers and the issuer's contact.
    static let identifierRules: [ProfileRule] = [
        ProfileRule("ski", "4.2.1.2", .everywhere) { subject in
            guard let item = subject.certificate.extension(.subjectKeyIdentifier) else {
                return .broken("no subject key identifier")
            }
            return .require(!item.isCritical, "subject key identifier is critical")
        },
        ProfileRule("ski-value", "4.2.1.2", .everywhere) { subject in
            guard let value = subject.certificate.subjectKeyIdentifier else { return .notRun("no subject key identifier") }
            let wanted = subject.certificate.computedKeyIdentifier
            return .require(
                value == wanted,
                "subject key identifier \(Hex.encode(value)) is not the SHA-1 of the key bits, \(Hex.encode(wanted))")
        },
        ProfileRule("aki", "4.2.1.1", .belowRoot) { subject in
            .require(subject.certificate.authorityKeyIdentifier?.keyIdentifier != nil, "no authority key identifier")
        },
        ProfileRule("aki-value", "4.2.1.1", .belowRoot) { subject in
            guard let value = subject.certificate.authorityKeyIdentifier?.keyIdentifier else {
                return .notRun("no authority key identifier")
            }
            return subject.withIssuer { issuer in
                let wanted = issuer.subjectKeyIdentifier ?? issuer.computedKeyIdentifier
                return .require(
                    value == wanted,
                    "authority key identifier \(Hex.encode(value)) is not that of the issuer, \(Hex.encode(wanted))")
            }
        },
        ProfileRule("issuer-alt-name", "4.2.1.7", .only(iaca: .fail, link: .fail, ds: .fail, reader: .failIfIssuedByIACA)) {
            subject in
            guard let names = subject.certificate.issuerAlternativeName else { return .broken("no issuer alternative name") }
            let hasContact = names.contains { name in
                switch name {
                case .email, .uri: true
                default: false
                }
            }
            return .require(hasContact, "issuer alternative name has neither an e-mail address nor a URI")
        },
    ]
}

extension RuleLevels {
    fileprivate static let belowRoot = RuleLevels(iaca: .none, link: .fail, ds: .fail, reader: .fail, status: .fail, vical: .fail)
}

extension Certificate {
    /// SHA-1 of the key bits, 20 bytes (RFC 5280 §4.2.1.2 method 1).
    public var computedKeyIdentifier: [UInt8] { HashAlgorithm.sha1.digest(publicKeyBits) }
}
