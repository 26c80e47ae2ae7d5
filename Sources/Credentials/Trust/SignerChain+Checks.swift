import Crypto
import Ports

/// How a chain shows in a report.
extension SignerChain {
    /// The checks of an issuer's chain: R10.root, R11, R12 and R13.
    ///
    /// - Parameter docType: rules of the profile fail for the mDL only; for other documents they warn.
    public func recordIssuerChecks(in list: inout CheckList, docType: String, subject: String) {
        recordRoot(in: &list, subject)
        recordPath("R11.path", in: &list, subject)
        recordSignatures("R11.signature", in: &list, subject)
        recordDates("R11.validity", in: &list, subject)
        recordCriticalExtensions("R11.critical", in: &list, subject)
        let isMDL = docType == "org.iso.18013.5.1.mDL"
        recordProfile("R12", "DS", unreadableAs: "R12.der", isBinding: isMDL, in: &list, subject)
        recordEqual("R13.country", \.country, in: &list, subject)
        recordEqual("R13.state", \.stateOrProvince, in: &list, subject)
    }

    /// The checks of a reader's chain: H8.
    ///
    /// - Parameter enforce: whether the policy makes the profile's rules binding.
    public func recordReaderChecks(in list: inout CheckList, enforce: Bool, subject: String) {
        recordPath("H8.path", withSignatures: true, in: &list, subject)
        recordDates("H8.validity", in: &list, subject)
        recordCriticalExtensions("H8.critical", in: &list, subject)
        recordProfile("H8", "reader", unreadableAs: "H8.der", isBinding: enforce, in: &list, subject)
    }

    private func recordRoot(in list: inout CheckList, _ subject: String) {
        guard !certificates.isEmpty else { return list.notRun("R10.root", subject, .needs("R11.path")) }
        report(result.findings.filter { $0.kind == .rootInChain }, as: "R10.root", in: &list, subject)
    }

    private func report(_ findings: [ChainFinding], as id: String, in list: inout CheckList, _ subject: String) {
        if findings.isEmpty { list.pass(id, subject) }
        for finding in findings { list.fail(id, subject, finding.description) }
    }

    private func recordPath(_ id: String, withSignatures: Bool = false, in list: inout CheckList, _ subject: String) {
        if let unreadable {
            list.fail(id, subject, "certificate \(unreadable.place) is unreadable: \(unreadable.error)")
            return
        }
        guard hadAnchors else { return list.notRun(id, subject, .noAnchors) }
        report(result.findings.filter { $0.isAboutPath || (withSignatures && $0.isAboutSignature) }, as: id, in: &list, subject)
    }

    private func recordSignatures(_ id: String, in list: inout CheckList, _ subject: String) {
        let findings = result.findings.filter(\.isAboutSignature)
        // The last certificate's signature is not looked at without its issuer.
        guard result.anchor == nil, findings.isEmpty else { return report(findings, as: id, in: &list, subject) }
        list.notRun(id, subject, hadAnchors ? .needs("R11.path") : .noAnchors)
    }

    private func recordDates(_ id: String, in list: inout CheckList, _ subject: String) {
        guard !certificates.isEmpty else { return list.notRun(id, subject, .needs(pathID(id))) }
        report(result.findings.filter(\.isAboutDates), as: id, in: &list, subject)
    }

    private func recordCriticalExtensions(_ id: String, in list: inout CheckList, _ subject: String) {
        guard !certificates.isEmpty else { return list.notRun(id, subject, .needs(pathID(id))) }
        report(result.findings.filter(\.isAboutCriticalExtensions), as: id, in: &list, subject)
    }

    private func pathID(_ id: String) -> String { id.hasPrefix("H8") ? "H8.path" : "R11.path" }

    private func recordProfile(
        _ family: String, _ name: String, unreadableAs derID: String, isBinding: Bool, in list: inout CheckList, _ subject: String
    ) {
        if let unreadable, unreadable.place == 0 {
            list.violate(derID, subject, as: isBinding ? .fail : .warn, "\(name) certificate is unreadable: \(unreadable.error)")
            return
        }
        if profile.findings.isEmpty { list.pass(family, subject) }
        for finding in profile.findings {
            list.violate(
                "\(family).\(finding.rule)", subject, as: isBinding && finding.severity == .fail ? .fail : .warn,
                "\(name) certificate breaks rule \(finding.id): \(finding.message)")
        }
    }

    private func recordEqual(
        _ id: String, _ part: (DistinguishedName) -> String?, in list: inout CheckList, _ subject: String
    ) {
        guard let signer = certificates.first?.subject, let anchor = result.anchor?.subject else {
            return list.notRun(id, subject, hadAnchors ? .needs("R11.path") : .noAnchors)
        }
        guard let wanted = part(anchor) else { return list.notRun(id, subject, .notPresent) }
        let own = part(signer)
        if own == wanted { list.pass(id, subject) } else { list.fail(id, subject, values: [own ?? "(none)", wanted]) }
    }
}

extension ChainFinding {
    fileprivate var isAboutPath: Bool {
        switch kind {
        case .noPath, .nameNotChained, .notAuthority, .mayNotSignCertificates, .pathTooLong: true
        case .rootInChain, .signature, .signatureAlgorithm, .notValid, .unknownCritical: false
        }
    }

    fileprivate var isAboutSignature: Bool {
        switch kind {
        case .signature, .signatureAlgorithm: true
        default: false
        }
    }

    package var isAboutDates: Bool {
        if case .notValid = kind { true } else { false }
    }

    fileprivate var isAboutCriticalExtensions: Bool {
        if case .unknownCritical = kind { true } else { false }
    }
}
