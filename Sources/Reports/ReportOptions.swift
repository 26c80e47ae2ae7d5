/// How a report is shown.
public struct ReportOptions: Sendable, Hashable {
    /// Leaves out claim values and pictures.
    public var redacting: Bool
    /// Whether outcomes are coloured (terminals).
    public var colour: Bool

    public init(redacting: Bool = false, colour: Bool = false) {
        self.redacting = redacting
        self.colour = colour
    }
}
