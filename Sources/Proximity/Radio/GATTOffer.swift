/// The service that a server offers for one transaction, wrong where a fault says so.
public struct GATTOffer: Sendable {
    /// One characteristic of the service.
    public struct Entry: Sendable, Hashable {
        /// The row of the standard's table.
        public let characteristic: GATTCharacteristic
        /// Its UUID.
        public let uuid: BluetoothUUID
        /// What it offers.
        public var properties: Set<GATTProperty>
        /// Whether descriptor 0x2902 is there.
        public var hasConfigurationDescriptor: Bool
    }

    /// Which end is the server.
    public let mode: GATTMode
    /// The transaction's service, from the engagement.
    public let uuid: BluetoothUUID
    /// State first.
    public let entries: [Entry]
    /// Ident and L2CAP, where there are.
    public let readable: [GATTCharacteristic: [UInt8]]
    /// Whether the service is advertised.
    public let isAdvertised: Bool
    /// Whether parts on Client2Server are served; else only the channel is.
    public let acceptsParts: Bool

    /// - Parameters:
    ///   - ident: 16 bytes; nil in peripheral mode.
    ///   - psm: of the channel that is listened to, if any.
    init(mode: GATTMode, uuid: BluetoothUUID, ident: [UInt8]?, psm: Int?, acceptsParts: Bool, fitting: LinkFitting) {
        (self.mode, self.uuid, self.acceptsParts) = (mode, uuid, acceptsParts)
        let faults = fitting.faults
        var readable: [GATTCharacteristic: [UInt8]] = [:]
        if let ident { readable[.ident] = fitting.ident(ident) }
        if let psm { readable[.l2cap] = PSM.encode(faults.contains(.l2capPSM) ? Self.other(than: psm) : psm) }
        self.readable = readable
        isAdvertised = !faults.contains(.noAdvertisement)
        entries = GATTService(mode: mode).entries.compactMap { row in
            if row.properties.contains(.read), readable[row.characteristic] == nil { return nil }
            if row.characteristic == .server2Client, faults.contains(.gattCharacteristic) { return nil }
            var properties = row.properties
            // Written values one at a time are what a BlueZ client has on default settings.
            if properties.contains(.writeWithoutResponse) { properties.insert(.write) }
            if row.characteristic == .client2Server, faults.contains(.gattProperty) { properties.remove(.writeWithoutResponse) }
            return Entry(
                characteristic: row.characteristic, uuid: row.uuid, properties: properties,
                hasConfigurationDescriptor: row.needsConfigurationDescriptor && !faults.contains(.gattDescriptor))
        }
    }

    /// A dynamic PSM on which nobody listens.
    private static func other(than psm: Int) -> Int { psm == 0xFE ? 0xFD : 0xFE }
}
