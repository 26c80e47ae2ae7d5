public import Codec
public import Ports

/// What became of a registration certificate: T50 to T68, and whether the request may go on.
public struct RegistrationReport: Sendable {
    static let subject = "registration"

    public let leg: RegistrationLeg
    public let policy: TrustPolicy
    public internal(set) var checks: CheckList
    /// As far as they can be read; more than one only where an OpenID4VP request has one for each of several queries.
    public internal(set) var certificates: [RegistrationCertificate] = []
    /// By query or configuration id; "" is the request as a whole.
    public private(set) var warnings: [String: [String]] = [:]
    var statusQuery: StatusQuery?
    /// Of the rows: `registration`, or `registration 2` for the second certificate.
    let subject: String

    init(leg: RegistrationLeg, policy: TrustPolicy, checks: CheckList, ordinal: Int = 1) {
        (self.leg, self.policy, self.checks) = (leg, policy, checks)
        subject = ordinal == 1 ? Self.subject : "\(Self.subject) \(ordinal)"
    }

    /// The first of them.
    public var certificate: RegistrationCertificate? { certificates.first }

    /// The rows and certificates of another report about the same request, both with their status.
    func merging(_ other: RegistrationReport) -> RegistrationReport {
        var merged = self
        merged.checks.append(contentsOf: other.checks)
        merged.certificates += other.certificates
        merged.warnings.merge(other.warnings) { $0 + $1 }
        return merged
    }

    /// Whether the policy lets the request go on. What is undetermined is not granted under `enforce`.
    public var isGranted: Bool {
        guard policy == .enforce else { return true }
        return checks.checks.allSatisfy { $0.outcome != .fail && !$0.isUndetermined }
    }

    /// What the policy stops at: the row, and its reason; nil when it lets the request go on.
    public var refusal: (check: String, reason: String)? {
        guard !isGranted else { return nil }
        let decisive =
            checks.checks.first { $0.outcome == .fail && $0.id.hasPrefix("T") } ?? checks.checks.first { $0.isUndetermined }
        return decisive.map { ($0.id, "\(Self.code($0.id)): \($0.reason ?? $0.name)") }
    }

    /// The words of the result code: `statusRevoked` for T51.
    static func code(_ check: String) -> String { CheckCatalogue.row(check)?.name ?? check }

    /// `{"name", "country", "purpose", "identifier", "registeredFor", "granted", "warnings"}`: what consent and records show.
    public var json: JSON {
        let registered = Set(certificates.flatMap { leg == .issuance ? $0.provides : $0.credentials }.flatMap(\.types)).sorted()
        let purposes = certificates.compactMap(\.purpose)
        return [
            "name": certificate.map { .string($0.name) } ?? .null, "legalName": certificate?.legalName.map(JSON.string) ?? .null,
            "identifier": certificate.map { .string($0.identifier) } ?? .null,
            "country": certificate?.country.map(JSON.string) ?? .null,
            "purpose": purposes.isEmpty ? .null : .string(purposes.joined(separator: "; ")),
            "registeredFor": .array(registered.map(JSON.string)), "granted": .bool(isGranted),
            "warnings": .object(
                JSONObject(warnings.sorted { $0.key < $1.key }.map { (key: $0.key, value: .array($0.value.map(JSON.string))) })),
        ]
    }

    /// The same, or null where no certificate could be read.
    public var shown: JSON { certificates.isEmpty ? .null : json }

    /// `Utopia Cars (UT): to rent you a car`.
    public var summary: String? { certificate?.summary }

    // MARK: rows

    mutating func pass(_ id: String, key: String = "") { checks.pass(id, row(key)) }

    mutating func note(_ id: String, _ why: NotRunReason) { checks.notRun(id, subject, why) }

    mutating func judge(_ id: String, _ holds: Bool, _ reason: @autoclosure () -> String) {
        if holds { pass(id) } else { violate(id, reason()) }
    }

    /// A violation: stops under `enforce`, is listed under `warning`; advice warns in both.
    mutating func violate(_ id: String, _ reason: String, key: String = "", isAdvice: Bool = false) {
        let severity: CheckDefinition.Severity = policy == .enforce && !isAdvice ? .fail : .warn
        checks.violate(id, row(key), as: severity, reason)
        if leg == .proximity { checks.violate("H10.\(Self.code(id))", row(key), as: severity, reason) }
        warnings[key == "global" ? "" : key, default: []].append("\(Self.code(id)): \(reason)")
    }

    private func row(_ key: String) -> String { key.isEmpty || key == "global" ? subject : "\(subject) \(key)" }

    mutating func leaveOpen(_ why: String) {
        let reason = "status not retrievable: \(why)"
        if policy == .enforce {
            checks.notRun("T55", subject, .undetermined(reason))
        } else {
            checks.violate("T55", subject, as: .warn, reason)
        }
    }

    /// T64, T65: the same bytes in every docRequest.
    mutating func compare(_ certificates: [[UInt8]?], with first: [UInt8]) {
        for (place, other) in certificates.enumerated() {
            if other == nil {
                violate("T64", "missing in requestInfo of docRequest \(place)", isAdvice: true)
            } else if other != first {
                violate("T65", "differs in docRequest \(place)")
            }
        }
        for id in ["T64", "T65"] where checks.check(id, subject) == nil { pass(id) }
    }

    /// T51 to T53, T55: what the status list says.
    mutating func record(_ status: StatusAnswer) {
        checks.remove("T55", subject)
        switch status {
        case .status(.valid):
            for id in ["T51", "T52", "T53", "T55"] { pass(id) }
        case .status(.invalid): violate("T51", "revoked")
        case .status(.suspended): violate("T52", "suspended")
        case .status(.application(let value)): violate("T53", "status \(TokenStatus.hex(value))")
        case .status(.reserved(let value)): recordOpen("reserved value \(TokenStatus.hex(value))")
        case .undetermined(let why): recordOpen(why)
        }
    }

    private mutating func recordOpen(_ why: String) {
        leaveOpen(why)
        guard policy != .enforce else { return }
        if leg == .proximity {
            checks.violate("H10.\(Self.code("T55"))", subject, as: .warn, "status not retrievable: \(why)")
        }
        warnings["", default: []].append("\(Self.code("T55")): status not retrievable: \(why)")
    }
}

/// What a list says of a token, without the rows that led to it.
enum StatusAnswer: Sendable, Hashable {
    case status(TokenStatus)
    case undetermined(String)
}

extension StatusChecker {
    /// The report with the status of the registration certificate (T51 to T53, T55).
    public func completed(_ report: RegistrationReport, at time: Timestamp) async -> RegistrationReport {
        guard let query = report.statusQuery else { return report }
        var report = report
        var run = StatusRun(self, query, at: time, fetchesLeft: Self.fetchesPerReport)
        report.record(await run.answer())
        return report
    }

    /// The reports about one request as one, each with the status of its certificate; nil for none.
    public func completed(_ reports: [RegistrationReport], at time: Timestamp) async -> RegistrationReport? {
        var whole: RegistrationReport?
        for report in reports {
            let report = await completed(report, at: time)
            whole = whole?.merging(report) ?? report
        }
        return whole
    }
}
