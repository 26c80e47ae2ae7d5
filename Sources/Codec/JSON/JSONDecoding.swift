import CJansson

/// Why text is no acceptable JSON, and where.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was wrong; a phrase.
    public var message: String
    /// Offset in bytes, if known.
    public var offset: Int?
    /// The same place by line and column, from 1.
    public var line: Int?
    public var column: Int?

    /// An error at a place.
    public init(message: String, offset: Int? = nil, line: Int? = nil, column: Int? = nil) {
        self.message = message
        self.offset = offset
        self.line = line
        self.column = column
    }

    /// One line for people.
    public var description: String {
        guard let line, let column else { return message + (offset.map { ", offset \($0)" } ?? "") }
        return "\(message), line \(line) column \(column)"
    }
}

/// What the JSON decoder accepts at most.
public struct JSONLimits: Hashable, Sendable {
    /// Nested arrays and objects.
    public var depth: Int
    /// Bytes of text.
    public var bytes: Int

    /// Limits of one's own; not deeper than 512.
    public init(depth: Int, bytes: Int) {
        self.depth = min(depth, 512)
        self.bytes = bytes
    }

    /// For messages of peers and files: 64 levels, 64 MiB.
    public static let standard = JSONLimits(depth: 64, bytes: 64 << 20)
}

extension JSON {
    /// Decodes exactly one value. Refused are: a name twice in an object, names with U+0000, invalid UTF-8, lone surrogates,
    /// integers beyond 64 bits, numbers beyond a double, and whatever exceeds the limits.
    public static func decode(_ bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) -> JSON {
        guard bytes.count <= limits.bytes else { throw JSONError(message: "more than \(limits.bytes) bytes of JSON") }
        try checkDepth(bytes, limits.depth)
        var failure = json_error_t()
        let root = bytes.withUnsafeBytes { buffer in
            json_loadb(
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count,
                Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL), &failure)
        }
        guard let root else { throw JSONError(failure, isEmpty: bytes.isEmpty) }
        defer { json_decref(root) }
        return JSON(jansson: root)
    }

    /// Decodes text, under the same rules.
    public static func decode(_ text: String, limits: JSONLimits = .standard) throws(JSONError) -> JSON {
        try decode(Array(text.utf8), limits: limits)
    }

    /// The parser recurses, so depth is counted before it runs.
    private static func checkDepth(_ bytes: [UInt8], _ limit: Int) throws(JSONError) {
        var depth = 0
        var inString = false
        var escaped = false
        for (offset, byte) in bytes.enumerated() {
            if inString {
                if escaped {
                    escaped = false
                } else if byte == UInt8(ascii: "\\") {
                    escaped = true
                } else if byte == UInt8(ascii: "\"") {
                    inString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): inString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth > limit { throw JSONError(message: "JSON is nested deeper than \(limit) levels", offset: offset) }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
    }

    fileprivate init(jansson value: UnsafeMutablePointer<json_t>) {
        switch value.pointee.type {
        case JSON_OBJECT: self = .object(JSONObject(members: value))
        case JSON_ARRAY:
            self = .array((0..<json_array_size(value)).compactMap { json_array_get(value, $0).map { JSON(jansson: $0) } })
        case JSON_STRING: self = .string(text(json_string_value(value), json_string_length(value)))
        case JSON_INTEGER: self = .integer(Int64(json_integer_value(value)))
        case JSON_REAL: self = .real(json_real_value(value))
        case JSON_TRUE: self = .bool(true)
        case JSON_FALSE: self = .bool(false)
        default: self = .null
        }
    }
}

extension JSONObject {
    fileprivate init(members object: UnsafeMutablePointer<json_t>) {
        self.init()
        var iterator = json_object_iter(object)
        while let position = iterator {
            if let value = json_object_iter_value(position) {
                append(text(json_object_iter_key(position), json_object_iter_key_len(position)), JSON(jansson: value))
            }
            iterator = json_object_iter_next(object, position)
        }
    }
}

private func text(_ characters: UnsafePointer<CChar>?, _ length: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: characters, count: characters == nil ? 0 : length), as: UTF8.self)
}

extension JSONError {
    fileprivate init(_ error: json_error_t, isEmpty: Bool) {
        let message = withUnsafeBytes(of: error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        self.init(
            message: isEmpty ? "no JSON, the text is empty" : "JSON: \(message)", offset: Int(error.position),
            line: Int(error.line),
            column: Int(error.column))
    }
}
