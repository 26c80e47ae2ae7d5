/// What a report comes to.
public enum Verdict: String, Sendable, Hashable {
    case pass
    case fail
    /// Nothing failed, but something that the verdict needs could not be checked.
    case undetermined
}

/// How checks become a verdict: which of them it needs, and which of those the person waived.
///
/// `fail` if any check failed; else `undetermined` if a needed check was not run for a reason that leaves the matter open; else
/// `pass`. Warnings change nothing.
public struct VerdictRule: Sendable, Hashable {
    /// `--trust none`: a verdict about the cryptography alone, the path to an anchor is not needed.
    public var trustWaived: Bool
    /// Whether the holder must have proved possession of the device key.
    public var holderBindingRequired: Bool
    /// Status policy `enforce`: an undetermined status leaves the verdict undetermined.
    public var statusEnforced: Bool
    /// Reader policy `enforce`: the path of the reader's certificate is needed.
    public var readerTrustEnforced: Bool
    /// Registration policy `enforce`: a registration whose status is undetermined leaves the verdict undetermined.
    public var registrationEnforced = false

    public init(
        trustWaived: Bool = false, holderBindingRequired: Bool = true, statusEnforced: Bool = false,
        readerTrustEnforced: Bool = false
    ) {
        self.trustWaived = trustWaived
        self.holderBindingRequired = holderBindingRequired
        self.statusEnforced = statusEnforced
        self.readerTrustEnforced = readerTrustEnforced
    }

    public func verdict(of checks: some Sequence<Check>) -> Verdict {
        var isOpen = false
        for check in checks {
            switch check.outcome {
            case .fail: return .fail
            case .notRun(let why): isOpen = isOpen || (why.leavesVerdictOpen && needs(check.id))
            case .pass, .warn: continue
            }
        }
        return isOpen ? .undetermined : .pass
    }

    private func needs(_ id: String) -> Bool {
        switch id {
        case "R14", "S5", "VW17": true
        case "R11.path", "S4.path", "VW13.path", "VW14.trust": !trustWaived
        case "R28.status", "S15.status": statusEnforced
        case "S16.signature": holderBindingRequired
        case "H8.path": readerTrustEnforced
        case "T55": registrationEnforced
        default: holderBindingRequired && id.hasPrefix("R24.")
        }
    }
}
