public import Codec

/// The extensions that rules look at, decoded once when the certificate is read.
///
/// A certificate is refused as a whole when a critical one is malformed, or one that says what the key may do. A malformed pointer
/// or name counts as absent, so that the rules report it and everything else can still be shown.
public struct KnownExtensions: Sendable {
    public private(set) var keyUsage: KeyUsage?
    public private(set) var basicConstraints: BasicConstraints?
    /// The purposes, in order.
    public private(set) var extendedKeyUsage: [OID]?
    public private(set) var subjectKeyIdentifier: [UInt8]?
    public private(set) var authorityKeyIdentifier: AuthorityKeyIdentifier?
    public private(set) var issuerAlternativeName: [GeneralName]?
    public private(set) var subjectAlternativeName: [GeneralName]?
    public private(set) var crlDistributionPoints: [DistributionPoint]?
    public private(set) var authorityInformationAccess: [AccessDescription]?
    /// Those that are not what their definition says and count as absent.
    public private(set) var malformed: [OID] = []

    private static let pointersAndNames: Set<OID> = [
        .subjectKeyIdentifier, .authorityKeyIdentifier, .issuerAlternativeName, .subjectAlternativeName, .crlDistributionPoints,
        .authorityInformationAccess,
    ]

    /// Refuses a second extension of one kind, and known ones that are not what their definition says and matter to path validation.
    init(_ extensions: [CertificateExtension]) throws(CertificateError) {
        var seen: Set<OID> = []
        for item in extensions {
            guard seen.insert(item.oid).inserted else { throw .duplicateExtension(item.oid) }
            do {
                try read(item)
            } catch {
                guard !item.isCritical, Self.pointersAndNames.contains(item.oid) else { throw .malformedExtension(item.oid, error) }
                malformed.append(item.oid)
            }
        }
    }

    private mutating func read(_ item: CertificateExtension) throws(DERError) {
        func value() throws(DERError) -> DERNode { try DERNode(decoding: item.value) }
        switch item.oid {
        case .keyUsage: keyUsage = try KeyUsage(try value())
        case .basicConstraints: basicConstraints = try BasicConstraints(try value())
        case .extendedKeyUsage:
            let node = try value()
            let purposes = try node.elements { purpose throws(DERError) in try purpose.oid() }
            // SEQUENCE SIZE (1..MAX): an empty list would say that the key is for nothing.
            guard !purposes.isEmpty else { throw node.error(.invalid("list of no purposes")) }
            extendedKeyUsage = purposes
        case .subjectKeyIdentifier: subjectKeyIdentifier = try value().octetString()
        case .authorityKeyIdentifier: authorityKeyIdentifier = try AuthorityKeyIdentifier(try value())
        case .issuerAlternativeName:
            issuerAlternativeName = try value().elements { node throws(DERError) in try GeneralName(node) }
        case .subjectAlternativeName:
            subjectAlternativeName = try value().elements { node throws(DERError) in try GeneralName(node) }
        case .crlDistributionPoints:
            crlDistributionPoints = try value().elements { node throws(DERError) in try DistributionPoint(node) }
        case .authorityInformationAccess:
            authorityInformationAccess = try value().elements { node throws(DERError) in try AccessDescription(node) }
        default: break
        }
    }
}

extension DERNode {
    /// The elements of a SEQUENCE OF.
    func elements<T>(_ read: (DERNode) throws(DERError) -> T) throws(DERError) -> [T] {
        var result: [T] = []
        for node in try sequence() { result.append(try read(node)) }
        return result
    }

    /// A BOOLEAN as BER writes it, any number but 0 being true: real certificates have it. That it is no DER, a rule says.
    func anyBoolean() throws(DERError) -> Bool {
        guard hasTag(1), !isConstructed, content.count == 1 else { throw error(.expected("BOOLEAN", found: tagName)) }
        return content != [0]
    }

    /// The content of an IMPLICIT IA5String.
    fileprivate func ia5() throws(DERError) -> String {
        guard !isConstructed, let text = StringForm.ia5.decode(content) else { throw error(.invalid("\(tagName) is no IA5String")) }
        return text
    }
}

extension KeyUsage {
    init(_ node: DERNode) throws(DERError) {
        let bytes = try node.bitString().bytes
        var value: UInt16 = 0
        for position in 0..<9 where position / 8 < bytes.count {
            if bytes[position / 8] & (0x80 >> UInt8(position % 8)) != 0 { value |= 1 << UInt16(position) }
        }
        self.init(rawValue: value)
    }
}

extension BasicConstraints {
    init(_ node: DERNode) throws(DERError) {
        self = try node.sequence { cursor throws(DERError) in
            let isCA = try cursor.optional(1)?.anyBoolean() ?? false
            guard cursor.remaining > 0 else { return BasicConstraints(isCA: isCA) }
            let length = try cursor.next("pathLenConstraint")
            let bytes = try length.integerBytes()
            guard let first = bytes.first, first < 0x80 else { throw length.error(.invalid("negative path length")) }
            return BasicConstraints(isCA: isCA, pathLength: bytes.count > 1 ? 255 : Int(first))
        }
    }
}

extension AuthorityKeyIdentifier {
    init(_ node: DERNode) throws(DERError) {
        self = try node.sequence { cursor throws(DERError) in
            let key = cursor.optional(0, .contextSpecific)
            let issuer = cursor.optional(1, .contextSpecific)
            let serial = cursor.optional(2, .contextSpecific)
            return AuthorityKeyIdentifier(keyIdentifier: key?.content, hasIssuerAndSerial: issuer != nil || serial != nil)
        }
    }
}

extension GeneralName {
    init(_ node: DERNode) throws(DERError) {
        guard node.tagClass == .contextSpecific else { throw node.error(.expected("GeneralName", found: node.tagName)) }
        switch node.tagNumber {
        case 1: self = .email(try node.ia5())
        case 2: self = .dns(try node.ia5())
        case 4: self = .directoryName(try DistinguishedName(try node.explicit(4)))
        case 6: self = .uri(try node.ia5())
        case 7: self = .ipAddress(node.content)
        case 0, 3, 5, 8: self = .other(UInt8(node.tagNumber))
        default: throw node.error(.expected("GeneralName", found: node.tagName))
        }
    }
}

extension DistributionPoint {
    init(_ node: DERNode) throws(DERError) {
        self = try node.sequence { cursor throws(DERError) in
            var result = DistributionPoint(names: [])
            if let choice = try cursor.optional(0, .contextSpecific)?.explicit(0) {
                if choice.hasTag(0, .contextSpecific) {
                    for name in try choice.children() { result.names.append(try GeneralName(name)) }
                } else {
                    result.hasRelativeName = true
                }
            }
            result.hasReasons = cursor.optional(1, .contextSpecific) != nil
            result.hasCRLIssuer = cursor.optional(2, .contextSpecific) != nil
            return result
        }
    }
}

extension AccessDescription {
    init(_ node: DERNode) throws(DERError) {
        self = try node.sequence { cursor throws(DERError) in
            let method = try cursor.next("accessMethod").oid()
            return AccessDescription(method: method, location: try GeneralName(try cursor.next("accessLocation")))
        }
    }
}
