import CSystemd
import Glibc

/// An sd-bus message: owns one reference. Made, read and sent on the loop's thread only.
struct BusMessage: ~Copyable {
    let pointer: OpaquePointer

    /// Takes the reference over.
    init(taking pointer: OpaquePointer) { self.pointer = pointer }

    deinit { sd_bus_message_unref(pointer) }

    static func call(
        _ bus: OpaquePointer, to destination: String, _ path: String, _ interface: String, _ member: String
    ) throws(BusError) -> BusMessage {
        var message: OpaquePointer?
        let code = sd_bus_message_new_method_call(bus, &message, destination, path, interface, member)
        guard code >= 0, let message else { throw BusError(code: code, doing: "calling \(interface).\(member)") }
        return BusMessage(taking: message)
    }

    static func signal(
        _ bus: OpaquePointer, _ path: String, _ interface: String, _ member: String
    ) throws(BusError) -> BusMessage {
        var message: OpaquePointer?
        let code = sd_bus_message_new_signal(bus, &message, path, interface, member)
        guard code >= 0, let message else { throw BusError(code: code, doing: "signalling \(interface).\(member)") }
        return BusMessage(taking: message)
    }

    /// A reply to `call`, good or bad.
    static func reply(to call: OpaquePointer, _ result: Result<[BusValue], BusError>) throws(BusError) -> BusMessage {
        var message: OpaquePointer?
        switch result {
        case .success(let values):
            let code = sd_bus_message_new_method_return(call, &message)
            guard code >= 0, let message else { throw BusError(code: code, doing: "replying") }
            let reply = BusMessage(taking: message)
            try reply.append(values)
            return reply
        case .failure(let error):
            var body = sd_bus_error()
            sd_bus_error_set(&body, error.name, error.message)
            defer { sd_bus_error_free(&body) }
            let code = sd_bus_message_new_method_error(call, &message, &body)
            guard code >= 0, let message else { throw BusError(code: code, doing: "replying") }
            return BusMessage(taking: message)
        }
    }

    func append(_ values: [BusValue]) throws(BusError) {
        for value in values { try Self.append(value, to: pointer) }
    }

    private static func append(_ value: BusValue, to message: OpaquePointer) throws(BusError) {
        switch value {
        case .byte(let value): try basic("y", value, message)
        case .bool(let value): try basic("b", Int32(value ? 1 : 0), message)
        case .int16(let value): try basic("n", value, message)
        case .uint16(let value): try basic("q", value, message)
        case .int32(let value): try basic("i", value, message)
        case .uint32(let value): try basic("u", value, message)
        case .int64(let value): try basic("x", value, message)
        case .uint64(let value): try basic("t", value, message)
        case .double(let value): try basic("d", value, message)
        case .descriptor(let descriptor): try basic("h", descriptor.number, message)
        case .string(let text): try string("s", text, message)
        case .path(let text): try string("o", text, message)
        case .signature(let text): try string("g", text, message)
        case .bytes(let bytes):
            try check(bytes.withUnsafeBytes { sd_bus_message_append_array(message, code("y"), $0.baseAddress, $0.count) })
        case .array(let element, let elements): try container("a", element, elements, message)
        case .structure(let members): try container("r", members.map(\.signature).joined(), members, message)
        case .variant(let inner): try container("v", inner.signature, [inner], message)
        case .dictionary(let key, let value, let entries):
            try check(sd_bus_message_open_container(message, code("a"), "{\(key)\(value)}"))
            for (name, member) in entries { try container("e", "\(key)\(value)", [name, member], message) }
            try check(sd_bus_message_close_container(message))
        }
    }

    private static func container(
        _ type: Unicode.Scalar, _ contents: String, _ members: [BusValue], _ message: OpaquePointer
    ) throws(BusError) {
        try check(sd_bus_message_open_container(message, code(type), contents))
        for member in members { try append(member, to: message) }
        try check(sd_bus_message_close_container(message))
    }

    private static func basic<Value>(_ type: Unicode.Scalar, _ value: Value, _ message: OpaquePointer) throws(BusError) {
        try check(withUnsafePointer(to: value) { sd_bus_message_append_basic(message, code(type), $0) })
    }

    private static func string(_ type: Unicode.Scalar, _ text: String, _ message: OpaquePointer) throws(BusError) {
        try check(text.withCString { sd_bus_message_append_basic(message, code(type), $0) })
    }
}

