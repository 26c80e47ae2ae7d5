public import Codec
public import Credentials

/// What the mdoc hands over by QR or NFC so that a reader can find it and speak to it in confidence
/// (ISO/IEC 18013-5:2021 §8.2.1.1, 2nd edition WD2 §9.1).
///
///     { 0: tstr version, 1: [ int cipher suite, EDeviceKeyBytes ], ? 2: [ + DeviceRetrievalMethod ],
///       ? 5: [ * OriginInfo ], ? 6: { * int => bool } capabilities, * int => any }
///
/// Keys 3 and 4 (server retrieval, protocol info of the 1st edition) and unknown ones are ignored.
public struct DeviceEngagement: Sendable, Hashable, CBORCodable {
    /// The engagement exactly as received or made; the session transcript is over these bytes.
    public let encoded: [UInt8]
    /// "1.0", or "1.1" with members of the 2nd edition.
    public let version: String
    /// 1 is the only suite there is.
    public let cipherSuite: Int
    /// The complete tag-24 item `D8 18 58 …` that holds a COSE_Key, as received. Not yet looked into.
    public let eDeviceKeyBytes: [UInt8]
    /// Nil when key 2 is absent, as it is in NFC engagements.
    public let retrievalMethods: [RetrievalMethod]?
    /// Key 5 of the 2nd edition, encoded; nil when absent.
    public let originInfos: [UInt8]?
    /// Key 6 of the 2nd edition; nil when absent.
    public let capabilities: [Int: Bool]?

    /// Makes an engagement. The version is "1.1" when origin infos or capabilities are given, "1.0" otherwise.
    /// - Parameter capabilities: numbers that are stated as true; capabilities bring an empty list of origin infos with them.
    public init(eDeviceKey: COSEKey, retrievalMethods: [RetrievalMethod]?, capabilities: [Int]? = nil) {
        let keyBytes = Embedded(eDeviceKey).encoded
        var encoder = CBOREncoder()
        encoder.map(2 + (retrievalMethods == nil ? 0 : 1) + (capabilities == nil ? 0 : 2))
        encoder.int(0)
        encoder.text(capabilities == nil ? "1.0" : "1.1")
        encoder.int(1)
        encoder.array(2)
        encoder.int(1)
        encoder.raw(keyBytes)
        if let retrievalMethods {
            encoder.int(2)
            encoder.array(retrievalMethods.count)
            for method in retrievalMethods { encoder.encode(method) }
        }
        if let capabilities {
            encoder.int(5)
            encoder.array(0)
            encoder.int(6)
            encoder.map(capabilities.count)
            for capability in capabilities.sorted() {
                encoder.int(capability)
                encoder.bool(true)
            }
        }
        encoded = encoder.bytes
        version = capabilities == nil ? "1.0" : "1.1"
        cipherSuite = 1
        eDeviceKeyBytes = keyBytes
        self.retrievalMethods = retrievalMethods
        originInfos = capabilities.map { _ in [0x80] }
        self.capabilities = capabilities.map { Dictionary(uniqueKeysWithValues: Set($0).map { ($0, true) }) }
    }

    init(
        encoded: [UInt8], version: String, cipherSuite: Int, eDeviceKeyBytes: [UInt8], retrievalMethods: [RetrievalMethod]?,
        originInfos: [UInt8]?, capabilities: [Int: Bool]?
    ) {
        self.encoded = encoded
        self.version = version
        self.cipherSuite = cipherSuite
        self.eDeviceKeyBytes = eDeviceKeyBytes
        self.retrievalMethods = retrievalMethods
        self.originInfos = originInfos
        self.capabilities = capabilities
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        encoded = cbor.encoded
        version = try cbor[0].text()
        let security = try cbor[1]
        let parts = try Array(security.array())
        guard parts.count >= 2 else { throw security.error(.expected("array of 2", found: "array of \(parts.count)")) }
        cipherSuite = try parts[0].int()
        eDeviceKeyBytes = parts[1].encoded
        retrievalMethods = try cbor.optional(2).map { (list) throws(CBORError) in
            try Array(list.array()).map { (item) throws(CBORError) in try RetrievalMethod(item) }
        }
        originInfos = try cbor.optional(5)?.encoded
        capabilities = try cbor.optional(6).map { (members) throws(CBORError) in
            var found: [Int: Bool] = [:]
            // Capability values that are no booleans are reserved for later editions.
            for (key, value) in try members.map() where key.kind == .unsigned || key.kind == .negative {
                if value.kind == .bool { found[try key.int()] = try value.bool() }
            }
            return found
        }
    }

    public func encode(to encoder: inout CBOREncoder) { encoder.raw(encoded) }

    /// The mdoc's ephemeral key.
    /// - Throws: when it is not tag 24 around a COSE_Key.
    public func eDeviceKey() throws(CBORError) -> COSEKey {
        try Embedded<COSEKey>(try CBOR(decoding: eDeviceKeyBytes)).value
    }

    /// The engagement inside tag 24, as the session transcript holds it.
    public var taggedBytes: [UInt8] {
        var encoder = CBOREncoder()
        encoder.embedded(encoded)
        return encoder.bytes
    }
}
