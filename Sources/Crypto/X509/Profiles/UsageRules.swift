import Codec

extension ProfileRule {
    /// Key usage, basic constraints, extended key usage.
    static let usageRules: [ProfileRule] = [
        ProfileRule("key-usage", "4.2.1.3", .everywhere) { subject in
            let wanted: KeyUsage = subject.profile.isAuthority ? [.keyCertSign, .cRLSign] : .digitalSignature
            guard let usage = subject.certificate.keyUsage else { return .broken("no key usage, \(wanted) needed") }
            return .require(usage == wanted, "key usage \(usage), exactly \(wanted) needed")
        },
        ProfileRule("key-usage-critical", "4.2.1.3", .everywhere) { subject in
            guard let usage = subject.certificate.extension(.keyUsage) else { return .notRun("no key usage") }
            return .require(usage.isCritical, "key usage is not critical")
        },
        ProfileRule("basic-constraints", "4.2.1.9", .constraints) { subject in
            let isCA = subject.certificate.basicConstraints?.isCA ?? false
            guard subject.profile.isAuthority else { return .require(!isCA, "is a CA") }
            guard isCA else { return .broken("is not a CA") }
            let isCritical = subject.certificate.extension(.basicConstraints)?.isCritical ?? false
            return .require(isCritical, "basic constraints are not critical")
        },
        ProfileRule("path-length", "4.2.1.9", .constraints) { subject in
            guard let constraints = subject.certificate.basicConstraints else { return .notRun("no basic constraints") }
            let length = constraints.pathLength.map(String.init) ?? "absent"
            guard subject.profile.isAuthority else {
                return .require(constraints.pathLength == nil || constraints.isCA, "path length \(length), though not a CA")
            }
            return .require(constraints.pathLength == 0, "path length \(length), 0 needed")
        },
        ProfileRule("eku", "4.2.1.12", .only(ds: .fail, reader: .fail, status: .warn, vical: .fail)) { subject in
            guard let needed = subject.profile.purposes.first else { return .holds }
            let purposes = subject.certificate.extendedKeyUsage
            if subject.profile == .status {
                return .require(purposes == nil || purposes == [needed], "other purposes than status signing: \(text(purposes))")
            }
            guard purposes?.contains(needed) == true else {
                return .broken("purpose \(needed) missing among \(text(purposes))")
            }
            let alien = purposes?.first { otherISOPurposes(than: subject.profile).contains($0) }
            return .require(alien == nil, "also for the purpose \(alien?.description ?? "")")
        },
        ProfileRule("eku-critical", "4.2.1.12", .only(ds: .fail, reader: .fail, status: .warn, vical: .fail)) { subject in
            guard let usage = subject.certificate.extension(.extendedKeyUsage) else { return .notRun("no extended key usage") }
            if subject.profile == .status { return .require(!usage.isCritical, "extended key usage is critical") }
            return .require(usage.isCritical, "extended key usage is not critical")
        },
        ProfileRule(
            "eku-generic", "4.2.1.12", .only(ds: .warnInEdition2, reader: .warnInEdition2, vical: .warnInEdition2)
        ) { subject in
            guard let generic = subject.profile.purposes.last else { return .holds }
            return .require(
                subject.certificate.extendedKeyUsage?.contains(generic) ?? false, "generic purpose \(generic) missing")
        },
    ]

    private static func text(_ purposes: [OID]?) -> String {
        purposes.map { $0.map(\.description).joined(separator: ", ") } ?? "none"
    }

    /// One key, one role: the purposes of the other profiles, and any purpose at all.
    private static func otherISOPurposes(than profile: CertificateProfile) -> Set<OID> {
        let roles: [CertificateProfile] = [.ds, .reader, .vical]
        return Set(roles.filter { $0 != profile }.flatMap(\.purposes) + [.anyPurpose])
    }
}

extension RuleLevels {
    fileprivate static let constraints = RuleLevels(iaca: .fail, link: .fail, ds: .warn, reader: .warn, status: .warn, vical: .warn)
}
