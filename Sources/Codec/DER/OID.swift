/// An object identifier (X.660), by its content bytes in BER.
public struct OID: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The content of the DER encoding, without tag and length.
    public let content: [UInt8]

    /// Content bytes of a DER OBJECT IDENTIFIER, nil if malformed: empty, unfinished, or with a padded or over-long number.
    public init?(content: [UInt8]) {
        guard let last = content.last, last & 0x80 == 0 else { return nil }
        var length = 0
        for byte in content {
            if length == 0 && byte == 0x80 || length == 9 { return nil }
            length = byte & 0x80 == 0 ? 0 : length + 1
        }
        self.content = content
    }

    /// Dotted decimal text, nil if malformed.
    public init?(_ dotted: String) {
        let parts = dotted.split(separator: ".", omittingEmptySubsequences: false)
        let arcs = parts.compactMap { part in part.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? UInt64(part) : nil }
        guard arcs.count == parts.count, arcs.count >= 2, arcs[0] < 3, arcs[0] == 2 || arcs[1] < 40, arcs[1] < 1 << 62,
            arcs.allSatisfy({ $0 < 1 << 63 })
        else { return nil }
        content = ([arcs[0] * 40 + arcs[1]] + arcs[2...]).flatMap(Self.encode)
    }

    /// Dotted decimal text of the program's own; malformed is a mistake of the program.
    public init(stringLiteral dotted: String) {
        guard let oid = OID(dotted) else { preconditionFailure("\"\(dotted)\" is no object identifier") }
        self = oid
    }

    /// Dotted decimal.
    public var description: String {
        var arcs: [UInt64] = []
        var value: UInt64 = 0
        for byte in content {
            value = value << 7 | UInt64(byte & 0x7f)
            guard byte & 0x80 == 0 else { continue }
            if arcs.isEmpty {
                let first = min(value / 40, 2)
                arcs = [first, value - first * 40]
            } else {
                arcs.append(value)
            }
            value = 0
        }
        return arcs.map(String.init).joined(separator: ".")
    }

    private static func encode(_ arc: UInt64) -> [UInt8] {
        var bytes = [UInt8(arc & 0x7f)]
        var rest = arc >> 7
        while rest > 0 {
            bytes.insert(UInt8(rest & 0x7f) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }
}