extension BusMessage {
    /// The arguments of a received message, from the first.
    static func values(of message: OpaquePointer) throws(BusError) -> [BusValue] {
        try check(sd_bus_message_rewind(message, 1))
        return try rest(message)
    }

    private static func rest(_ message: OpaquePointer) throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try next(message) { values.append(value) }
        return values
    }

    /// The next value of the container that is open; nil at its end.
    private static func next(_ message: OpaquePointer) throws(BusError) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard try check(sd_bus_message_peek_type(message, &type, &contents)) > 0 else { return nil }
        let inside = contents.map { String(cString: $0) } ?? ""
        switch Unicode.Scalar(UInt8(bitPattern: type)) {
        case "y": return .byte(try read(message, type, UInt8(0)))
        case "b": return .bool(try read(message, type, Int32(0)) != 0)
        case "n": return .int16(try read(message, type, Int16(0)))
        case "q": return .uint16(try read(message, type, UInt16(0)))
        case "i": return .int32(try read(message, type, Int32(0)))
        case "u": return .uint32(try read(message, type, UInt32(0)))
        case "x": return .int64(try read(message, type, Int64(0)))
        case "t": return .uint64(try read(message, type, UInt64(0)))
        case "d": return .double(try read(message, type, Double(0)))
        case "s": return .string(try readText(message, type))
        case "o": return .path(try readText(message, type))
        case "g": return .signature(try readText(message, type))
        case "h":
            // The message owns the descriptor it carries.
            let copy = fcntl(try read(message, type, Int32(-1)), F_DUPFD_CLOEXEC, 3)
            guard copy >= 0 else { throw BusError(code: -errno, doing: "taking a descriptor from D-Bus") }
            return .descriptor(BusDescriptor(copy))
        case "a" where inside == "y": return .bytes(try readBytes(message))
        case "a" where inside.hasPrefix("{"): return try readDictionary(message, inside)
        case "a": return .array(of: inside, try members(message, type, inside))
        case "r": return .structure(try members(message, type, inside))
        case "v": return try members(message, type, inside).first.map { .variant($0) }
        default: throw BusError("walletbench.Message", "a D-Bus value of the unknown type \(type)")
        }
    }

    private static func members(_ message: OpaquePointer, _ type: CChar, _ contents: String) throws(BusError) -> [BusValue] {
        try check(sd_bus_message_enter_container(message, type, contents))
        let values = try rest(message)
        try check(sd_bus_message_exit_container(message))
        return values
    }

    private static func readDictionary(_ message: OpaquePointer, _ contents: String) throws(BusError) -> BusValue {
        try check(sd_bus_message_enter_container(message, code("a"), contents))
        let pair = String(contents.dropFirst().dropLast())
        var entries: [BusValue: BusValue] = [:]
        while try check(sd_bus_message_enter_container(message, code("e"), pair)) > 0 {
            let members = try rest(message)
            if members.count == 2 { entries[members[0]] = members[1] }
            try check(sd_bus_message_exit_container(message))
        }
        try check(sd_bus_message_exit_container(message))
        // A key is a basic type, whose signature is one character.
        return .dictionary(key: String(pair.prefix(1)), value: String(pair.dropFirst()), entries)
    }

    private static func readBytes(_ message: OpaquePointer) throws(BusError) -> [UInt8] {
        var start: UnsafeRawPointer?
        var count = 0
        try check(sd_bus_message_read_array(message, code("y"), &start, &count))
        guard let start, count > 0 else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private static func read<Value>(_ message: OpaquePointer, _ type: CChar, _ initial: Value) throws(BusError) -> Value {
        var value = initial
        try check(withUnsafeMutablePointer(to: &value) { sd_bus_message_read_basic(message, type, $0) })
        return value
    }

    private static func readText(_ message: OpaquePointer, _ type: CChar) throws(BusError) -> String {
        var text: UnsafePointer<CChar>?
        try check(withUnsafeMutablePointer(to: &text) { sd_bus_message_read_basic(message, type, $0) })
        return text.map { String(cString: $0) } ?? ""
    }

    @discardableResult
    private static func check(_ code: Int32) throws(BusError) -> Int32 {
        guard code >= 0 else { throw BusError(code: code, doing: "a D-Bus message") }
        return code
    }

    private static func code(_ type: Unicode.Scalar) -> CChar { CChar(bitPattern: UInt8(ascii: type)) }
}
