/// Every check that a verdict can list, by id.
///
/// Ids are stable: scripts and acceptance checks rely on them. Gaps in the numbering are reserved.
public enum CheckCatalogue {
    /// Whether this build makes the checks of a step.
    public static func isReached(_ step: CheckDefinition.Step) -> Bool {
        switch step {
        case .core, .ble, .vp, .vci, .trust: true
        }
    }

    /// All rows in the order of the catalogue: reader on a response, holder on a request, session and transport, SD-JWT VC, queries,
    /// OpenID4VP, issuance, trust.
    public static let rows: [CheckDefinition] = Array(
        [response, request, session, sdJWT, query, openID4VP, issuance, trust].joined())

    /// The row of `id`: its own, or its family's (`R12.key-usage` is of `R12.*`; so is `R12`, when no rule is broken).
    public static func row(_ id: String) -> CheckDefinition? {
        index(of: id).map { rows[$0] }
    }

    /// The place of `id`'s row in `rows`.
    ///
    /// - Parameter guess: where it probably is, or soon after: checks mostly come in order.
    static func index(of id: String, guess: Int? = nil) -> Int? {
        if let guess {
            for near in guess..<min(guess + 4, ids.count) where ids[near] == id { return near }
        }
        if let index = places[id] { return index }
        guard let dot = id.firstIndex(of: ".") else { return places[id + ".*"] }
        return places[id[..<dot] + ".*"]
    }

    private static let ids = rows.map(\.id)

    private static let places = [String: Int](
        rows.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
}
