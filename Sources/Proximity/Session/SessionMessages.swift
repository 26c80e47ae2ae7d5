public import Codec

/// The status of a SessionData message (ISO/IEC 18013-5:2021 §9.1.1.4 table 15).
public struct SessionStatus: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt64
    /// Any number; those that are not defined are told apart by `R3.unknown`.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// 10: a message could not be decrypted.
    public static let encryptionError = SessionStatus(rawValue: 10)
    /// 11: a message could not be decoded.
    public static let decodingError = SessionStatus(rawValue: 11)
    /// 20: the session is over.
    public static let termination = SessionStatus(rawValue: 20)

    /// Whether it tells of an error; such a message carries no data.
    public var isError: Bool { self == .encryptionError || self == .decodingError }

    public var description: String { String(rawValue) }
}

/// The reader's first message: its ephemeral key and the first encrypted request.
///
///     SessionEstablishment = { "eReaderKey": EReaderKeyBytes, "data": bstr }
public struct SessionEstablishment: Sendable, Hashable, CBORCodable {
    /// The complete tag-24 item as received; the session transcript is over these bytes.
    public var eReaderKeyBytes: [UInt8]
    /// Ciphertext and tag of a DeviceRequest.
    public var data: [UInt8]

    /// Key bytes complete with tag 24, data as sealed.
    public init(eReaderKeyBytes: [UInt8], data: [UInt8]) { (self.eReaderKeyBytes, self.data) = (eReaderKeyBytes, data) }

    public init(_ cbor: CBOR) throws(CBORError) {
        let key = try cbor["eReaderKey"]
        _ = try key.tagged(24).byteSlice()
        (eReaderKeyBytes, data) = (key.encoded, try cbor["data"].bytes())
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(2)
        encoder.text("eReaderKey")
        encoder.raw(eReaderKeyBytes)
        encoder.text("data")
        encoder.bytes(data)
    }
}

/// Every further message of either side.
///
///     SessionData = { ? "data": bstr, ? "status": uint }
public struct SessionData: Sendable, Hashable, CBORCodable {
    /// Ciphertext and tag of a DeviceRequest or DeviceResponse.
    public var data: [UInt8]?
    /// Says how the session goes on; nil when it just does.
    public var status: SessionStatus?

    /// At least one of both is needed.
    public init(data: [UInt8]? = nil, status: SessionStatus? = nil) { (self.data, self.status) = (data, status) }

    /// - Throws: also when neither member is there, for such a message says nothing.
    public init(_ cbor: CBOR) throws(CBORError) {
        data = try cbor.optional("data")?.bytes()
        status = try cbor.optional("status").map { (item) throws(CBORError) in SessionStatus(rawValue: try item.uint()) }
        guard data != nil || status != nil else { throw cbor.error(.missing("\"data\" or \"status\"")) }
    }

    /// Whether a message only says that the session is over.
    static func isGoodbye(_ message: [UInt8]) -> Bool {
        (try? SessionData(decoding: message)) == SessionData(status: .termination)
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map((data == nil ? 0 : 1) + (status == nil ? 0 : 1))
        if let data {
            encoder.text("data")
            encoder.bytes(data)
        }
        if let status {
            encoder.text("status")
            encoder.int(status.rawValue)
        }
    }
}
