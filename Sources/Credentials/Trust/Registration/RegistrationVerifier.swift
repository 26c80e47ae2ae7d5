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

    /// What `RegistrationSubject.id` names.
    var subjectName: String { self == .issuance ? "configuration" : "query" }

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

/// An entry of `verifier_info` or `issuer_info` that is a registration certificate.
///
///     { "format": "registration_cert", "data": "<JWT>", "credential_ids"?: ["<query id>", …] }
public struct RegistrationAttestation: Sendable {
    public static let format = "registration_cert"

    /// The text of `data`; whatever else stands there as JSON, which is no certificate then.
    let bytes: [UInt8]
    /// The queries that it is about; nil: all.
    let subjects: Set<String>?

    /// - Returns: nil for an entry of another format.
    public init?(_ entry: JSON) {
        guard entry["format"]?.stringValue == Self.format else { return nil }
        bytes = Array((entry["data"]?.stringValue ?? entry["data"]?.encoded() ?? "").utf8)
        let named = entry["credential_ids"]?.arrayValue?.compactMap(\.stringValue)
        // An older spelling of "all".
        subjects = named.flatMap { $0.isEmpty || $0.contains("global") || $0.contains("") ? nil : Set($0) }
    }

    /// The entry for a certificate in the form of a JWT.
    ///
    /// - Parameter ids: the queries that it is about; empty: all.
    public static func entry(_ certificate: [UInt8], for ids: [String] = []) -> JSON {
        var entry: JSONObject = [
            "format": .string(format), "data": .string(String(decoding: certificate, as: UTF8.self).trimmingASCIISpace),
        ]
        if !ids.isEmpty { entry.append("credential_ids", .array(ids.map(JSON.string))) }
        return .object(entry)
    }

    /// What wallets will show of the certificates among the entries of `verifier_info` or `issuer_info`.
    public static func summaries(of entries: [JSON]) -> [String] {
        entries.compactMap(RegistrationAttestation.init).compactMap { try? RegistrationCertificate($0.bytes).summary }
    }

    func covers(_ subject: RegistrationSubject) -> Bool { subjects?.contains(subject.id) ?? true }
}

extension RegistrationSubject {
    /// What a credential query asks.
    public init(_ query: DCQLQuery.Credential) {
        self.init(
            id: query.id, format: query.format, types: Set(query.types ?? []),
            paths: (query.claims ?? []).map { $0.path.json.arrayValue ?? [] })
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
        verify(certificates, access, subjects, time, ordinal: 1)
    }

    /// - Parameter ordinal: tells the rows of several certificates of one request apart.
    private func verify(
        _ certificates: [[UInt8]?], _ access: AccessCertificate, _ subjects: [RegistrationSubject], _ time: Timestamp, ordinal: Int
    ) -> RegistrationReport {
        var report = RegistrationReport(
            leg: leg, policy: policy, checks: CheckList(edition: signers.edition), ordinal: ordinal)
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
        report.certificates = [certificate]
        report.pass("T58")
        report.pass("T59")
        check(certificate, &report, time)
        checkBinding(certificate, access, &report)
        checkScope(certificate, subjects, &report)
        return report
    }

    /// Judges the attestations of a `verifier_info` or `issuer_info` (OpenID4VP 1.0 §5.1): those of the format `registration_cert`.
    ///
    /// - Returns: a report for each of them, or one that says that there is none.
    public func verify(
        _ attestations: [RegistrationAttestation], access: AccessCertificate, asking subjects: [RegistrationSubject],
        at time: Timestamp
    ) -> [RegistrationReport] {
        guard !attestations.isEmpty, policy != .off else { return [verify([], access: access, asking: subjects, at: time)] }
        var reports = attestations.enumerated().map { place, attestation in
            verify([attestation.bytes], access, subjects.filter(attestation.covers), time, ordinal: place + 1)
        }
        for subject in subjects where !attestations.contains(where: { $0.covers(subject) }) {
            reports[0].violate(
                leg == .issuance ? "T67" : "T63", "\(leg.subjectName) \(subject.id) is covered by no registration certificate",
                key: subject.id, isAdvice: true)
        }
        return reports
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
                subject: report.subject, type: RegistrationReport.subject, claim: certificate.status,
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
