import Codec

/// Tells which structure an item is, by the members that only it has.
enum Recogniser {
    static func structure(of item: CBOR) -> Structure? {
        switch item.kind {
        case .map: map(item)
        case .array: array(item)
        default: nil
        }
    }

    private static func map(_ item: CBOR) -> Structure? {
        let named = rules.first { rule in rule.keys.allSatisfy { has(item, $0) } }?.structure
        if let named { return named }
        if (try? item.optional(0)?.kind) == .text, (try? item.optional(1)?.kind) == .array { return .deviceEngagement }
        if (try? item.optional(1)?.int()) != nil, (try? item.optional(-1)) ?? nil != nil { return .coseKey }
        if [65533, 65530].contains(where: { (try? item.optional($0)?.kind) == .map }) { return .cwtClaims }
        return isSessionData(item) ? .sessionData : nil
    }

    private static func has(_ item: CBOR, _ key: String) -> Bool { ((try? item.optional(key)) ?? nil) != nil }

    /// Most telling first.
    private static let rules: [(keys: [String], structure: Structure)] = [
        (["eReaderKey", "data"], .sessionEstablishment),
        (["version", "docRequests"], .deviceRequest),
        (["digestAlgorithm", "valueDigests"], .mobileSecurityObject),
        (["digestID", "random", "elementIdentifier"], .issuerSignedItem),
        (["docType", "issuerSigned"], .document),
        (["vicalProvider", "certificateInfos"], .vical),
        (["provider", "certificateInfos"], .rical),
        (["registry_uri", "entitlements"], .registration),
        (["version", "documents"], .deviceResponse),
        (["version", "documentErrors"], .deviceResponse),
        (["issuerAuth"], .issuerSigned),
        (["nameSpaces", "deviceAuth"], .deviceSigned),
        (["docType", "nameSpaces"], .itemsRequest),
        (["itemsRequest"], .docRequest),
        (["deviceSignature"], .deviceAuth),
        (["deviceMac"], .deviceAuth),
        (["bits", "lst"], .statusList),
    ]

    private static func isSessionData(_ item: CBOR) -> Bool {
        let data = try? item.optional("data")?.kind
        let status = try? item.optional("status")?.kind
        let version = has(item, "version")
        if version && status == .unsigned { return false }
        return data == .bytes && item.count <= 2 || status == .unsigned && item.count == 1
    }

    private static func array(_ item: CBOR) -> Structure? {
        switch try? item[0].text() {
        case "DeviceAuthentication": return .deviceAuthentication
        case "ReaderAuthentication": return .readerAuthentication
        case "ReaderAuthenticationAll": return .readerAuthenticationAll
        case "Signature1": return .sigStructure
        case "MAC0": return .macStructure
        default: return isMessage(item) ? (isMAC(item) ? .coseMac0 : .coseSign1) : isTranscript(item) ? .sessionTranscript : nil
        }
    }

    private static func isMessage(_ item: CBOR) -> Bool {
        guard let parts = try? item.array(count: 4) else { return false }
        return parts[0].kind == .bytes && parts[1].kind == .map && (parts[2].kind == .bytes || parts[2].isNull)
            && parts[3].kind == .bytes
    }

    private static func isMAC(_ item: CBOR) -> Bool {
        guard let headers = try? item[0].embeddedContent(), let algorithm = try? headers[1].int() else { return false }
        return (4...7).contains(algorithm)
    }

    private static func isTranscript(_ item: CBOR) -> Bool {
        guard let parts = try? item.array(count: 3) else { return false }
        let isEmbedded = { (part: CBOR) in part.tagNumber == 24 || part.isNull }
        return isEmbedded(parts[0]) && isEmbedded(parts[1]) && [.null, .array].contains(parts[2].kind)
    }
}
