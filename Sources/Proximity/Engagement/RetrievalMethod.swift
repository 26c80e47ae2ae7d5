public import Codec

/// One way to fetch data from the mdoc (ISO/IEC 18013-5:2021 §8.2.1.1).
///
///     DeviceRetrievalMethod = [ type: uint, version: uint, RetrievalOptions ]
public enum RetrievalMethod: Sendable, Hashable, CBORCodable {
    /// Type 1, version 1.
    case nfc(NFCOptions)
    /// Type 2, version 1.
    case ble(BLEOptions)
    /// Type 3, version 1.
    case wifiAware(WiFiAwareOptions)
    /// Type `StreamOptions.type`, version 1: this product's own, for two programs without a radio.
    case stream(StreamOptions)
    /// A type or version that is not known here, as received.
    case other(type: UInt64, version: UInt64, encoded: [UInt8])

    public init(_ cbor: CBOR) throws(CBORError) {
        let items = try Array(cbor.array())
        guard items.count >= 2 else {
            throw cbor.error(.expected("array of type, version and options", found: "array of \(items.count)"))
        }
        let (type, version) = (try items[0].uint(), try items[1].uint())
        guard version == 1, items.count >= 3, [1, 2, 3, StreamOptions.type].contains(type) else {
            self = .other(type: type, version: version, encoded: cbor.encoded)
            return
        }
        self =
            switch type {
            case 1: .nfc(try NFCOptions(items[2]))
            case 2: .ble(try BLEOptions(items[2]))
            case 3: .wifiAware(try WiFiAwareOptions(items[2]))
            default: .stream(try StreamOptions(items[2]))
            }
    }

    public func encode(to encoder: inout CBOREncoder) {
        if case .other(_, _, let encoded) = self { return encoder.raw(encoded) }
        encoder.array(3)
        encoder.int(type)
        encoder.int(version)
        switch self {
        case .nfc(let options): encoder.encode(options)
        case .ble(let options): encoder.encode(options)
        case .wifiAware(let options): encoder.encode(options)
        case .stream(let options): encoder.encode(options)
        case .other: break
        }
    }

    /// The first element of the method.
    public var type: UInt64 {
        switch self {
        case .nfc: 1
        case .ble: 2
        case .wifiAware: 3
        case .stream: StreamOptions.type
        case .other(let type, _, _): type
        }
    }

    /// The second element of the method.
    public var version: UInt64 {
        if case .other(_, let version, _) = self { version } else { 1 }
    }
}

/// NfcOptions: the greatest command and response data fields in bytes.
///
///     { 0: uint, 1: uint }
public struct NFCOptions: Sendable, Hashable, CBORCodable {
    /// Key 0: the longest command data field, in bytes.
    public var commandDataLimit: UInt64
    /// Key 1: the longest response data field, in bytes.
    public var responseDataLimit: UInt64

    /// Both limits in bytes.
    public init(commandDataLimit: UInt64, responseDataLimit: UInt64) {
        (self.commandDataLimit, self.responseDataLimit) = (commandDataLimit, responseDataLimit)
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        (commandDataLimit, responseDataLimit) = (try cbor[0].uint(), try cbor[1].uint())
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(2)
        encoder.int(0)
        encoder.int(commandDataLimit)
        encoder.int(1)
        encoder.int(responseDataLimit)
    }
}

/// BleOptions. UUIDs are kept at whatever length they came; `EngagementReview` judges them.
///
///     { 0: bool, 1: bool, ? 10: bstr, ? 11: bstr, ? 20: bstr, ? 21: uint }
public struct BLEOptions: Sendable, Hashable, CBORCodable {
    /// Key 0: mdoc peripheral server mode.
    public var supportsPeripheralServer: Bool
    /// Key 1: mdoc central client mode.
    public var supportsCentralClient: Bool
    /// Key 10, 16 bytes big-endian: the service the mdoc advertises.
    public var peripheralServerUUID: [UInt8]?
    /// Key 11, 16 bytes big-endian: the service the reader shall advertise.
    public var centralClientUUID: [UInt8]?
    /// Key 20: the mdoc's device address.
    public var deviceAddress: [UInt8]?
    /// Key 21, 2nd edition: the PSM of the mdoc's L2CAP channel.
    public var psm: UInt64?

