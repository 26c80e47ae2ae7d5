/// GATT values on a byte stream: `[characteristic][length][value]`, the characteristic as the number of its UUID (0x01 State of the
/// mdoc service, 0x05 State of the reader service, …), the length as two bytes big-endian. A client reads a characteristic by sending
/// its number with length 0; the server answers with its number and value.
struct StreamFraming: Sendable {
    let mode: GATTMode
    private var buffer: [UInt8] = []
    private var head = 0

    init(mode: GATTMode) { self.mode = mode }

    /// The frame of a value; parts never exceed two length bytes.
    func frame(_ value: GATTValue) -> [UInt8] {
        guard let number = value.characteristic.number(in: mode), let count = UInt16(exactly: value.bytes.count) else {
            preconditionFailure("a \(value.bytes.count)-byte value on \(value.characteristic) is no value of \(mode) mode")
        }
        return [number, UInt8(count >> 8), UInt8(count & 0xFF)] + value.bytes
    }

    /// Bytes that wait for the rest of their frame.
    var pendingCount: Int { buffer.count - head }

    /// Takes in bytes as they come.
    mutating func append(_ bytes: some Sequence<UInt8>) {
        if head > 0 {
            buffer.removeFirst(head)
            head = 0
        }
        buffer += bytes
    }

    /// The next whole frame; nil when more bytes are needed.
    /// - Throws: `.misplaced(nil)` for a number that the service of this mode does not have.
    mutating func next() throws(LinkError) -> GATTValue? {
        guard pendingCount >= 3 else { return nil }
        guard let characteristic = GATTCharacteristic(number: buffer[head], in: mode) else { throw .misplaced(nil) }
        let end = head + 3 + Int(buffer[head + 1]) << 8 + Int(buffer[head + 2])
        guard buffer.count >= end else { return nil }
        defer { head = end }
        return GATTValue(characteristic, Array(buffer[(head + 3)..<end]))
    }
}
