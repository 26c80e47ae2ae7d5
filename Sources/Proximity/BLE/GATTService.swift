/// Which end is the GATT server (ISO/IEC 18013-5:2021 §8.3.3.1.1.1).
public enum GATTMode: String, Sendable, Hashable, CaseIterable {
    /// The mdoc advertises and is the GATT server; the reader connects.
    case peripheral
    /// The reader advertises and is the GATT server; the mdoc connects and checks Ident.
    case central

    /// The role that is GATT server in this mode.
    public var server: MdocRole { self == .peripheral ? .mdoc : .reader }
}

/// A characteristic of the mdoc service or the mdoc reader service.
public enum GATTCharacteristic: String, Sendable, Hashable, CaseIterable {
    /// 0x01 starts, 0x02 ends the transfer.
    case state
    /// Parts of messages from the GATT client.
    case client2Server
    /// Parts of messages from the GATT server.
    case server2Client
    /// 16 bytes by which the mdoc knows the reader; reader service only.
    case ident
    /// The PSM of an L2CAP channel, for readers and mdocs that have one.
    case l2cap

    /// The name in the tables of the standard.
    public var name: String {
        switch self {
        case .state: "State"
        case .client2Server: "Client2Server"
        case .server2Client: "Server2Client"
        case .ident: "Ident"
        case .l2cap: "L2CAP"
        }
    }

    /// The byte that tells this characteristic's UUID from its siblings', nil where the service of `mode` has none.
    public func number(in mode: GATTMode) -> UInt8? {
        switch (self, mode) {
        case (.state, .peripheral): 0x01
        case (.client2Server, .peripheral): 0x02
        case (.server2Client, .peripheral): 0x03
        case (.l2cap, .peripheral): 0x0A
        case (.ident, .peripheral): nil
        case (.state, .central): 0x05
        case (.client2Server, .central): 0x06
        case (.server2Client, .central): 0x07
        case (.ident, .central): 0x08
        case (.l2cap, .central): 0x0B
        }
    }

    /// The characteristic of `mode`'s service with that number.
    public init?(number: UInt8, in mode: GATTMode) {
        guard let found = Self.allCases.first(where: { $0.number(in: mode) == number }) else { return nil }
        self = found
    }
}

/// A GATT characteristic property as the tables 12 and 13 name them.
public enum GATTProperty: String, Sendable, Hashable {
    case read, writeWithoutResponse, notify
    /// Enough in the place of the two before it.
    case write, indicate

    /// As the standard's text has it.
    public var name: String { self == .writeWithoutResponse ? "write without response" : rawValue }
}

/// The GATT service of one mode: what a server must offer and a client must find (ISO/IEC 18013-5:2021 §8.3.3.1.1.4).
public struct GATTService: Sendable {
    /// One row of the service's table.
    public struct Entry: Sendable, Hashable {
        /// The row's characteristic.
        public let characteristic: GATTCharacteristic
        /// Its UUID in this service.
        public let uuid: BluetoothUUID
        /// What a server must offer at least; Write beside write-without-response is allowed.
        public let properties: Set<GATTProperty>
        /// False for L2CAP, which a server may leave out.
        public let isMandatory: Bool
        /// Notifying characteristics carry a Client Characteristic Configuration descriptor, 0x2902.
        public var needsConfigurationDescriptor: Bool { properties.contains(.notify) }
    }

    /// The mode that the service belongs to.
    public let mode: GATTMode
    /// The table's rows, State first.
    public let entries: [Entry]

    /// The mdoc service for peripheral mode, the mdoc reader service for central mode.
    public init(mode: GATTMode) {
        self.mode = mode
        entries = GATTCharacteristic.allCases.compactMap { characteristic in
            guard let number = characteristic.number(in: mode) else { return nil }
            return Entry(
                characteristic: characteristic, uuid: BluetoothUUID(mdocService: number),
                properties: Self.properties(of: characteristic), isMandatory: characteristic != .l2cap)
        }
    }

    private static func properties(of characteristic: GATTCharacteristic) -> Set<GATTProperty> {
        switch characteristic {
        case .state: [.notify, .writeWithoutResponse]
        case .client2Server: [.writeWithoutResponse]
        case .server2Client: [.notify]
        case .ident, .l2cap: [.read]
        }
    }
}

/// One value written to, notified by or read from a characteristic.
public struct GATTValue: Sendable, Hashable {
    /// Where the value was written, notified or read.
    public let characteristic: GATTCharacteristic
    /// At most 512 bytes from a peer that keeps the rules.
    public let bytes: [UInt8]

    /// A value of a characteristic.
    public init(_ characteristic: GATTCharacteristic, _ bytes: [UInt8]) {
        self.characteristic = characteristic
        self.bytes = bytes
    }
}
