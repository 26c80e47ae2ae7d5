import Codec
import Crypto
import Ports

/// Which checks a chain's findings belong to.
enum ChainRole {
    case documentSigner, reader

    fileprivate var ids: (path: String, signature: String, validity: String, critical: String) {
        switch self {
        case .documentSigner: ("R11.path", "R11.signature", "R11.validity", "R11.critical")
        case .reader: ("H8.path", "H8.path", "H8.validity", "H8.critical")
        }
    }
}

extension CheckList {
    /// One row for each of path, signature, validity and critical extensions.
    mutating func judge(
        _ findings: [ChainFinding], as role: ChainRole, _ subject: String, severity: CheckDefinition.Severity = .fail
    ) {
        let ids = role.ids
        for id in Set([ids.path, ids.signature, ids.validity, ids.critical]).sorted() {
            let own = findings.filter { Self.id($0.kind, ids) == id }
            if own.isEmpty { pass(id, subject) }
            for finding in own { violate(id, subject, as: severity, message(finding, id)) }
        }
    }

    private func message(_ finding: ChainFinding, _ id: String) -> String {
        guard case .noPath(let authority) = finding.kind else { return "\(finding)" }
        guard id == "R11.path" else { return "no path to a trusted reader CA" }
        return "no path to a trusted IACA; authority key id \(authority.map(Hex.encode) ?? "missing")"
    }

    private static func id(
        _ kind: ChainFinding.Kind, _ ids: (path: String, signature: String, validity: String, critical: String)
    ) -> String? {
        switch kind {
        case .rootInChain: nil
        case .signature, .signatureAlgorithm: ids.signature
        case .notValid: ids.validity
        case .unknownCritical: ids.critical
        case .noPath, .nameNotChained, .notAuthority, .mayNotSignCertificates, .pathTooLong: ids.path
        }
    }
}
