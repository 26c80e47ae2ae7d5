public import Codec
public import Crypto
public import Ports

/// Where a registration certificate came along.
public enum RegistrationLeg: Sendable, Hashable {
    /// `euWrprc` in a DeviceRequest.
    case proximity
    /// `verifier_info` of OpenID4VP.
    case presentation
    /// `issuer_info` of OpenID4VCI.
    case issuance

    /// What the certificate must entitle to: any of these.
    var entitlements: [String] {
        let names =
            self == .issuance ? ["PID_Provider", "QEAA_Provider", "Non_Q_EAA_Provider", "PUB_EAA_Provider"] : ["Service_Provider"]
        return names.map { "https://uri.etsi.org/19475/Entitlement/\($0)" }
    }
}

/// What the certificate has to be bound to: the certificate that authenticated the request, and only once its signature verified.
public enum AccessCertificate: Sendable {
    case absent
    case unreadable(String)
    case certificate(Certificate)
}

/// One query of a request, or one configuration of an issuer, as far as registration covers it.
public struct RegistrationSubject: Sendable, Hashable {
    /// Query or configuration id; warnings are keyed by it.
    public let id: String
    public let format: String
    /// docType or vcts.
    public let types: Set<String>
    /// What is asked.
    public let paths: [[JSON]]

    public init(id: String, format: String, types: Set<String>, paths: [[JSON]] = []) {
        (self.id, self.format, self.types, self.paths) = (id, format, types, paths)
    }
}

/// Judges registration certificates: T50 to T68. The certificate's own status is looked up by `StatusChecker.completed(_:at:)`.
public struct RegistrationVerifier: Sendable {
    /// Knows the registrars.
    public let signers: SignerVerifier
    public let leg: RegistrationLeg
    public var policy: TrustPolicy
    /// Whether a request without one is a violation.
    public var isRequired: Bool

    /// - Parameter policy: nil: warning for whoever asks, enforce for whoever issues.
    public init(signers: SignerVerifier, leg: RegistrationLeg, policy: TrustPolicy? = nil, isRequired: Bool = false) {
        self.signers = signers
        self.leg = leg
        self.policy = policy ?? (leg == .issuance ? .enforce : .warning)
        self.isRequired = isRequired
    }

    /// - Parameters:
    ///   - certificates: one for each place where it may stand (proximity: each docRequest, nil where it has none); all must be equal.
    ///   - subjects: what is asked or issued.
    public func verify(
        _ certificates: [[UInt8]?], access: AccessCertificate, asking subjects: [RegistrationSubject], at time: Timestamp
    ) -> RegistrationReport {
        var report = RegistrationReport(leg: leg, policy: policy, checks: CheckList(edition: signers.edition))
        guard policy != .off else {
            report.note("T68", .policyOff)
            return report
        }
        guard let bytes = certificates.compactMap({ $0 }).first else {
            if isRequired { report.violate("T68", "no registration certificate") } else { report.note("T68", .notPresent) }
            return report
        }
        report.pass("T68")
        if leg == .proximity { report.compare(certificates, with: bytes) }
        let certificate: RegistrationCertificate
        do throws(RegistrationCertificate.Unreadable) { certificate = try RegistrationCertificate(bytes) } catch {
            report.violate(error.check, error.check == "T59" ? "not a JWT or CWT: \(error.reason)" : error.reason)
            return report
        }
        report.certificate = certificate
        report.pass("T58")
        report.pass("T59")
        check(certificate, &report, time)
        checkBinding(certificate, access, &report)
        checkScope(certificate, subjects, &report)
        return report
    }

    private func check(_ certificate: RegistrationCertificate, _ report: inout RegistrationReport, _ time: Timestamp) {
        let wanted = "rc-wrp+\(certificate.form.rawValue)"
        let isRight = certificate.type == wanted || certificate.type == "application/\(wanted)"
        report.judge("T57", isRight, "typ \(certificate.type ?? "missing") is not the registration certificate type (`\(wanted)`)")
        let chain = signers.signer(x5chain: certificate.x5chain, as: .status, role: .registrars, at: time)
        let findings = chain.result.findings.filter { $0.kind != .rootInChain }.map(\.description)
        let faults = [certificate.signatureFault].compactMap { $0 } + (chain.isTrusted ? [] : ["signer not trusted"] + findings)
        report.judge("T56", faults.isEmpty, faults.joined(separator: "; "))
        if let expiry = certificate.expiresAt {
            report.judge(
                "T50", expiry > time.adding(seconds: -signers.skew), "registration certificate expired at \(expiry.rfc3339)")
        } else {
            report.pass("T50")
        }
        report.judge("T54", certificate.status != .absent, "no status in the registration certificate")
        let isGenuine = faults.isEmpty
        if certificate.status != .absent {
            report.statusQuery = StatusQuery(
                subject: RegistrationReport.subject, type: RegistrationReport.subject, claim: certificate.status,
                form: certificate.form,
                signer: chain, isGenuine: isGenuine, cause: "T56", mayBeOwn: true)
            report.leaveOpen("nobody asked for it")
        }
    }

    /// T60 to T62: the identifier stands in the access certificate as organizationIdentifier, or as serialNumber of a person.
    private func checkBinding(
        _ certificate: RegistrationCertificate, _ access: AccessCertificate, _ report: inout RegistrationReport
    ) {
        switch access {
        case .absent:
            report.violate("T61", "no access certificate to bind to", isAdvice: true)
        case .unreadable(let why):
            report.violate("T60", "access certificate unreadable: \(why)")
        case .certificate(let access):
            report.pass("T60")
            report.pass("T61")
            let names = [access.subject.attribute("2.5.4.97")?.text, access.subject.attribute(.nameSerialNumber)?.text].compactMap {
                $0
            }
            report.judge(
                "T62", names.contains(certificate.identifier),
                "subject of registration \(certificate.identifier) is not that of access certificate \(names.first ?? access.subject.description)"
            )
        }
    }

    /// T63, T66, T67.
    private func checkScope(
        _ certificate: RegistrationCertificate, _ subjects: [RegistrationSubject], _ report: inout RegistrationReport
    ) {
        let wanted = leg.entitlements
        if certificate.entitlements.contains(where: wanted.contains) {
            report.pass("T66")
        } else {
            report.violate("T66", "entitlement \(wanted[0]) missing", isAdvice: true)
        }
        for subject in subjects {
            let known = leg == .issuance ? certificate.provides : certificate.credentials
            let fitting = known.filter { $0.format == subject.format && !$0.types.isDisjoint(with: subject.types) }
            if leg == .issuance {
                if fitting.isEmpty {
                    report.violate(
                        "T67", "configuration \(subject.id) not among provides_attestations", key: subject.id, isAdvice: true)
                } else {
                    report.pass("T67", key: subject.id)
                }
                continue
            }
            let beyond = fitting.isEmpty ? subject.paths : subject.paths.filter { path in !fitting.contains { $0.covers(path) } }
            if fitting.isEmpty || !beyond.isEmpty {
                let paths = beyond.map { $0.map { $0.stringValue ?? $0.encoded() }.joined(separator: "/") }
                let what =
                    fitting.isEmpty ? "a credential that is not registered: \(subject.types.sorted().joined(separator: ", "))" : ""
                report.violate(
                    "T63",
                    "query \(subject.id) asks beyond registration: \(([what] + paths).filter { !$0.isEmpty }.joined(separator: ", "))",
                    key: subject.id, isAdvice: true)
            } else {
                report.pass("T63", key: subject.id)
            }
        }
    }
}
