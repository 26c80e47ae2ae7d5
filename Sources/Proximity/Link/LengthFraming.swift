/// Messages on an L2CAP channel: four bytes of length, big-endian, and the message (ISO/IEC 18013-5 WD2 §11.1.4). Messages may be cut
/// into packets (SDUs) anywhere.
public struct LengthFraming: Sendable {
    /// The longest message accepted, in bytes.
    public let limit: Int
    private var buffer: [UInt8] = []
    private var head = 0
    /// Packets of the message that is not yet complete.
    public private(set) var pendingPackets = 0

    /// - Parameter limit: beyond it a message ends the transfer instead of filling memory.
    public init(limit: Int = 16 << 20) { self.limit = limit }

    /// A message with its header.
    /// - Parameter length: what the header says; nil is the truth.
    public static func frame(_ message: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = UInt32(truncatingIfNeeded: length ?? message.count)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + message
    }

    /// What the header of the incomplete message says and how many of its bytes came; nil between messages.
    public var pending: (said: Int, came: Int)? {
        let count = buffer.count - head
        return count == 0 ? nil : (length ?? 0, max(count - 4, 0))
    }

    /// Takes in a packet.
    public mutating func append(_ packet: [UInt8]) {
        if head > 0 {
            buffer.removeFirst(head)
            head = 0
        }
        buffer += packet
        pendingPackets += 1
    }

    /// The next whole message; nil when more packets are needed. A message of no bytes is how some peers say goodbye.
    /// - Throws: `.messageTooLong`, or `.lengthHeader` when what follows the message in the same packet cannot be another one.
    public mutating func next() throws(LinkError) -> [UInt8]? {
        guard let length else { return nil }
        guard length <= limit else { throw .messageTooLong(limit: limit) }
        let end = head + 4 + length
        guard buffer.count >= end else { return nil }
        // A length above the limit has a first byte of which nobody's message is that long.
        if buffer.count > end, Int(buffer[end]) > limit >> 24 {
            throw .lengthHeader(said: length, came: buffer.count - head - 4)
        }
        defer {
            head = end
            pendingPackets = head < buffer.count ? 1 : 0
        }
        return Array(buffer[head + 4..<end])
    }

    private var length: Int? {
        guard buffer.count - head >= 4 else { return nil }
        return buffer[head..<head + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
