/// What trust in the issuers of documents is held to: one policy, and others for some types.
public struct TrustPolicies: Sendable, Hashable {
    public var general: TrustPolicy
    /// By docType or vct, where it differs.
    public var byType: [String: TrustPolicy]

    public init(_ general: TrustPolicy = .enforce, byType: [String: TrustPolicy] = [:]) {
        self.general = general
        self.byType = byType
    }

    public func policy(for type: String) -> TrustPolicy { byType[type] ?? general }
}

extension PresentationReport {
    private static let trustChecks = ["R11.path", "R11.signature", "R11.validity", "R11.critical", "S4.path", "S4.validity"]

    /// The report with the rows of trust as the policy of each document's type weighs them. R12 and R13 go along.
    public func applying(_ policies: TrustPolicies) -> PresentationReport {
        var report = self
        for place in report.documents.indices {
            let document = report.documents[place]
            let policy = policies.policy(for: document.type)
            report.documents[place].trust?.policy = policy.rawValue
            guard policy != .enforce, let subject = document.statusQuery?.subject else { continue }
            report.reweigh(subject, policy)
        }
        return report
    }

    private mutating func reweigh(_ subject: String, _ policy: TrustPolicy) {
        checks = checks.map { check in
            let isOfTrust = Self.trustChecks.contains(check.id) || check.id.hasPrefix("R12") || check.id.hasPrefix("R13")
            guard check.subject == subject, isOfTrust else { return check }
            if policy == .off { return check.with(.notRun(.policyOff), reason: NotRunReason.policyOff.description) }
            switch check.outcome {
            case .fail: return check.with(.warn)
            case .notRun(.noAnchors): return check.with(.warn, reason: "undetermined: no anchors")
            case .notRun(.undetermined(let why)): return check.with(.warn, reason: "undetermined: \(why)")
            case .pass, .warn, .notRun: return check
            }
        }
    }
}