    /// Options that support the modes whose UUIDs are given.
    public init(
        peripheralServerUUID: BluetoothUUID? = nil, centralClientUUID: BluetoothUUID? = nil, deviceAddress: [UInt8]? = nil,
        psm: UInt64? = nil
    ) {
        supportsPeripheralServer = peripheralServerUUID != nil
        supportsCentralClient = centralClientUUID != nil
        self.peripheralServerUUID = peripheralServerUUID?.bytes
        self.centralClientUUID = centralClientUUID?.bytes
        self.deviceAddress = deviceAddress
        self.psm = psm
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        supportsPeripheralServer = try cbor[0].bool()
        supportsCentralClient = try cbor[1].bool()
        peripheralServerUUID = try cbor.optional(10)?.bytes()
        centralClientUUID = try cbor.optional(11)?.bytes()
        deviceAddress = try cbor.optional(20)?.bytes()
        psm = try cbor.optional(21)?.uint()
    }

    public func encode(to encoder: inout CBOREncoder) {
        let byteMembers = [(10, peripheralServerUUID), (11, centralClientUUID), (20, deviceAddress)].filter { $0.1 != nil }
        encoder.map(2 + byteMembers.count + (psm == nil ? 0 : 1))
        encoder.int(0)
        encoder.bool(supportsPeripheralServer)
        encoder.int(1)
        encoder.bool(supportsCentralClient)
        for case (let key, let value?) in byteMembers {
            encoder.int(key)
            encoder.bytes(value)
        }
        if let psm {
            encoder.int(21)
            encoder.int(psm)
        }
    }
}

/// WifiOptions.
///
///     { ? 0: tstr, ? 1: uint, ? 2: uint, ? 3: bstr }
public struct WiFiAwareOptions: Sendable, Hashable, CBORCodable {
    /// Key 0.
    public var passphrase: String?
    /// Key 1.
    public var operatingClass: UInt64?
    /// Key 2.
    public var channel: UInt64?
    /// Key 3: a bit mask of bands.
    public var bands: [UInt8]?

    /// Any of the members may be absent.
    public init(passphrase: String? = nil, operatingClass: UInt64? = nil, channel: UInt64? = nil, bands: [UInt8]? = nil) {
        (self.passphrase, self.operatingClass, self.channel, self.bands) = (passphrase, operatingClass, channel, bands)
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        passphrase = try cbor.optional(0)?.text()
        operatingClass = try cbor.optional(1)?.uint()
        channel = try cbor.optional(2)?.uint()
        bands = try cbor.optional(3)?.bytes()
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map([passphrase == nil, operatingClass == nil, channel == nil, bands == nil].count { !$0 })
        if let passphrase {
            encoder.int(0)
            encoder.text(passphrase)
        }
        for case (let key, let value?) in [(1, operatingClass), (2, channel)] {
            encoder.int(key)
            encoder.int(value)
        }
        if let bands {
            encoder.int(3)
            encoder.bytes(bands)
        }
    }
}

/// A TCP or Unix socket that carries GATT values (`StreamFraming`), for two programs on machines without a radio. The type number is
/// private: far above those that the standard gives out, and readers that do not know it skip the method (P6.known).
///
///     { 0: bool peripheral server, 1: bool central client, 2: tstr "tcp:HOST:PORT" / "unix:PATH" }
public struct StreamOptions: Sendable, Hashable, CBORCodable {
    /// `wb` in ASCII behind 0x01: 0x017762.
    public static let type: UInt64 = 0x01_7762

    /// Key 2: where the mdoc waits.
    public var address: LinkAddress
    /// Keys 0 and 1: which end plays the GATT server, whoever listens.
    public var mode: GATTMode

    /// A stream that carries one mode.
    public init(address: LinkAddress, mode: GATTMode) {
        (self.address, self.mode) = (address, mode)
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        let (peripheral, central) = (try cbor[0].bool(), try cbor[1].bool())
        guard peripheral != central else {
            throw try cbor[1].error(.invalid("a stream has exactly one mode, found \(peripheral ? "both" : "none")"))
        }
        mode = peripheral ? .peripheral : .central
        let text = try cbor[2].text()
        guard let address = try? LinkAddress(text) else {
            throw try cbor[2].error(.invalid("a stream address is tcp:HOST:PORT or unix:PATH"))
        }
        self.address = address
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(3)
        encoder.int(0)
        encoder.bool(mode == .peripheral)
        encoder.int(1)
        encoder.bool(mode == .central)
        encoder.int(2)
        encoder.text(address.description)
    }
}
