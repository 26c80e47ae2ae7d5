/// A point in time, UTC, without leap seconds.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Whole seconds since 1970-01-01T00:00:00Z.
    public var secondsSince1970: Int64
    /// 0 to 999 999 999 on top.
    public var nanoseconds: Int32

    /// A time by its seconds.
    public init(secondsSince1970: Int64, nanoseconds: Int32 = 0) {
        self.secondsSince1970 = secondsSince1970
        self.nanoseconds = nanoseconds
    }

    /// Why text is no time.
    public struct Malformed: Error, Equatable, Sendable, CustomStringConvertible {
        /// The text that was refused.
        public let text: String
        /// An error about a text.
        public init(text: String) { self.text = text }
        /// One line for people.
        public var description: String { "\"\(text)\" is no date and time of RFC 3339, such as 2026-11-30T12:00:00Z" }
    }

    /// A date and time of RFC 3339 with any offset and fraction; a leap second counts as the next second.
    public init(rfc3339 text: String) throws(Malformed) {
        guard let fields = RFC3339(text) else { throw Malformed(text: text) }
        self.init(secondsSince1970: fields.seconds, nanoseconds: fields.nanoseconds)
    }

    /// A civil date and time in UTC, nil where the calendar has no such day or time.
    public init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        self.init(
            secondsSince1970: Int64(Self.dayNumber(year, month, day)) * 86400 + Int64(hour * 3600 + minute * 60 + second))
    }

    /// `2026-11-30T12:00:00Z`: UTC, the fraction left out.
    public var rfc3339: String {
        let (year, month, day) = civil
        return "\(fourDigits(year))-\(twoDigits[month])-\(twoDigits[day])T\(clock(":"))Z"
    }

    /// `YYMMDDhhmmssZ` for years 1950 to 2049 (RFC 5280 §4.1.2.5.1).
    public var utcTime: String { String(generalizedTime.dropFirst(2)) }

    /// `YYYYMMDDhhmmssZ` (RFC 5280 §4.1.2.5.2).
    public var generalizedTime: String {
        let (year, month, day) = civil
        return "\(fourDigits(year))\(twoDigits[month])\(twoDigits[day])\(clock(""))Z"
    }

    /// The RFC 3339 text.
    public var description: String { rfc3339 }

    /// Parts of the civil date and time in UTC.
    public var year: Int { civil.year }
    public var month: Int { civil.month }
    public var day: Int { civil.day }
    public var hour: Int { secondOfDay / 3600 }
    public var minute: Int { secondOfDay / 60 % 60 }
    public var second: Int { secondOfDay % 60 }

    /// A later time, or an earlier one for negative seconds; stays at the ends of the range rather than overflow.
    public func adding(seconds: Int64) -> Timestamp {
        let (sum, overflow) = secondsSince1970.addingReportingOverflow(seconds)
        return Timestamp(secondsSince1970: overflow ? (seconds < 0 ? .min : .max) : sum, nanoseconds: nanoseconds)
    }

    /// A time whole days later.
    public func adding(days: Int) -> Timestamp {
        let (seconds, overflow) = Int64(days).multipliedReportingOverflow(by: 86400)
        return adding(seconds: overflow ? (days < 0 ? .min : .max) : seconds)
    }

    /// Seconds from another time to this one.
    public func seconds(since other: Timestamp) -> Int64 {
        let (difference, overflow) = secondsSince1970.subtractingReportingOverflow(other.secondsSince1970)
        return overflow ? (secondsSince1970 < 0 ? .min : .max) : difference
    }

    /// The same time without the fraction of the second, as messages carry it.
    public var wholeSeconds: Timestamp { Timestamp(secondsSince1970: secondsSince1970) }

    /// Earlier before later.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.secondsSince1970, left.nanoseconds) < (right.secondsSince1970, right.nanoseconds)
    }

    private func clock(_ separator: String) -> String {
        let second = secondOfDay
        return [second / 3600, second / 60 % 60, second % 60].map { twoDigits[$0] }.joined(separator: separator)
    }

    private var secondOfDay: Int {
        let rest = Int(secondsSince1970 % 86400)
        return rest < 0 ? rest + 86400 : rest
    }

    private var civil: (year: Int, month: Int, day: Int) {
        let days = secondsSince1970 / 86400 - (secondsSince1970 % 86400 < 0 ? 1 : 0)
        return Self.civil(dayNumber: Int(days))
    }

    /// Days from 1970-01-01 by the proleptic Gregorian calendar: years start in March so that the leap day is the last.
    static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(dayNumber: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = dayNumber + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    /// Days in a month.
    static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// "00" to "99".
private let twoDigits = (0..<100).map { ($0 < 10 ? "0" : "") + String($0) }

/// A year, of more digits where it needs them.
private func fourDigits(_ year: Int) -> String {
    if (0...9999).contains(year) { return twoDigits[year / 100] + twoDigits[year % 100] }
    let digits = String(year.magnitude)
    return (year < 0 ? "-" : "") + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
}

/// The grammar of RFC 3339 §5.6.
private struct RFC3339 {
    private(set) var seconds: Int64 = 0
    private(set) var nanoseconds: Int32 = 0
    private var rest: ArraySlice<UInt8>

    init?(_ text: String) {
        rest = Array(text.utf8)[...]
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2), skip("T") || skip("t"),
            let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2), fraction(),
            let offset = offset(), rest.isEmpty,
            let local = Timestamp(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        seconds = local.secondsSince1970 - Int64(offset * 60)
    }

    private mutating func number(_ digits: Int) -> Int? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        rest = rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func fraction() -> Bool {
        guard skip(".") else { return true }
        let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
        rest = rest.dropFirst(digits.count)
        nanoseconds = (Array(digits.prefix(9)) + Array(repeating: 0x30, count: max(0, 9 - digits.count)))
            .reduce(0) { $0 * 10 + Int32($1 - 0x30) }
        return !digits.isEmpty
    }

    private mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
