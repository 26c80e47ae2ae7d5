public import Codec

/// The statuses of many tokens, packed with 1, 2, 4 or 8 bits each, least significant bits first (Token Status List §4.1).
public struct StatusList: Sendable, Hashable {
    /// Bits of one status: 1, 2, 4 or 8.
    public let bits: Int
    /// The packed statuses, not compressed.
    public private(set) var bytes: [UInt8]

    /// The most bytes that a received list may inflate to unless the caller says otherwise: 128 million statuses of one bit.
    public static let standardLimit = 16 << 20

    /// A list of `count` statuses, all valid.
    /// - Precondition: 1, 2, 4 or 8 bits.
    public init(bits: Int, count: Int) {
        precondition([1, 2, 4, 8].contains(bits) && count > 0, "a status has 1, 2, 4 or 8 bits")
        self.bits = bits
        bytes = [UInt8](repeating: 0, count: (count * bits + 7) / 8)
    }

    /// A received list.
    ///
    /// - Parameters:
    ///   - bits: as stated in the list.
    ///   - compressed: `lst`: a zlib stream.
    ///   - limit: bytes that it may inflate to.
    /// - Throws: what is wrong, with the check that says so.
    public init(bits: Int64, compressed: [UInt8], limit: Int = standardLimit) throws(StatusFault) {
        guard [1, 2, 4, 8].contains(bits) else { throw StatusFault("T17.bits", values: [String(bits)]) }
        self.bits = Int(bits)
        do throws(DeflateError) {
            bytes = try Deflate.inflate(compressed, limit: limit, format: .zlib)
        } catch {
            if case .outputLimit = error { throw StatusFault("T17.limit", values: [String(limit)]) }
            throw StatusFault("T17.zlib", detail: "\(error)")
        }
    }

    /// How many statuses there are.
    public var count: Int { bytes.count * 8 / bits }

    /// The status at a place; nil outside the list.
    public subscript(_ index: Int) -> UInt8? {
        guard index >= 0, index < count else { return nil }
        let perByte = 8 / bits
        let shift = UInt8(index % perByte * bits)
        return bytes[index / perByte] >> shift & mask
    }

    /// Sets the status at a place.
    /// - Precondition: the place is in the list, and the status fits into its bits.
    public mutating func set(_ status: UInt8, at index: Int) {
        precondition(index >= 0 && index < count && status <= mask, "status \(status) at \(index) does not fit")
        let perByte = 8 / bits
        let shift = UInt8(index % perByte * bits)
        bytes[index / perByte] = bytes[index / perByte] & ~(mask << shift) | status << shift
    }

    private var mask: UInt8 { UInt8(truncatingIfNeeded: 1 << bits - 1) }

    /// `lst`: the bytes as a zlib stream.
    public func compressed() throws(DeflateError) -> [UInt8] { try Deflate.deflate(bytes, format: .zlib) }
}

/// What a status means (Token Status List §7.1).
public enum TokenStatus: Sendable, Hashable {
    case valid
    /// Revoked for good.
    case invalid
    case suspended
    /// 0x03 and 0x0C to 0x0F mean what the issuer says.
    case application(UInt8)
    case reserved(UInt8)

    public init(_ value: UInt8) {
        switch value {
        case 0: self = .valid
        case 1: self = .invalid
        case 2: self = .suspended
        case 3, 0x0C...0x0F: self = .application(value)
        default: self = .reserved(value)
        }
    }

    public var value: UInt8 {
        switch self {
        case .valid: 0
        case .invalid: 1
        case .suspended: 2
        case .application(let value), .reserved(let value): value
        }
    }

    /// `0x0C`.
    static func hex(_ value: UInt8) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return "0x" + (text.utf8.count < 2 ? "0\(text)" : text)
    }
}

/// Why a status list, or a step on the way to it, says nothing: the check of the catalogue, and its text.
public struct StatusFault: Error, Sendable, Hashable {
    /// `T12.signature`.
    public let check: String
    /// What fills the places of the catalogue's message.
    public let values: [String]
    public let detail: String?

    public init(_ check: String, values: [String] = [], detail: String? = nil) {
        self.check = check
        self.values = values
        self.detail = detail
    }

    /// The whole text.
    public var message: String {
        let text = CheckCatalogue.row(check)?.message(filling: values) ?? check
        return detail.map { "\(text): \($0)" } ?? text
    }
}
