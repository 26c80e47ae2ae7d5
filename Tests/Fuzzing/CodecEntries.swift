import Codec

/// What only takes bytes apart.
enum CodecEntries {
    static let all = [
        FuzzEntry("cbor", cbor),
        FuzzEntry("diagnostic") { notation(String(decoding: $0, as: UTF8.self)) },
        FuzzEntry("der", der),
        FuzzEntry("text") { text(String(decoding: $0, as: UTF8.self), $0) },
    ]

    /// Diagnostic notation reads back to the same bytes; canonical encoding is canonical.
    private static func cbor(_ bytes: [UInt8]) {
        do {
            let item = try CBOR(decoding: bytes)
            require((try? CBORDiagnostic.parse(CBORDiagnostic.format(item))) == bytes, "notation reads back")
            let canonical = item.canonical()
            let again = try? CBOR(decoding: canonical)
            require(again?.canonical() == canonical && again?.usesPreferredEncoding == true, "canonical encoding is canonical")
            _ = CBORDiagnostic.format(item, options: .init(isMultiline: true, showsOffsets: true, longestBytes: 3))
            read(item, depth: 0)
        } catch {
            require((error.offset ?? 0) <= bytes.count, "offsets lie in the input")
            _ = error.description
        }
    }

    private static func read(_ item: CBOR, depth: Int) {
        _ = item.path.description
        _ = (try? item.int(), try? item.double(), try? item.text(), try? item["a"], try? item[0], try? item[-1])
        guard depth < 4 else { return }
        if let embedded = try? item.embedded() { read(embedded, depth: depth + 1) }
        for element in (try? item.array()).map({ Array($0) }) ?? [] { read(element, depth: depth + 1) }
        for pair in (try? item.map()).map({ Array($0) }) ?? [] {
            read(pair.key, depth: depth + 1)
            read(pair.value, depth: depth + 1)
        }
    }

    /// What notation writes is CBOR within the limits, or is refused.
    private static func notation(_ text: String) {
        guard let bytes = try? CBORDiagnostic.parse(text), let item = try? CBOR(decoding: bytes) else { return }
        require((try? CBORDiagnostic.parse(CBORDiagnostic.format(item))) == bytes, "notation reads back")
    }

    private static func der(_ bytes: [UInt8]) {
        if let node = try? DERNode(decoding: bytes) { read(node) }
        _ = OID(content: bytes)?.description
    }

    private static func read(_ node: DERNode) {
        _ = (try? node.int(), try? node.bool(), try? node.bitString(), try? node.string(), try? node.oid())
        for child in (try? node.children()) ?? [] { read(child) }
    }

    /// JSON, base64, PEM and deflate.
    private static func text(_ text: String, _ bytes: [UInt8]) {
        if let bytes = try? Base64URL.decode(text) { require(Base64URL.encode(bytes) == text, "one text for each value") }
        if let bytes = try? Base64.decode(text) { require(Base64.encode(bytes) == text, "one text for each value") }
        _ = try? PEM.blocks(in: text)
        if let json = try? JSON.decode(bytes) { require((try? JSON.decode(json.encoded(pretty: true))) == json, "JSON reads back") }
        for format in [Deflate.Format.raw, .zlib] { _ = try? Deflate.inflate(bytes, limit: 1000, format: format) }
    }
}
