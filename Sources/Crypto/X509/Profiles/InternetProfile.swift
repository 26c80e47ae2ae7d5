import Codec

extension Certificate {
    /// What RFC 5280 §4.1 and §4.2 ask of conforming authorities and this certificate does not keep. Path validation (§6) looks at
    /// none of it, and neither does `ChainVerifier`: where a profile of ISO/IEC 18013-5 asks for the same, its rules say so.
    /// Certificates before version 3 have no extensions to be asked for.
    ///
    /// - Parameter namesAuthority: whether the key of its authority is to be named: a root that is trusted for itself need not say
    ///   who else certified it.
    package func internetProfileViolations(namesAuthority: Bool = true) -> [String] {
        guard version >= 3 else { return [] }
        return identifierViolations(namesAuthority) + authorityViolations + nameViolations + criticalityViolations
    }

    private var isAuthority: Bool { basicConstraints?.isCA == true }

    /// §4.2.1.1, §4.2.1.2: only self-signed certificates may leave the authority's key out, only end entities their own.
    private func identifierViolations(_ namesAuthority: Bool) -> [String] {
        var found: [String] = []
        if authorityKeyIdentifier?.keyIdentifier == nil, namesAuthority, !isSelfIssued {
            found.append("no authority key identifier (4.2.1.1)")
        }
        if subjectKeyIdentifier == nil, isAuthority { found.append("a CA without subject key identifier (4.2.1.2)") }
        return found
    }

    /// §4.1.2.6, §4.2.1.9.
    private var authorityViolations: [String] {
        guard isAuthority else {
            return keyUsage?.contains(.keyCertSign) == true ? ["keyCertSign without being a CA (4.2.1.9)"] : []
        }
        return subject.isEmpty ? ["a CA with an empty subject (4.1.2.6)"] : []
    }

    /// §4.2.1.6, and known extensions that are not what they are defined to be.
    private var nameViolations: [String] {
        var found = known.malformed.map { "extension \($0) is malformed (4.2)" }
        if subject.isEmpty, !isAuthority, self.extension(.subjectAlternativeName)?.isCritical != true {
            found.append("an empty subject without critical subject alternative name (4.2.1.6)")
        }
        for case .dns(let name) in subjectAlternativeName ?? [] where !Self.isHostName(name) {
            found.append("the DNS name is not in the preferred name syntax (4.2.1.6)")
        }
        return found
    }

    /// Extensions that have to be critical, and those that must not.
    private var criticalityViolations: [String] {
        extensions.compactMap { item in
            switch item.oid {
            case .subjectKeyIdentifier, .authorityKeyIdentifier, .authorityInformationAccess, .freshestCRL:
                item.isCritical ? "extension \(item.oid) is critical (4.2)" : nil
            case .nameConstraints, .policyConstraints, .inhibitAnyPolicy:
                item.isCritical ? nil : "extension \(item.oid) is not critical (4.2)"
            case .basicConstraints:
                item.isCritical || !isAuthority ? nil : "basic constraints of a CA are not critical (4.2.1.9)"
            default: nil
            }
        }
    }

    /// RFC 1034 §3.5 as RFC 1123 §2.1 has it; a first label `*` stands for any.
    private static func isHostName(_ name: String) -> Bool {
        var labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels[0].elementsEqual("*".utf8) { labels.removeFirst() }
        let hyphen = UInt8(ascii: "-")
        return name.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                    && label.allSatisfy { byte in
                        switch byte {
                        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, hyphen: true
                        default: false
                        }
                    }
            }
    }
}
