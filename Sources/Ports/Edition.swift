/// The edition of ISO/IEC 18013-5 whose rules apply (`--edition`).
public enum Edition: Int, Sendable, Hashable, CaseIterable {
    /// ISO/IEC 18013-5:2021. Members that the second edition adds are ignored, never an error.
    case first = 1
    /// The public working draft of the second edition.
    case second = 2
}
