import Glibc

/// A D-Bus value of any type.
package indirect enum BusValue: Sendable, Hashable {
    case byte(UInt8)
    case bool(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case path(String)
    case signature(String)
    case descriptor(BusDescriptor)
    /// `ay`
    case bytes([UInt8])
    /// An array of anything but bytes and dictionary entries; the signature is its elements'.
    case array(of: String, [BusValue])
    /// `a{key value}`
    case dictionary(key: String, value: String, [BusValue: BusValue])
    case structure([BusValue])
    case variant(BusValue)

    /// `a{sv}`
    static func properties(_ members: [String: BusValue]) -> BusValue {
        .dictionary(
            key: "s", value: "v",
            Dictionary(uniqueKeysWithValues: members.map { (.string($0.key), .variant($0.value)) }))
    }

    /// `as`
    static func strings(_ strings: [String]) -> BusValue { .array(of: "s", strings.map { .string($0) }) }

    /// The D-Bus type code.
    var signature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .bytes: "ay"
        case .array(let element, _): "a\(element)"
        case .dictionary(let key, let value, _): "a{\(key)\(value)}"
        case .structure(let members): "(\(members.map(\.signature).joined()))"
        case .variant: "v"
        }
    }
}

extension BusValue {
    /// The value inside a variant, else the value itself.
    package var content: BusValue { if case .variant(let inner) = self { inner.content } else { self } }

    package var boolValue: Bool? { if case .bool(let value) = content { value } else { nil } }

    /// Text of strings, paths and signatures.
    package var text: String? {
        switch content {
        case .string(let text), .path(let text), .signature(let text): text
        default: nil
        }
    }

    package var byteArray: [UInt8]? {
        switch content {
        case .bytes(let bytes): bytes
        case .array(_, let elements) where elements.isEmpty: []
        default: nil
        }
    }

    package var texts: [String]? {
        if case .array(_, let elements) = content { elements.compactMap(\.text) } else { nil }
    }

    /// Any whole number.
    package var integer: Int? {
        switch content {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    /// A dictionary by its text keys; nil when it is none.
    package var members: [String: BusValue]? {
        guard case .dictionary(_, _, let entries) = content else { return nil }
        var members: [String: BusValue] = [:]
        for (key, value) in entries { if let name = key.text { members[name] = value.content } }
        return members
    }
}

/// A file descriptor that came over the bus or shall go over it. Closed with its last reference.
package final class BusDescriptor: Sendable, Hashable {
    package let number: Int32

    /// Takes the descriptor over.
    package init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    package static func == (one: BusDescriptor, other: BusDescriptor) -> Bool { one === other }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// An error reply, or why there was none.
package struct BusError: Error, Sendable, Hashable, CustomStringConvertible {
    /// `org.bluez.Error.Failed`
    package let name: String
    package let message: String

    package init(_ name: String, _ message: String) { (self.name, self.message) = (name, message) }

    init(code: Int32, doing: String) {
        self.init("walletbench.System.\(-code)", "\(doing): \(String(cString: strerror(-code)))")
    }

    /// Nobody waits for the reply any more.
    static let cancelled = BusError("walletbench.Cancelled", "the call was given up")
    static let closed = BusError("walletbench.Closed", "the connection to D-Bus is closed")

    package var description: String { message.isEmpty ? name : message }
}
