import Codec
import Ports

extension ProfileRule {
    /// Where to learn of revocation.
    static let revocationRules: [ProfileRule] = [
        ProfileRule("crldp", "4.2.1.13", .only(iaca: .warn, link: .fail, ds: .fail, reader: .fail, vical: .fail)) { subject in
            let isPresent = subject.certificate.extension(.crlDistributionPoints) != nil
            // Roots of the first edition nearly always have one; the second recommends against it.
            if subject.profile == .iaca, subject.edition == .second {
                return .require(!isPresent, "CRL distribution point in a root, not recommended")
            }
            return .require(isPresent, "no CRL distribution point")
        },
        ProfileRule("crldp-fields", "4.2.1.13", .everywhere) { subject in
            guard let points = subject.certificate.crlDistributionPoints else { return .notRun("no CRL distribution point") }
            for point in points {
                if point.hasReasons { return .broken("CRL distribution point with reasons") }
                if point.hasCRLIssuer { return .broken("CRL distribution point with cRLIssuer") }
                guard point.names.contains(where: \.isURI) else { return .broken("CRL distribution point without URI") }
            }
            return .require(!points.isEmpty, "no distribution point in the list")
        },
        ProfileRule("ocsp", "4.2.2.1", .only(reader: .fail, vical: .fail)) { subject in
            let responders = (subject.certificate.authorityInformationAccess ?? []).filter { $0.method == .ocspAccess }
            guard !responders.isEmpty else { return .notRun("no OCSP responder") }
            return .require(responders.allSatisfy(\.location.isURI), "OCSP responder is not a URI")
        },
    ]
}

extension GeneralName {
    var isURI: Bool {
        if case .uri = self { true } else { false }
    }
}
