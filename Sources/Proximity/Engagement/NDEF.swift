/// A record of an NFC Data Exchange Format message (NFC Forum NDEF 1.0 §3.2).
public struct NDEFRecord: Sendable, Hashable {
    /// Type name format, 0–7: 1 well known, 2 media type, 4 external.
    public let typeNameFormat: UInt8
    /// Message Begin.
    public let isFirst: Bool
    /// Message End.
    public let isLast: Bool
    /// At most 255 bytes.
    public let type: [UInt8]
    /// Empty where the record has none.
    public let id: [UInt8]
    /// What the record carries.
    public let payload: [UInt8]
    /// Where the record starts in its message.
    public let offset: Int

    /// The type as text: `Hs`, `iso.org:18013:deviceengagement`.
    public var typeText: String { String(decoding: type, as: UTF8.self) }
    /// The id as text.
    public var idText: String { String(decoding: id, as: UTF8.self) }
}

/// Bytes that are no NDEF message: what and where.
public struct NDEFError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public let what: String
    /// Where in the message, in bytes.
    public let offset: Int
    public var description: String { "\(what) at offset \(offset)" }
}

/// A whole NDEF message.
public struct NDEFMessage: Sendable, Hashable {
    /// In the order received, at least one.
    public let records: [NDEFRecord]

    /// Decodes all records; the first says Message Begin, the last, and only it, Message End. Chunked records are refused:
    /// handover messages are short and nobody sends them so.
    public init(decoding bytes: [UInt8]) throws(NDEFError) {
        var cursor = Cursor(bytes)
        var records: [NDEFRecord] = []
        repeat {
            let record = try cursor.record()
            guard record.isFirst == records.isEmpty else { throw NDEFError(what: "Message Begin misplaced", offset: record.offset) }
            records.append(record)
        } while records.last?.isLast == false
        guard cursor.isAtEnd else { throw NDEFError(what: "bytes after Message End", offset: cursor.position) }
        self.records = records
    }

    private struct Cursor {
        let bytes: [UInt8]
        var position = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ count: Int, _ what: String) throws(NDEFError) -> [UInt8] {
            guard count <= bytes.count - position else { throw NDEFError(what: "message ends inside \(what)", offset: position) }
            defer { position += count }
            return Array(bytes[position..<(position + count)])
        }

        mutating func number(_ width: Int, _ what: String) throws(NDEFError) -> Int {
            try take(width, what).reduce(0) { $0 << 8 | Int($1) }
        }

        mutating func record() throws(NDEFError) -> NDEFRecord {
            let offset = position
            let flags = UInt8(try number(1, "a record's flags"))
            guard flags & 0x20 == 0 else { throw NDEFError(what: "chunked record", offset: offset) }
            let typeLength = try number(1, "a type length")
            let payloadLength = try number(flags & 0x10 != 0 ? 1 : 4, "a payload length")
            let idLength = flags & 0x08 != 0 ? try number(1, "an id length") : 0
            return NDEFRecord(
                typeNameFormat: flags & 0x07, isFirst: flags & 0x80 != 0, isLast: flags & 0x40 != 0,
                type: try take(typeLength, "a type"), id: try take(idLength, "an id"),
                payload: try take(payloadLength, "a payload"),
                offset: offset)
        }
    }
}
