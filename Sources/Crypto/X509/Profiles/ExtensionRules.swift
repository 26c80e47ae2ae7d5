import Codec

extension ProfileRule {
    static let extensionRules: [ProfileRule] = [
        ProfileRule("forbidden-extension", nil, .everywhere.andElsewhere) { subject in
            let found = subject.certificate.extensions.first { forbidden.contains($0.oid) }
            return .require(found == nil, "extension \(found?.oid.description ?? "") is not allowed")
        },
        ProfileRule("unknown-critical", "4.2", .everywhere.andElsewhere) { subject in
            let found = subject.certificate.extensions.first { item in
                item.isCritical && !ChainPolicy.mdoc.handledCriticalExtensions.contains(item.oid) && !forbidden.contains(item.oid)
                    && !hasOwnRule.contains(item.oid)
            }
            return .require(found == nil, "critical extension \(found?.oid.description ?? "") is none of the profile's")
        },
    ]

    /// Annex B: extensions that shall not be present.
    private static let forbidden: Set<OID> = [
        .policyMappings, .nameConstraints, .policyConstraints, .inhibitAnyPolicy, .freshestCRL,
    ]

    /// Extensions whose being critical is the matter of another rule.
    private static let hasOwnRule: Set<OID> = [.subjectKeyIdentifier]
}
