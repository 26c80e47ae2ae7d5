import Codec

extension ProfileRule {
    /// Encoding, version, serial number, signature algorithm.
    static let encodingRules: [ProfileRule] = [
        ProfileRule("der", "4.1", .everywhere.andElsewhere) { subject in
            Strictness.violation(in: subject.certificate).map { .broken("not DER: \($0)") } ?? .holds
        },
        ProfileRule("version", "4.1.2.1", .everywhere.andElsewhere) { subject in
            .require(subject.certificate.version == 3, "version \(subject.certificate.version), 3 needed")
        },
        ProfileRule("serial-positive", "4.1.2.2", .everywhere.andElsewhere) { subject in
            let serial = subject.certificate.serialNumber
            let isPositive = (serial.first ?? 0x80) < 0x80 && serial.contains { $0 != 0 }
            return .require(isPositive, "serial number is zero or negative")
        },
        ProfileRule("serial-length", "4.1.2.2", .everywhere.andElsewhere) { subject in
            let length = subject.certificate.serialNumber.count
            return .require(length <= 20, "serial number has \(length) octets, at most 20 allowed")
        },
        ProfileRule(
            "serial-entropy", "4.1.2.2", RuleLevels(iaca: .warn, link: .warn, ds: .warn, reader: .warn, status: .warn, vical: .warn)
        ) {
            subject in
            let length = subject.certificate.serialNumber.count
            return .require(length >= 8, "serial number of \(length) octets cannot hold 63 random bits")
        },
        ProfileRule("signature-match", "4.1.2.3", .everywhere.andElsewhere) { subject in
            let certificate = subject.certificate
            return .require(
                certificate.signatureAlgorithm == certificate.signedAlgorithm,
                "signed as \(certificate.signedAlgorithm.name), labelled \(certificate.signatureAlgorithm.name)")
        },
        ProfileRule("signature-algorithm", "4.1.1.2", .everywhere) { subject in
            let algorithm = subject.certificate.signatureAlgorithm
            guard algorithm.signatureAlgorithm?.isISOAlgorithm == true else {
                return .broken("\(algorithm.name), ecdsa-with-SHA256, SHA384 or SHA512 needed")
            }
            return .require(algorithm.parameters == nil, "\(algorithm.name) has no parameters")
        },
    ]
}
