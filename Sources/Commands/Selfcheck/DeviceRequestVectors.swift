import Codec
import Credentials
import Crypto

/// Requests of both editions: `mdoc/device-requests.json`.
enum DeviceRequestVectors {
    static func cases(_ json: JSON) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for entry in try json.list("cases") {
            results.append(await VectorCase(entry["id"]?.stringValue ?? "?") { try check(entry) })
        }
        return results
    }

    private static func check(_ entry: JSON) throws {
        let bytes = try entry.hex("hex")
        let request = try DeviceRequest.receive(bytes)
        guard let expected = entry["expected"] else { throw Mismatch("the case expects nothing") }
        try expect(request.version.text, equals: try expected.text("version"), "version")
        let published = try expected.list("docRequests")
        try expect(request.docRequests.count, equals: published.count, "number of docRequests")
        for (docRequest, published) in zip(request.docRequests, published) { try check(docRequest, published) }
        try expect(
            Int64(request.readerAuthAll.count), equals: expected["readerAuthAll"]?["count"]?.intValue ?? 0,
            "number of signatures over everything")
        try checkInfo(request, try CBOR(decoding: bytes), expected["deviceRequestInfo"])
    }

    private static func check(_ docRequest: DocRequest, _ published: JSON) throws {
        let items = try CBOR(decoding: Array(docRequest.itemsRequest.content))
        try expect(items, isPublishedAs: published["itemsRequest"], "itemsRequest")
        try expect(
            docRequest.itemsRequest.value.encodedCBOR == items.encoded || !items.usesPreferredEncoding, "re-encodes otherwise")
        guard let auth = published["readerAuth"] else {
            return try expect(docRequest.readerAuth == nil, "is signed")
        }
        guard let signature = docRequest.readerAuth else { throw Mismatch("is not signed") }
        try expect(signature.protected.algorithm.map { Int64($0) }, equals: auth["alg"]?.intValue, "algorithm")
        let chain = (try? signature.x5chain?.certificates) ?? []
        try expect(Int64(chain.count), equals: auth["x5chain_len"]?.intValue ?? -1, "length of x5chain")
        if auth["verifies"]?.boolValue == true { try verify(signature, docRequest, chain, auth) }
    }

    private static func verify(_ signature: COSESign1, _ docRequest: DocRequest, _ chain: [[UInt8]], _ auth: JSON) throws {
        guard let leaf = chain.first else { throw Mismatch("has no certificate to verify with") }
        let transcript = try SessionTranscript(encoded: auth.hex("session_transcript_hex"))
        let payload = ReaderAuthentication.bytes(transcript: transcript, itemsRequest: docRequest.itemsRequest)
        try signature.verify(with: Certificate(der: leaf).publicKey(), detachedPayload: payload)
    }

    private static func checkInfo(_ request: DeviceRequest, _ item: CBOR, _ published: JSON?) throws {
        guard let published else { return try expect(request.deviceRequestInfo == nil, "has deviceRequestInfo") }
        try expect(try item["deviceRequestInfo"], isPublishedAs: published, "deviceRequestInfo")
        let useCases = published["$embedded"]?["useCases"]?.arrayValue ?? []
        try expect(request.deviceRequestInfo?.value.useCases.count ?? 0, equals: useCases.count, "number of use cases")
    }
}
