import Codec

extension ProfileRule {
    /// The subject's key, and what ties a certificate to its issuer or to another root.
    static let keyRules: [ProfileRule] = [
        ProfileRule("public-key", "4.1.2.7", .everywhere) { subject in
            let key = SubjectKey(subject.certificate)
            switch key {
            case .explicitCurve: return .notRun("the curve is not named")
            case .unknown(let name): return .broken("key of \(name), which is not in the table of curves")
            case .curve(let curve):
                let allowsEdwards = subject.profile == .ds || subject.profile == .reader
                guard curve.canSign, curve.isWeierstrass || allowsEdwards else {
                    return .broken("a key on \(curve.rawValue) is not allowed here")
                }
                do {
                    _ = try subject.certificate.publicKey()
                    return .holds
                } catch {
                    return .broken("\(error)")
                }
            }
        },
        ProfileRule("public-key-form", "4.1.2.7", .everywhere) { subject in
            let bits = subject.certificate.publicKeyBits
            switch SubjectKey(subject.certificate) {
            case .explicitCurve: return .broken("curve parameters instead of a named curve")
            case .curve(let curve) where curve.isWeierstrass: return .require(bits.first == 4, "point is not uncompressed")
            case .curve, .unknown: return .holds
            }
        },
        ProfileRule("self-signed", "4.1.2.6", .only(iaca: .fail)) { subject in
            let certificate = subject.certificate
            guard certificate.isSelfIssued else { return .broken("issuer is not the subject's bytes") }
            guard case .curve(let curve) = SubjectKey(certificate), curve.canSign else { return .notRun("its key cannot sign") }
            return .require(certificate.isSigned(by: certificate), "not signed by its own key")
        },
        ProfileRule(
            "issuer-bytes", "4.1.2.4", RuleLevels(iaca: .none, link: .fail, ds: .fail, reader: .fail, status: .fail, vical: .fail)
        ) {
            subject in
            subject.withIssuer { issuer in
                .require(
                    subject.certificate.issuer == issuer.subject,
                    "issuer \"\(subject.certificate.issuer)\" is not, byte for byte, the subject of its signer \"\(issuer.subject)\""
                )
            }
        },
        ProfileRule("new-root-subject", nil, .only(link: .fail)) { subject in
            subject.withNewRoot { root in
                .require(
                    subject.certificate.subject == root.subject,
                    "subject \"\(subject.certificate.subject)\" is not that of the new root")
            }
        },
        ProfileRule("new-root-key", nil, .only(link: .fail)) { subject in
            subject.withNewRoot { root in
                .require(subject.certificate.certifiesSameKey(as: root), "certifies another key than that of the new root")
            }
        },
    ]
}

extension RuleLevels {
    static func only(
        iaca: RuleLevel = .none, link: RuleLevel = .none, ds: RuleLevel = .none, reader: RuleLevel = .none,
        status: RuleLevel = .none,
        vical: RuleLevel = .none
    ) -> RuleLevels {
        RuleLevels(iaca: iaca, link: link, ds: ds, reader: reader, status: status, vical: vical)
    }
}

/// What kind of key a certificate says it holds.
enum SubjectKey: Sendable, Hashable {
    case curve(Curve)
    /// An elliptic curve described by its parameters.
    case explicitCurve
    /// Another curve or algorithm, by its object identifier.
    case unknown(String)

    static let ecPublicKey: OID = "1.2.840.10045.2.1"

    init(_ certificate: Certificate) {
        let algorithm = certificate.keyAlgorithm
        let isEC = algorithm.oid == Self.ecPublicKey
        let id = isEC ? algorithm.parameters.flatMap { try? DERNode(decoding: $0).oid() } : algorithm.oid
        guard let id else {
            self = .explicitCurve
            return
        }
        let curve = Curve.allCases.first { $0.oid == id && $0.isWeierstrass == isEC }
        self = curve.map { .curve($0) } ?? .unknown(id.description)
    }
}

extension Certificate {
    /// The same key, however its point is written.
    fileprivate func certifiesSameKey(as other: Certificate) -> Bool {
        if spkiBytes == other.spkiBytes { return true }
        guard let own = try? publicKey(), let others = try? other.publicKey() else { return false }
        return own == others
    }
}
