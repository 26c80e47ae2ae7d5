public import Codec
public import Crypto

/// What the issuer signs: digests of the elements, the device key, and how long they hold (ISO/IEC 18013-5:2021 §9.1.2.4).
///
///     MobileSecurityObject = {
///         "version": tstr, "digestAlgorithm": tstr,
///         "valueDigests": { + NameSpace => { + DigestID => bstr } },
///         "deviceKeyInfo": { "deviceKey": COSE_Key, ? "keyAuthorizations": KeyAuthorizations, ? "keyInfo": { * int => any } },
///         "docType": tstr, "validityInfo": ValidityInfo, ? "status": any
///     }
///
/// Read leniently where a reader owes a finding and not a refusal: an unknown version or digest algorithm, an unusable device key
/// and times in the wrong form are kept as received.
public struct MobileSecurityObject: Sendable, CBORCodable {
    /// The digests of a name space by digestID.
    public typealias Digests = (nameSpace: NameSpace, digests: [UInt64: [UInt8]])

    /// "1.0", or something that a reader does not support.
    public let version: ProtocolVersion
    /// The name as received: "SHA-256", "SHA-384" or "SHA-512" (Table 21), or something else.
    public let digestAlgorithm: String
    /// By name space, in the order received.
    public let valueDigests: [Digests]
    /// The COSE_Key as received; `deviceKey` reads it.
    public let deviceKeyItem: CBOR
    /// What the device key may sign; nil: nothing.
    public let keyAuthorizations: KeyAuthorizations?
    /// The type of the document.
    public let docType: DocType
    /// How long all of this holds.
    public let validityInfo: ValidityInfo
    /// The revocation reference (WD2 §12.3.6, Token Status List §6.3): `status_list` or `identifier_list`.
    public let status: CBOR?

    /// An object made here.
    public init(
        version: ProtocolVersion = .v1_0, digestAlgorithm: String, valueDigests: [Digests], deviceKeyItem: CBOR,
        keyAuthorizations: KeyAuthorizations? = nil, docType: DocType, validityInfo: ValidityInfo, status: CBOR? = nil
    ) {
        self.version = version
        self.digestAlgorithm = digestAlgorithm
        self.valueDigests = valueDigests
        self.deviceKeyItem = deviceKeyItem
        self.keyAuthorizations = keyAuthorizations
        self.docType = docType
        self.validityInfo = validityInfo
        self.status = status
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        version = ProtocolVersion(try cbor["version"].text())
        digestAlgorithm = try cbor["digestAlgorithm"].text()
        valueDigests = try Self.valueDigests(cbor["valueDigests"])
        let deviceKeyInfo = try cbor["deviceKeyInfo"]
        deviceKeyItem = try deviceKeyInfo["deviceKey"]
        keyAuthorizations = try deviceKeyInfo.decodeOptional("keyAuthorizations")
        docType = try cbor["docType"].text()
        validityInfo = try ValidityInfo(cbor["validityInfo"])
        status = try cbor.optional("status")
    }

    /// The hash function named by `digestAlgorithm`; nil when it is none of Table 21.
    public var hash: HashAlgorithm? { Self.digestAlgorithms[digestAlgorithm] }

    /// The key that device authentication must verify with.
    /// - Throws: when the COSE_Key lacks a member or has one of the wrong type.
    public var deviceKey: COSEKey {
        get throws(CBORError) { try COSEKey(deviceKeyItem) }
    }

    /// The digest that `digestID` names in `nameSpace`.
    public func digest(_ digestID: UInt64, in nameSpace: NameSpace) -> [UInt8]? {
        valueDigests.first { $0.nameSpace == nameSpace }?.digests[digestID]
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(status == nil ? 6 : 7)
        encoder.text("version")
        encoder.text(version.text)
        encoder.text("digestAlgorithm")
        encoder.text(digestAlgorithm)
        encoder.text("valueDigests")
        encodeValueDigests(to: &encoder)
        encoder.text("deviceKeyInfo")
        encoder.map(keyAuthorizations == nil ? 1 : 2)
        encoder.text("deviceKey")
        encoder.item(deviceKeyItem)
        if let keyAuthorizations {
            encoder.text("keyAuthorizations")
            encoder.encode(keyAuthorizations)
        }
        encoder.text("docType")
        encoder.text(docType)
        encoder.text("validityInfo")
        encoder.encode(validityInfo)
        if let status {
            encoder.text("status")
            encoder.item(status)
        }
    }

    private func encodeValueDigests(to encoder: inout CBOREncoder) {
        encoder.map(valueDigests.count)
        for (nameSpace, digests) in valueDigests {
            encoder.text(nameSpace)
            encoder.map(digests.count)
            for (digestID, digest) in digests.sorted(by: { $0.key < $1.key }) {
                encoder.int(digestID)
                encoder.bytes(digest)
            }
        }
    }

    private static func valueDigests(_ cbor: CBOR) throws(CBORError) -> [Digests] {
        var all: [Digests] = []
        for (nameSpace, list) in try cbor.map() {
            var digests = [UInt64: [UInt8]](minimumCapacity: list.count)
            for (digestID, digest) in try list.map() { digests[try digestID.uint()] = try digest.bytes() }
            all.append((try nameSpace.text(), digests))
        }
        return all
    }

    private static let digestAlgorithms: [String: HashAlgorithm] = ["SHA-256": .sha256, "SHA-384": .sha384, "SHA-512": .sha512]

    /// The name of a hash function in Table 21.
    static func name(of hash: HashAlgorithm) -> String {
        digestAlgorithms.first { $0.value == hash }?.key ?? hash.rawValue
    }
}

/// How long the elements and the signature hold (ISO/IEC 18013-5:2021 §9.1.2.4).
///
///     ValidityInfo = { "signed": tdate, "validFrom": tdate, "validUntil": tdate, ? "expectedUpdate": tdate }
public struct ValidityInfo: Sendable, Hashable, CBORCodable {
    /// When the issuer signed.
    public let signed: TDate
    /// The beginning of validity, not before `signed`.
    public let validFrom: TDate
    /// The end of validity, after `validFrom`.
    public let validUntil: TDate
    /// When the issuer expects to sign again.
    public let expectedUpdate: TDate?

    /// From its members.
    public init(signed: TDate, validFrom: TDate, validUntil: TDate, expectedUpdate: TDate? = nil) {
        self.signed = signed
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.expectedUpdate = expectedUpdate
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        signed = try TDate(cbor["signed"])
        validFrom = try TDate(cbor["validFrom"])
        validUntil = try TDate(cbor["validUntil"])
        expectedUpdate = try cbor.decodeOptional("expectedUpdate")
    }

    /// The members by name, in the order of the definition.
    public var members: [(name: String, value: TDate)] {
        let required = [("signed", signed), ("validFrom", validFrom), ("validUntil", validUntil)]
        return required + (expectedUpdate.map { [("expectedUpdate", $0)] } ?? [])
    }

    /// Whether every time has the form that the standard asks for.
    var isWellFormed: Bool {
        signed.isWellFormed && validFrom.isWellFormed && validUntil.isWellFormed && expectedUpdate?.isWellFormed != false
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(members.count)
        for (name, value) in members {
            encoder.text(name)
            encoder.encode(value)
        }
    }
}
