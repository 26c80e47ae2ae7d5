/// The number of an LE L2CAP channel as the L2CAP characteristics hold it. Readers in the field expect four bytes, big-endian; some peers
/// write two, and some little-endian.
public enum PSM {
    /// What a characteristic of ours holds: four bytes, big-endian.
    public static func encode(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }

    /// The number in a value read, in whichever order of bytes it is one of LE (0x01 to 0xFF); nil when it is none.
    public static func decode(_ bytes: [UInt8]) -> Int? {
        guard (1...4).contains(bytes.count) else { return nil }
        let big = bytes.reduce(0) { $0 << 8 | Int($1) }
        let little = bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
        return [big, little].first(where: isValid)
    }

    /// Whether LE has such a PSM: SIG's own below 0x80, dynamic ones from there.
    public static func isValid(_ number: Int) -> Bool { (0x01...0xFF).contains(number) }
}
