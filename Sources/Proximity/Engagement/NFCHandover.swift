import Codec
public import Credentials
public import Ports

/// A handover select or request message of NFC engagement (ISO/IEC 18013-5:2021 §8.2.2.1), taken apart.
public struct NFCHandover: Sendable, Hashable {
    /// Who speaks.
    public enum Kind: String, Sendable, Hashable {
        /// `Hs`: the mdoc chooses; carries the device engagement.
        case select = "Hs"
        /// `Hr`: the reader asks (negotiated handover).
        case request = "Hr"
    }

    /// Select or request.
    public let kind: Kind
    /// Version of the connection handover specification, major and minor nibble: 0x15 is 1.5.
    public let version: UInt8
    /// The whole message.
    public let message: NDEFMessage
    /// Ids of the carrier configuration records that alternative carrier records name, in order of preference.
    public let carriers: [String]
    /// Payload of `iso.org:18013:deviceengagement`: a DeviceEngagement, untagged.
    public let deviceEngagement: [UInt8]?
    /// Payload of `iso.org:18013:readerengagement`.
    public let readerEngagement: [UInt8]?
    /// The Bluetooth LE out-of-band record, if any.
    public let bluetooth: BluetoothOOB?
    /// Payload of `iso.org:18013:nfc`, if any.
    public let nfc: [UInt8]?

    static let engagementType = "iso.org:18013:deviceengagement"

    /// Decodes a handover message with the records in it.
    public init(decoding bytes: [UInt8]) throws(NDEFError) {
        message = try NDEFMessage(decoding: bytes)
        guard let first = message.records.first, first.typeNameFormat == 1, let kind = Kind(rawValue: first.typeText),
            let version = first.payload.first
        else { throw NDEFError(what: "first record is neither Hs nor Hr with a version", offset: 0) }
        self.kind = kind
        self.version = version
        carriers = try Self.carriers(first)
        let records = message.records.dropFirst()
        func payload(_ type: String) -> [UInt8]? { records.first { $0.typeText == type }?.payload }
        deviceEngagement = payload(Self.engagementType)
        readerEngagement = payload("iso.org:18013:readerengagement")
        nfc = payload("iso.org:18013:nfc")
        bluetooth = try records.first { $0.typeText == BluetoothOOB.mediaType }.map { (record) throws(NDEFError) in
            try BluetoothOOB(decoding: record.payload, at: record.offset)
        }
    }

    /// The ids in the `ac` records: `[carrier power state][id length][id][auxiliary count]…`.
    private static func carriers(_ handover: NDEFRecord) throws(NDEFError) -> [String] {
        let rest = Array(handover.payload.dropFirst())
        guard !rest.isEmpty else { return [] }
        return try NDEFMessage(decoding: rest).records.filter { $0.typeText == "ac" }.map { (record) throws(NDEFError) in
            guard record.payload.count >= 2, record.payload.count >= 2 + Int(record.payload[1]) else {
                throw NDEFError(what: "alternative carrier record ends early", offset: record.offset)
            }
            return String(decoding: record.payload[2..<(2 + Int(record.payload[1]))], as: UTF8.self)
        }
    }

    /// P50–P52 on a captured handover message.
    /// - Returns: the message when it decodes, and the checks.
    public static func review(_ bytes: [UInt8], edition: Edition) -> (handover: NFCHandover?, checks: CheckList) {
        var checks = CheckList(edition: edition)
        let subject = "handover"
        let handover: NFCHandover
        do {
            handover = try NFCHandover(decoding: bytes)
            checks.pass("P50", subject)
        } catch {
            checks.fail("P50", subject, values: [], detail: error.description)
            for id in ["P51", "P52"] { checks.notRun(id, subject, .needs("P50")) }
            return (nil, checks)
        }
        let present = Set(handover.message.records.map(\.idText))
        if handover.kind == .select, handover.deviceEngagement == nil {
            checks.fail("P51", subject, values: [engagementType])
        } else if let carrier = handover.carriers.first(where: { !present.contains($0) }) {
            checks.fail("P51", subject, values: ["of carrier '\(carrier)'"])
        } else {
            checks.pass("P51", subject)
        }
        switch handover.bluetooth?.uuidLooksBigEndian {
        case nil: checks.notRun("P52", subject, .notPresent)
        case true?: checks.fail("P52", subject, values: [])
        case false?: checks.pass("P52", subject)
        }
        return (handover, checks)
    }
}

/// The Bluetooth LE out-of-band record `application/vnd.bluetooth.le.oob`: advertising data structures, little-endian.
public struct BluetoothOOB: Sendable, Hashable {
    static let mediaType = "application/vnd.bluetooth.le.oob"

    /// 0x1C: 0 peripheral only, 1 central only, 2 both with peripheral preferred, 3 both with central preferred.
    public let role: UInt8?
    /// 0x07: the service UUID, turned to big-endian.
    public let uuid: BluetoothUUID?
    /// 0x1B: 6 bytes of address, turned to big-endian.
    public let address: [UInt8]?

    init(decoding bytes: [UInt8], at offset: Int) throws(NDEFError) {
        var (role, uuid, address): (UInt8?, BluetoothUUID?, [UInt8]?)
        var rest = bytes[...]
        while let length = rest.popFirst() {
            guard length >= 1, rest.count >= Int(length) else {
                throw NDEFError(what: "Bluetooth OOB structure of \(length) bytes does not fit its record", offset: offset)
            }
            let (type, data) = (rest[rest.startIndex], rest.prefix(Int(length)).dropFirst())
            rest = rest.dropFirst(Int(length))
            switch type {
            case 0x1C: role = data.first
            case 0x07: uuid = BluetoothUUID(bytes: data.reversed())
            case 0x1B: address = data.prefix(6).reversed()
            default: continue
            }
        }
        (self.role, self.uuid, self.address) = (role, uuid, address)
    }

    /// Whether the bytes make a random UUID (RFC 9562 version 4) only in the order in which they must not stand. Nil without a UUID.
    var uuidLooksBigEndian: Bool? {
        guard let uuid else { return nil }
        return Self.isRandom(uuid.littleEndian) && !Self.isRandom(uuid.bytes)
    }

    private static func isRandom(_ bytes: [UInt8]) -> Bool { bytes[6] >> 4 == 4 && bytes[8] >> 6 == 0b10 }
}
