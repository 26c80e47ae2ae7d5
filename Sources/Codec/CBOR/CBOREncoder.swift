/// Writes CBOR in preferred encoding (RFC 8949 §4.1): shortest heads, definite lengths, shortest floats. The order of map
/// entries is the caller's; `CBOR.canonical` sorts.
public struct CBOREncoder: Sendable {
    /// What was written so far.
    public var bytes: [UInt8]

    /// An empty encoder; `capacity` in bytes is a hint.
    public init(capacity: Int = 64) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// An integer of major type 0 or 1. At most 64 bits of magnitude, as every Swift integer up to UInt64 and Int64 has.
    public mutating func int(_ value: some BinaryInteger) {
        if value < 0 {
            head(1, ~UInt64(bitPattern: Int64(value)))
        } else {
            head(0, UInt64(value))
        }
    }

    /// A negative integer -1 - n, for the range below Int64.
    public mutating func negative(_ n: UInt64) { head(1, n) }

    /// A byte string. Inlinable, like all that is generic here, so that other modules' calls are compiled for their types.
    @inlinable
    public mutating func bytes(_ value: some Collection<UInt8>) {
        head(2, UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// A text string.
    @inlinable
    public mutating func text(_ value: some StringProtocol) {
        head(3, UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    mutating func text(utf8: some Collection<UInt8>) {
        head(3, UInt64(utf8.count))
        bytes.append(contentsOf: utf8)
    }

    /// The head of an array; `count` items follow.
    public mutating func array(_ count: Int) { head(4, UInt64(count)) }

    /// The head of a map; `count` pairs follow, key before value.
    public mutating func map(_ count: Int) { head(5, UInt64(count)) }

    /// A tag; its content follows.
    public mutating func tag(_ number: UInt64) { head(6, number) }

    /// `true` or `false`.
    public mutating func bool(_ value: Bool) { bytes.append(value ? 0xf5 : 0xf4) }

    /// `null`.
    public mutating func null() { bytes.append(0xf6) }

    /// `undefined`.
    public mutating func undefined() { bytes.append(0xf7) }

    /// A simple value; 24 to 31 are reserved and must not be asked for.
    public mutating func simple(_ value: UInt8) {
        precondition(!(24..<32).contains(value), "simple values 24 to 31 do not exist")
        head(7, UInt64(value))
    }

    /// A float of the shortest width that keeps the value, NaN payloads included.
    public mutating func double(_ value: Double) { float(bits: value.bitPattern, width: 27) }

    /// One or more items that are encoded already.
    @inlinable
    public mutating func raw(_ encoded: some Collection<UInt8>) { bytes.append(contentsOf: encoded) }

    /// An item exactly as it was received.
    public mutating func item(_ item: CBOR) { item.withEncoded { bytes.append(contentsOf: $0) } }

    /// A value by its own encoding.
    @inlinable
    public mutating func encode(_ value: some CBOREncodable) { value.encode(to: &self) }

    /// Encoded CBOR data item: tag 24 around a byte string (RFC 8949 §3.4.5.1).
    @inlinable
    public mutating func embedded(_ content: some Collection<UInt8>) {
        tag(24)
        bytes(content)
    }

    @usableFromInline
    mutating func head(_ major: UInt8, _ argument: UInt64) {
        let type = major << 5
        switch argument {
        case 0..<24: bytes.append(type | UInt8(argument))
        case 24...0xff: wide(type | 24, argument, 1)
        case 0x100...0xffff: wide(type | 25, argument, 2)
        case 0x1_0000...0xffff_ffff: wide(type | 26, argument, 4)
        default: wide(type | 27, argument, 8)
        }
    }

    private mutating func wide(_ initial: UInt8, _ argument: UInt64, _ width: Int) {
        bytes.append(initial)
        for shift in stride(from: (width - 1) * 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: argument >> UInt64(shift)))
        }
    }

    /// A float given as the bits of its width (additional information 25, 26 or 27), written as short as it goes.
    mutating func float(bits: UInt64, width: UInt8) {
        let float = CBORFloat(bits: bits, width: width).shortest
        wide(0xe0 | float.width, float.bits, 1 << (Int(float.width) - 24))
    }
}
