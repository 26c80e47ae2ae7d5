public import Codec

/// One extension of a certificate, CRL or CRL entry (RFC 5280 §4.2).
public struct CertificateExtension: Sendable, Hashable {
    public let oid: OID
    public let isCritical: Bool
    /// The content of extnValue: DER.
    public let value: [UInt8]

    public init(_ oid: OID, critical: Bool = false, value: [UInt8]) {
        self.oid = oid
        self.isCritical = critical
        self.value = value
    }
}

/// Key usage (RFC 5280 §4.2.1.3). Bit 0 of the BIT STRING is the first case.
public struct KeyUsage: OptionSet, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let digitalSignature = KeyUsage(rawValue: 1 << 0)
    public static let nonRepudiation = KeyUsage(rawValue: 1 << 1)
    public static let keyEncipherment = KeyUsage(rawValue: 1 << 2)
    public static let dataEncipherment = KeyUsage(rawValue: 1 << 3)
    public static let keyAgreement = KeyUsage(rawValue: 1 << 4)
    public static let keyCertSign = KeyUsage(rawValue: 1 << 5)
    public static let cRLSign = KeyUsage(rawValue: 1 << 6)
    public static let encipherOnly = KeyUsage(rawValue: 1 << 7)
    public static let decipherOnly = KeyUsage(rawValue: 1 << 8)

    private static let names = [
        "digitalSignature", "nonRepudiation", "keyEncipherment", "dataEncipherment", "keyAgreement", "keyCertSign", "cRLSign",
        "encipherOnly", "decipherOnly",
    ]

    /// RFC 5280's names of the bits that are set.
    public var bitNames: [String] {
        Self.names.indices.filter { rawValue & (1 << UInt16($0)) != 0 }.map { Self.names[$0] }
    }

    public var description: String { bitNames.joined(separator: "+") }
}

/// Basic constraints (RFC 5280 §4.2.1.9).
public struct BasicConstraints: Sendable, Hashable {
    public var isCA: Bool
    /// How many intermediate certificates may follow; nil: any number. Values past 255 count as 255.
    public var pathLength: Int?

    public init(isCA: Bool, pathLength: Int? = nil) {
        self.isCA = isCA
        self.pathLength = pathLength
    }
}

/// Authority key identifier (RFC 5280 §4.2.1.1).
public struct AuthorityKeyIdentifier: Sendable, Hashable {
    public var keyIdentifier: [UInt8]?
    public var hasIssuerAndSerial: Bool

    public init(keyIdentifier: [UInt8]?, hasIssuerAndSerial: Bool = false) {
        self.keyIdentifier = keyIdentifier
        self.hasIssuerAndSerial = hasIssuerAndSerial
    }
}

/// A general name (RFC 5280 §4.2.1.6), as far as it is read here.
public enum GeneralName: Sendable, Hashable, CustomStringConvertible {
    case email(String)
    case dns(String)
    case uri(String)
    case directoryName(DistinguishedName)
    /// 4 or 16 bytes.
    case ipAddress([UInt8])
    /// Some other form, by its context tag.
    case other(UInt8)

    public var description: String {
        switch self {
        case .email(let text): "email:\(text)"
        case .dns(let text): "dns:\(text)"
        case .uri(let text): text
        case .directoryName(let name): name.description
        case .ipAddress(let bytes) where bytes.count == 4: bytes.map(String.init).joined(separator: ".")
        case .ipAddress(let bytes): "ip:" + Hex.encode(bytes)
        case .other(let tag): "general name [\(tag)]"
        }
    }
}

/// A CRL distribution point (RFC 5280 §4.2.1.13).
public struct DistributionPoint: Sendable, Hashable {
    public var names: [GeneralName]
    public var hasRelativeName: Bool
    public var hasReasons: Bool
    public var hasCRLIssuer: Bool

    public init(names: [GeneralName], hasRelativeName: Bool = false, hasReasons: Bool = false, hasCRLIssuer: Bool = false) {
        self.names = names
        self.hasRelativeName = hasRelativeName
        self.hasReasons = hasReasons
        self.hasCRLIssuer = hasCRLIssuer
    }
}

/// One way of authority information access (RFC 5280 §4.2.2.1).
public struct AccessDescription: Sendable, Hashable {
    public var method: OID
    public var location: GeneralName

    public init(method: OID, location: GeneralName) {
        self.method = method
        self.location = location
    }
}
