/// The two ends of a device retrieval: who shows the document and who asks for it.
public enum MdocRole: String, Sendable, Hashable, CaseIterable {
    /// The holder's device.
    case mdoc
    /// The verifier's device.
    case reader

    /// The other end.
    public var peer: MdocRole { self == .mdoc ? .reader : .mdoc }
}
