// Compiled together with Sources/Codec by scripts/fuzz. Whatever the bytes: nothing crashes, and what decodes keeps its promises.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    fuzzCBOR(bytes)
    fuzzText(String(decoding: bytes, as: UTF8.self))
    fuzzJSON(bytes)
    if let node = try? DERNode(decoding: bytes) { read(node) }
    _ = OID(content: bytes)?.description
    for format in [Deflate.Format.raw, .zlib] { _ = try? Deflate.inflate(bytes, limit: 1000, format: format) }
    return 0
}

/// Diagnostic notation reads back to the same bytes; canonical encoding is canonical.
private func fuzzCBOR(_ bytes: [UInt8]) {
    do {
        let item = try CBOR(decoding: bytes)
        require((try? CBORDiagnostic.parse(CBORDiagnostic.format(item))) == bytes, "notation reads back", bytes)
        let canonical = item.canonical()
        let again = try? CBOR(decoding: canonical)
        require(again?.canonical() == canonical && again?.usesPreferredEncoding == true, "canonical encoding is canonical", bytes)
        _ = CBORDiagnostic.format(item, options: .init(isMultiline: true, showsOffsets: true, longestBytes: 3))
        read(item, depth: 0)
    } catch {
        require((error.offset ?? 0) <= bytes.count, "offsets lie in the input", bytes)
        _ = error.description
    }
}

private func read(_ item: CBOR, depth: Int) {
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

private func fuzzText(_ text: String) {
    if let bytes = try? CBORDiagnostic.parse(text) { _ = try? CBOR(decoding: bytes) }
    if let bytes = try? Base64URL.decode(text) { require(Base64URL.encode(bytes) == text, "one text for each value", bytes) }
    if let bytes = try? Base64.decode(text) { require(Base64.encode(bytes) == text, "one text for each value", bytes) }
    _ = try? PEM.blocks(in: text)
}

private func fuzzJSON(_ bytes: [UInt8]) {
    guard let json = try? JSON.decode(bytes) else { return }
    require((try? JSON.decode(json.encoded(pretty: true))) == json, "JSON reads back", bytes)
}

private func read(_ node: DERNode) {
    _ = (try? node.int(), try? node.bool(), try? node.bitString(), try? node.string(), try? node.oid())
    for child in (try? node.children()) ?? [] { read(child) }
}

private func require(_ condition: Bool, _ promise: String, _ bytes: [UInt8]) {
    precondition(condition, "\(promise): \(Hex.encode(bytes))")
}
