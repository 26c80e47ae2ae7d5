package import Codec

/// How often a copy may be presented (ETSI TS 119 472-3, ARF Annex II), as an issuer's metadata say.
///
///     { "id": "arf_annex_ii", "options": [ { "details": tstr, ? "batch_size": uint, ? "reissue_trigger_unused": uint,
///       ? "reissue_trigger_lifetime_left": uint } ] }
package struct ReusePolicy: Sendable, Hashable {
    /// Methods A to D.
    package enum Method: String, Sendable, CaseIterable {
        case onceOnly = "once_only"
        case limitedTime = "limited_time"
        case rotatingBatch = "rotating-batch"
        case perRelyingParty = "per-relying-party"
    }

    package var method: Method
    /// Copies to ask for; beats `batch_credential_issuance`.
    package var batchSize: Int?
    /// New copies are due when so many unused ones are left.
    package var triggerUnused: Int?
    /// New copies are due when so many seconds of validity are left.
    package var triggerLifetimeLeft: Int64?

    package init(method: Method, batchSize: Int? = nil, triggerUnused: Int? = nil, triggerLifetimeLeft: Int64? = nil) {
        self.method = method
        self.batchSize = batchSize
        self.triggerUnused = triggerUnused
        self.triggerLifetimeLeft = triggerLifetimeLeft
    }

    /// The identifier of the policy family.
    package static let id = "arf_annex_ii"

    /// What a wallet does about policies.
    package enum Support: String, Sendable, CaseIterable {
        case supported, required
        case notSupported = "not-supported"
    }

    /// What came of an issuer's policy.
    package enum Choice: Sendable, Equatable {
        /// There is none, or it is ignored.
        case none
        case use(ReusePolicy)
        /// There is one with no option that can be used, or none though one is required.
        case refuse(String)
    }

    /// Chooses the first usable option of a policy, with what is wrong with the others.
    package static func choose(_ json: JSON?, support: Support) -> (choice: Choice, findings: [MessageFinding]) {
        guard support != .notSupported else { return (.none, []) }
        guard let json else {
            return (
                support == .required ? .refuse("the issuer states no credential_reuse_policy, which is required here") : .none, []
            )
        }
        var findings: [MessageFinding] = []
        func add(_ option: String, _ why: String) {
            findings.append(MessageFinding("IW16", "credential_reuse_policy \(option) unusable: \(why)"))
        }
        guard json["id"]?.stringValue == id, let options = json["options"]?.arrayValue, !options.isEmpty else {
            add("as a whole", "id is not \(id), or there are no options")
            return (.refuse("the credential_reuse_policy of the issuer is none that is known here"), findings)
        }
        var chosen: ReusePolicy?
        for (place, option) in options.enumerated() {
            do throws(MessageFinding) {
                let policy = try ReusePolicy(option, place: place)
                if policy.triggerUnused == 0 { add("option \(place)", "reissue_trigger_unused 0 renews too late") }
                chosen = chosen ?? policy
            } catch { findings.append(error) }
        }
        return (chosen.map { .use($0) } ?? .refuse("no option of the credential_reuse_policy can be used"), findings)
    }

    private init(_ option: JSON, place: Int) throws(MessageFinding) {
        func fail(_ why: String) -> MessageFinding {
            MessageFinding("IW16", "credential_reuse_policy option \(place) unusable: \(why)")
        }
        let name = option["details"]?.stringValue ?? ""
        // Hyphens and underscores are both in use.
        let plain = name.replacing("-", with: "_")
        guard let method = Method.allCases.first(where: { $0.rawValue.replacing("-", with: "_") == plain }) else {
            throw fail("details \(name.isEmpty ? "missing" : name)")
        }
        func number(_ member: String, from least: Int64) throws(MessageFinding) -> Int64? {
            guard let value = option[member] else { return nil }
            guard let number = value.intValue, number >= least else { throw fail("\(member) is no number from \(least)") }
            return number
        }
        self.method = method
        batchSize = try number("batch_size", from: 1).map { Int(clamping: $0) }
        triggerUnused = try number("reissue_trigger_unused", from: 0).map { Int(clamping: $0) }
        triggerLifetimeLeft = try number("reissue_trigger_lifetime_left", from: 0)
        if let batchSize, let triggerUnused, triggerUnused >= batchSize {
            throw fail("reissue_trigger_unused is not below batch_size")
        }
        if method == .limitedTime, triggerLifetimeLeft == nil { throw fail("limited_time without reissue_trigger_lifetime_left") }
    }

    /// As in metadata.
    package var json: JSON {
        var option: JSONObject = ["details": .string(method.rawValue)]
        if let batchSize { option["batch_size"] = .integer(Int64(batchSize)) }
        if let triggerUnused { option["reissue_trigger_unused"] = .integer(Int64(triggerUnused)) }
        if let triggerLifetimeLeft { option["reissue_trigger_lifetime_left"] = .integer(triggerLifetimeLeft) }
        return ["id": .string(Self.id), "options": [.object(option)]]
    }
}
