/// The service that a client found, before it is judged.
public struct FoundService: Sendable {
    /// One characteristic of it.
    public struct Characteristic: Sendable, Hashable {
        let properties: Set<GATTProperty>
        let hasConfigurationDescriptor: Bool

        /// As found.
        public init(properties: Set<GATTProperty>, hasConfigurationDescriptor: Bool) {
            (self.properties, self.hasConfigurationDescriptor) = (properties, hasConfigurationDescriptor)
        }
    }

    let mode: GATTMode
    let characteristics: [GATTCharacteristic: Characteristic]

    /// Those of the characteristics that the service of `mode` knows.
    public init(mode: GATTMode, _ characteristics: [GATTCharacteristic: Characteristic]) {
        (self.mode, self.characteristics) = (mode, characteristics)
    }

    /// Judges the service by the standard's table (P21). Write in place of write without response, and indicate in place of notify, are
    /// enough to work with.
    /// - Returns: what is odd.
    /// - Throws: `.service` when the service cannot be used.
    func review() throws(LinkError) -> Set<GATTChannel.Oddity> {
        var oddities: Set<GATTChannel.Oddity> = []
        for entry in GATTService(mode: mode).entries {
            guard let found = characteristics[entry.characteristic] else {
                if entry.isMandatory { throw .service(check: "P21.characteristic", "\(entry.characteristic.name) missing") }
                continue
            }
            for property in entry.properties where !found.properties.contains(property) {
                let substitute: GATTProperty? =
                    switch property {
                    case .writeWithoutResponse: .write
                    case .notify: .indicate
                    default: nil
                    }
                guard let substitute, found.properties.contains(substitute) else {
                    throw .service(check: "P21.property", "\(entry.characteristic.name) lacks \(property.name)")
                }
                oddities.insert(.property(entry.characteristic, property.name))
            }
            if entry.needsConfigurationDescriptor, !found.hasConfigurationDescriptor {
                oddities.insert(.missingDescriptor(entry.characteristic))
            }
        }
        return oddities
    }
}
