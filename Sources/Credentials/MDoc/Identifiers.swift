/// The type of a document, such as "org.iso.18013.5.1.mDL". Compared byte for byte (ISO/IEC 18013-5:2021 §8.1).
public typealias DocType = String
/// A name space of data elements, such as "org.iso.18013.5.1". Compared byte for byte.
public typealias NameSpace = String
/// The identifier of a data element within its name space, such as "family_name". Compared byte for byte.
public typealias DataElementIdentifier = String

/// The version text of a top-level structure, "major.minor" (ISO/IEC 18013-5:2021 §8.1; WD2 §8.3).
///
/// Another minor version is read like the known one (its unknown members are ignored); another major version is not supported.
/// The text stays as received, so that a report can show it.
public struct ProtocolVersion: Sendable, Hashable, CustomStringConvertible {
    /// The text as received.
    public let text: String
    /// The number before the dot; nil when the text is not "major.minor".
    public let major: Int?
    /// The number after the dot; nil when the text is not "major.minor".
    public let minor: Int?

    /// Reads the text; one that is no version has neither major nor minor number.
    public init(_ text: String) {
        self.text = text
        let dot = text.utf8.firstIndex(of: UInt8(ascii: "."))
        let numbers = dot.map { (Self.number(text[..<$0]), Self.number(text[text.utf8.index(after: $0)...])) }
        let pair: (Int, Int)? = if case (let major?, let minor?)? = numbers { (major, minor) } else { nil }
        major = pair?.0
        minor = pair?.1
    }

    /// The version of the first edition.
    public static let v1_0 = ProtocolVersion("1.0")
    /// The version of structures with members of the second edition.
    public static let v1_1 = ProtocolVersion("1.1")

    /// Whether the structure can be read at all: major version 1.
    public var isSupported: Bool { major == 1 }

    /// Whether one of the editions defines exactly this version: "1.0" or "1.1".
    public var isDefined: Bool { self == .v1_0 || self == .v1_1 }

    public var description: String { text }

    private static func number(_ digits: Substring) -> Int? {
        digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
    }
}
