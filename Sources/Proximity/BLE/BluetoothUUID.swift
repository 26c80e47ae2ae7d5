import Codec
public import Ports

/// A 128-bit Bluetooth UUID, most significant byte first as ISO/IEC 18013-5 writes it.
public struct BluetoothUUID: Sendable, Hashable, CustomStringConvertible {
    /// 16 bytes, big-endian.
    public let bytes: [UInt8]

    /// - Returns: nil unless `bytes` are 16.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// A UUID for one transaction: 122 random bits (RFC 9562 version 4).
    public init(random: some RandomSource) {
        var bytes = random.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.bytes = bytes
    }

    /// A UUID of the mdoc services: `number` before the suffix `-A123-48CE-896B-4C76973373E6` (ISO/IEC 18013-5:2021 tables 12 and 13).
    init(mdocService number: UInt8) {
        bytes = [0, 0, 0, number, 0xA1, 0x23, 0x48, 0xCE, 0x89, 0x6B, 0x4C, 0x76, 0x97, 0x33, 0x73, 0xE6]
    }

    /// The order that Bluetooth advertising data and NFC OOB records use.
    public var littleEndian: [UInt8] { bytes.reversed() }

    /// `00000001-a123-48ce-896b-4c76973373e6`
    public var description: String {
        let hex = Array(Hex.encode(bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(hex[$0]) }.joined(separator: "-")
    }
}
