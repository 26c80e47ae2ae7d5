import Codec
import OpenID
import Testing

/// The whole matrix: what an issuer states about reuse, and what the wallet is set to do about it (ETSI TS 119 472-3).
struct ReuseMatrixTests {
    private static let stated: [String: String] = [
        "nothing": "",
        "once": #"{"id": "arf_annex_ii", "options": [{"details": "once_only", "batch_size": 5, "reissue_trigger_unused": 2}]}"#,
        "hyphens": #"{"id": "arf_annex_ii", "options": [{"details": "once-only", "batch_size": 5}]}"#,
        "time": #"{"id": "arf_annex_ii", "options": [{"details": "limited_time", "reissue_trigger_lifetime_left": 3600}]}"#,
        "rotating": #"{"id": "arf_annex_ii", "options": [{"details": "rotating-batch", "batch_size": 3}]}"#,
        "party": #"{"id": "arf_annex_ii", "options": [{"details": "per_relying_party", "batch_size": 8}]}"#,
        "second": #"{"id": "arf_annex_ii", "options": [{"details": "never"}, {"details": "once_only", "batch_size": 2}]}"#,
        "unknown": #"{"id": "arf_annex_ii", "options": [{"details": "never"}]}"#,
        "foreign": #"{"id": "house_rules", "options": [{"details": "once_only"}]}"#,
        "no trigger": #"{"id": "arf_annex_ii", "options": [{"details": "limited_time"}]}"#,
        "late trigger":
            #"{"id": "arf_annex_ii", "options": [{"details": "once_only", "batch_size": 2, "reissue_trigger_unused": 2}]}"#,
        "no copies": #"{"id": "arf_annex_ii", "options": [{"details": "once_only", "batch_size": 0}]}"#,
        "no options": #"{"id": "arf_annex_ii", "options": []}"#,
    ]

    /// "none", the method with its batch size, or "refused"; with how many findings.
    @Test(arguments: [
        ("nothing", "none 0", "refused 0", "none 0"), ("once", "once_only 5 0", "once_only 5 0", "none 0"),
        ("hyphens", "once_only 5 0", "once_only 5 0", "none 0"), ("time", "limited_time - 0", "limited_time - 0", "none 0"),
        ("rotating", "rotating-batch 3 0", "rotating-batch 3 0", "none 0"),
        ("party", "per-relying-party 8 0", "per-relying-party 8 0", "none 0"),
        ("second", "once_only 2 1", "once_only 2 1", "none 0"), ("unknown", "refused 1", "refused 1", "none 0"),
        ("foreign", "refused 1", "refused 1", "none 0"), ("no trigger", "refused 1", "refused 1", "none 0"),
        ("late trigger", "refused 1", "refused 1", "none 0"), ("no copies", "refused 1", "refused 1", "none 0"),
        ("no options", "refused 1", "refused 1", "none 0"),
    ])
    func everyStatementMeetsEverySetting(
        _ statement: String, _ supported: String, _ required: String, _ notSupported: String
    ) throws {
        let text = try #require(Self.stated[statement])
        // `nil` alone would be the JSON null.
        let json = text.isEmpty ? Optional<JSON>.none : try JSON.decode(text)
        for (support, expected) in [
            (ReusePolicy.Support.supported, supported), (.required, required), (.notSupported, notSupported),
        ] {
            let (choice, findings) = ReusePolicy.choose(json, support: support)
            let word =
                switch choice {
                case .none: "none"
                case .refuse: "refused"
                case .use(let policy): "\(policy.method.rawValue) \(policy.batchSize.map(String.init) ?? "-")"
                }
            #expect("\(word) \(findings.count)" == expected, "\(support)")
        }
    }

    @Test func aTriggerOfZeroIsTakenWithAWarning() throws {
        let json = try JSON.decode(#"{"id": "arf_annex_ii", "options": [{"details": "once_only", "reissue_trigger_unused": 0}]}"#)
        let (choice, findings) = ReusePolicy.choose(json, support: .supported)
        #expect(choice == .use(ReusePolicy(method: .onceOnly, triggerUnused: 0)))
        #expect(findings.map(\.check) == ["IW16"])
    }

    /// The policy's size beats that of the metadata, and the person's wish both, as far as the issuer goes.
    @Test(arguments: [
        (nil, 10, nil, 1), (nil, 10, 4, 4), (nil, 3, 9, 3), (ReusePolicy.Method.onceOnly, 10, nil, 5), (.onceOnly, 2, nil, 5),
        (.onceOnly, 10, 2, 2), (.onceOnly, 10, 9, 5), (.perRelyingParty, 10, nil, 5), (.rotatingBatch, 10, nil, 5),
        (.limitedTime, 10, nil, 5),
    ])
    func theNumberOfCopiesFollowsThePolicy(
        _ method: ReusePolicy.Method?, _ batch: Int, _ wish: Int?, _ copies: Int
    ) async throws {
        let stage = try IssuanceStage(
            .init(
                settings: {
                    $0.reuse = method
                    $0.reuseBatch = 5
                    $0.batchSize = batch
                }, wallet: { $0.copies = wish }))
        var session = IssuanceSession(stage.wallet)
        try await session.resolve(offer: try await stage.offer(isPreAuthorized: true))
        try await session.redeemPreAuthorizedCode(transactionCode: nil)
        guard case .delivered(let credentials) = try await session.request("mdl") else {
            Issue.record("deferred")
            return
        }
        #expect(credentials.copies.count == copies)
        #expect(credentials.reuse?.method == method)
        #expect(stage.issuerFindings.isEmpty)
    }
}
