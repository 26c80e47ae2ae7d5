public import Codec
public import Ports

/// What became of a registration certificate: T50 to T68, and whether the request may go on.
public struct RegistrationReport: Sendable {
    static let subject = "registration"

    public let leg: RegistrationLeg
    public let policy: TrustPolicy
    public internal(set) var checks: CheckList
    /// As far as it can be read.
    public internal(set) var certificate: RegistrationCertificate?
    /// By query or configuration id; "" is the request as a whole.
    public private(set) var warnings: [String: [String]] = [:]
    var statusQuery: StatusQuery?

    init(leg: RegistrationLeg, policy: TrustPolicy, checks: CheckList) {
        (self.leg, self.policy, self.checks) = (leg, policy, checks)
    }

    /// Whether the policy lets the request go on. What is undetermined is not granted under `enforce`.
    public var isGranted: Bool {
        guard policy == .enforce else { return true }
        return checks.checks.allSatisfy { $0.outcome != .fail && !$0.isUndetermined }
    }

    /// The words of the result code: `statusRevoked` for T51.
    static func code(_ check: String) -> String { CheckCatalogue.row(check)?.name ?? check }

    /// `{"name", "country", "purpose", "identifier", "registeredFor", "granted", "warnings"}`: what consent and records show.
    public var json: JSON {
        let registered = (certificate?.credentials ?? []).flatMap(\.types).sorted()
        return [
            "name": certificate.map { .string($0.name) } ?? .null, "legalName": certificate?.legalName.map(JSON.string) ?? .null,
            "identifier": certificate.map { .string($0.identifier) } ?? .null,
            "country": certificate?.country.map(JSON.string) ?? .null, "purpose": certificate?.purpose.map(JSON.string) ?? .null,
            "registeredFor": .array(registered.map(JSON.string)), "granted": .bool(isGranted),
            "warnings": .object(
                JSONObject(warnings.sorted { $0.key < $1.key }.map { (key: $0.key, value: .array($0.value.map(JSON.string))) })),
        ]
    }

    /// `Utopia Cars (UT): to rent you a car`.
    public var summary: String? {
        certificate.map { "\($0.name)\($0.country.map { " (\($0))" } ?? "")\($0.purpose.map { ": \($0)" } ?? "")" }
    }

    // MARK: rows

    mutating func pass(_ id: String, key: String = "") { checks.pass(id, Self.row(key)) }

    mutating func note(_ id: String, _ why: NotRunReason) { checks.notRun(id, Self.subject, why) }

    mutating func judge(_ id: String, _ holds: Bool, _ reason: @autoclosure () -> String) {
        if holds { pass(id) } else { violate(id, reason()) }
    }

    /// A violation: stops under `enforce`, is listed under `warning`; advice warns in both.
    mutating func violate(_ id: String, _ reason: String, key: String = "", isAdvice: Bool = false) {
        let severity: CheckDefinition.Severity = policy == .enforce && !isAdvice ? .fail : .warn
        checks.violate(id, Self.row(key), as: severity, reason)
        if leg == .proximity { checks.violate("H10.\(Self.code(id))", Self.row(key), as: severity, reason) }
        warnings[key == "global" ? "" : key, default: []].append("\(Self.code(id)): \(reason)")
    }

    private static func row(_ key: String) -> String { key.isEmpty || key == "global" ? subject : "\(subject) \(key)" }

    mutating func leaveOpen(_ why: String) {
        let reason = "status not retrievable: \(why)"
        if policy == .enforce {
            checks.notRun("T55", Self.subject, .undetermined(reason))
        } else {
            checks.violate("T55", Self.subject, as: .warn, reason)
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
        for id in ["T64", "T65"] where checks.check(id, Self.subject) == nil { pass(id) }
    }

    /// T51 to T53, T55: what the status list says.
    mutating func record(_ status: StatusAnswer) {
        checks.remove("T55", Self.subject)
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
            checks.violate("H10.\(Self.code("T55"))", Self.subject, as: .warn, "status not retrievable: \(why)")
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
}
