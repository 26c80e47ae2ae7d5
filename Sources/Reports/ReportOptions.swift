/// How a report is shown.
public struct ReportOptions: Sendable, Hashable {
    /// Leaves out claim values and pictures.
    public var redacting: Bool
    /// Whether outcomes are coloured (terminals).
    public var colour: Bool

    /// Names of the faults that were switched on in the run (`--fault`); every form of the report names them.
    public var faults: [String]

    public init(redacting: Bool = false, colour: Bool = false, faults: [String] = []) {
        self.redacting = redacting
        self.colour = colour
        self.faults = faults
    }

    /// A sentence about the faults; nil when there were none.
    var remark: String? { faults.isEmpty ? nil : "Faults were on in this run: \(faults.joined(separator: ", "))." }
}
