/// Faults of OpenID4VP that are switched on, by name.
public struct VPFaultSet: Sendable {
    public let names: [String]

    /// Everything goes right.
    public static let none = VPFaultSet([])

    public init(_ names: [String]) { self.names = names }

    public func contains(_ name: String) -> Bool { names.contains(name) }
}
