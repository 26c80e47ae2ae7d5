public import Codec
public import Ports

/// A point in time of the MSO as received: `tdate = #6.0(tstr)`.
///
/// ISO/IEC 18013-5:2021 §9.1.2.4 asks for UTC with `Z` and no fraction of a second. Times that break this form are still read,
/// so that the break becomes a finding instead of hiding everything behind it.
public struct TDate: Sendable, Hashable, CBORCodable {
    /// The text as received, such as "2026-11-30T12:00:00Z".
    public let text: String
    /// Whether the text was inside tag 0.
    public let isTagged: Bool
    /// The moment the text names; nil when it is no RFC 3339 date-time.
    public let timestamp: Timestamp?

    /// A time made here: tag 0, UTC, no fraction.
    public init(_ timestamp: Timestamp) {
        let whole = Timestamp(secondsSince1970: timestamp.secondsSince1970, nanoseconds: 0)
        text = whole.rfc3339
        isTagged = true
        self.timestamp = whole
    }

    /// A time with a form of the caller's choice: what wrong-on-purpose documents are made of.
    init(text: String, isTagged: Bool) {
        self.text = text
        self.isTagged = isTagged
        timestamp = try? Timestamp(rfc3339: text)
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        let isTagged = cbor.kind == .tag
        let text = isTagged ? try cbor.tagged(0).text() : try cbor.text()
        self.init(text: text, isTagged: isTagged)
    }

    /// Whether the time has the form the standard asks for: tag 0, "YYYY-MM-DDThh:mm:ssZ".
    public var isWellFormed: Bool {
        isTagged && timestamp != nil && text.utf8.count == 20 && text.utf8.last == UInt8(ascii: "Z")
    }

    public func encode(to encoder: inout CBOREncoder) {
        if isTagged { encoder.tag(0) }
        encoder.text(text)
    }
}
