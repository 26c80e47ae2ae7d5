public import Codec
import Ports

/// The CBOR type that a document's definition gives a data element.
public indirect enum ElementType: Sendable, Hashable {
    case text
    case unsigned
    case boolean
    case bytes
    /// JPEG or JPEG 2000 (ISO/IEC 18013-5:2021 §7.2.1).
    case picture
    /// `full-date = #6.1004(tstr)`, "YYYY-MM-DD".
    case fullDate
    /// `tdate = #6.0(tstr)`, "YYYY-MM-DDThh:mm:ssZ".
    case tdate
    /// One of the two date forms.
    case date
    case list(ElementType)
    /// A map of named members; names not listed may appear.
    case record([Member])
    /// The first type that fits.
    case choice([ElementType])
    case any

    /// A member of a record.
    public struct Member: Sendable, Hashable {
        /// The key.
        public let name: String
        /// The type of the value.
        public let type: ElementType

        /// A member of this name and type.
        public init(_ name: String, _ type: ElementType) {
            self.name = name
            self.type = type
        }
    }

    /// Whether `value` has this type.
    public func matches(_ value: CBOR) -> Bool {
        switch self {
        case .text: value.kind == .text
        case .unsigned: value.kind == .unsigned
        case .boolean: value.kind == .bool
        case .bytes, .picture: value.kind == .bytes
        case .fullDate, .tdate, .date: dateFault(in: value) == nil
        case .list(let type): (try? value.array())?.allSatisfy(type.matches) ?? false
        case .record(let members): (try? value.map()) != nil && members.allSatisfy { $0.matches(in: value) }
        case .choice(let types): types.contains { $0.matches(value) }
        case .any: true
        }
    }

    /// Why a date within `value` breaks the form its definition asks for; nil when all dates are right or the value has no date.
    /// The answer names the member: "issue_date is not full-date".
    public func dateFault(in value: CBOR) -> String? {
        switch self {
        case .fullDate: Self.isFullDate(value) ? nil : "is not full-date"
        case .tdate: Self.isTDate(value) ? nil : "is not tdate"
        case .date: Self.isFullDate(value) || Self.isTDate(value) ? nil : "is not tdate or full-date"
        case .list(let type): (try? value.array())?.lazy.compactMap(type.dateFault).first
        case .record(let members): members.lazy.compactMap { $0.dateFault(in: value) }.first
        case .choice(let types):
            types.contains { $0.matches(value) } ? nil : types.lazy.compactMap { $0.dateFault(in: value) }.first
        case .text, .unsigned, .boolean, .bytes, .picture, .any: nil
        }
    }

    /// "YYYY-MM-DD", a day of the calendar. Read without strings: every presentation has several.
    private static func isFullDate(_ value: CBOR) -> Bool {
        guard let bytes = (try? value.tagged(1004).text()).map({ ArraySlice($0.utf8) }) else { return false }
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return false }
        guard let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]) else {
            return false
        }
        return Timestamp(year: year, month: month, day: day) != nil
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.reduce(0 as Int?) { value, digit in
            guard let value, (0x30...0x39).contains(digit) else { return nil }
            return value * 10 + Int(digit - 0x30)
        }
    }

    private static func isTDate(_ value: CBOR) -> Bool {
        (try? TDate(value))?.isWellFormed ?? false
    }
}

extension ElementType.Member {
    fileprivate func matches(in record: CBOR) -> Bool {
        guard let value = try? record.optional(name) else { return true }
        return type.matches(value)
    }

    fileprivate func dateFault(in record: CBOR) -> String? {
        guard let value = try? record.optional(name), let fault = type.dateFault(in: value) else { return nil }
        return "\(name) \(fault)"
    }
}
