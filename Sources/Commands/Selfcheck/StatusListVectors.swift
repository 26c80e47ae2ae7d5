import Codec
import Credentials
import Crypto
import Ports

/// `status-list/token-status-list.json`: encodings, tokens, resources of another implementation, and what has to be refused.
struct StatusListVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path == "status-list/token-status-list.json" }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        let json = try file.json()
        let key = try PublicKey(jwk: json["example_key"] ?? .null)
        var results: [VectorCase] = []
        for entry in try json.list("encoding_cases") {
            results.append(await VectorCase(try entry.text("id")) { try Self.checkEncoding(entry) })
        }
        for entry in try json.list("tokens") {
            results.append(await VectorCase(try entry.text("id")) { try Self.checkToken(entry, key) })
        }
        for entry in json["waltid_resources"]?["files"]?.arrayValue ?? [] {
            results.append(await VectorCase("walt.id \(try entry.text("file"))") { try Self.checkResource(entry) })
        }
        let tokens = try json.list("tokens")
        for entry in try json.list("negative") {
            results.append(await VectorCase(try entry.text("id")) { try Self.checkRefusal(entry, tokens, key) })
        }
        return results
    }

    // MARK: encodings

    private static func checkEncoding(_ entry: JSON) throws {
        let list = try list(entry["json"] ?? .null)
        let cbor = try CBOR(decoding: entry.hex("cbor_hex"))
        let same = try StatusList(bits: Int64(cbor["bits"].int()), compressed: cbor["lst"].bytes())
        try expect(same, equals: list, "the list in CBOR")
        if let statuses = entry["status_array"]?.arrayValue {
            try expect((0..<list.count).map { list[$0].map(Int64.init) }, equals: statuses.map(\.intValue), "statuses")
            var made = StatusList(bits: list.bits, count: list.count)
            for (index, status) in statuses.enumerated() { made.set(UInt8(status.intValue ?? 0), at: index) }
            try expect(made.bytes, equals: try entry.hex("byte_array_hex"), "packed statuses")
            return
        }
        try expect(list.count, equals: Int(entry["size"]?.intValue ?? 0), "size")
        var expected = StatusList(bits: list.bits, count: list.count)
        for (index, status) in entry["statuses"]?.objectValue ?? JSONObject() {
            guard let index = Int(index), let status = status.intValue.flatMap({ UInt8(exactly: $0) }) else {
                throw Mismatch("\(index) is no place in a list")
            }
            try expect(list[index], equals: status, "status \(index)")
            expected.set(status, at: index)
        }
        try expect(list == expected, "a status that is not listed is not 0")
    }

    private static func list(_ json: JSON) throws -> StatusList {
        try StatusList(bits: json["bits"]?.intValue ?? 0, compressed: Base64URL.decode(json["lst"]?.stringValue ?? ""))
    }

    // MARK: tokens

    private static func bytes(_ entry: JSON) throws -> [UInt8] {
        try entry["jwt"]?.stringValue.map { Array($0.utf8) } ?? entry.hex("cwt_hex")
    }

    private static func checkToken(_ entry: JSON, _ key: PublicKey) throws {
        let token = try StatusToken(bytes(entry))
        try expect(token.isSigned(byOneOf: [key]), "the signature does not verify")
        let claims = entry["claims"] ?? .null
        try expect(token.subject, equals: (claims["sub"] ?? claims["2"])?.stringValue, "sub")
        try expect(token.issuedAt?.secondsSince1970, equals: (claims["iat"] ?? claims["6"])?.intValue, "iat")
        try expect(token.expiresAt?.secondsSince1970, equals: (claims["exp"] ?? claims["4"])?.intValue, "exp")
        try expect(token.timeToLive, equals: (claims["ttl"] ?? claims["65534"])?.intValue, "ttl")
        guard let referenced = claims["65535"] else {
            try expect(try token.list?.get().bytes, equals: try Hex.decode("b9a3"), "the list")
            return
        }
        // The referenced token: its status claim, as an MSO would have it.
        let payload = try CBOR(decoding: COSESign1(CBOR(decoding: bytes(entry))).payload ?? [])
        let status = referenced["status_list"]
        let reference = StatusReference(
            .index(Int(status?["idx"]?.intValue ?? -1)), uri: status?["uri"]?.stringValue ?? "")
        try expect(StatusClaim(mso: payload.optional(65535)), equals: .references([reference]), "status")
    }

    /// Another implementation's tokens, each with the place that its holder's credential has.
    private static func checkResource(_ entry: JSON) throws {
        let content = entry["content"]
        let token = try StatusToken(Array((content?["status-credential"]?.stringValue ?? "").utf8))
        guard case .references(let references) = StatusClaim(jwt: content?["holder-credential"]?["status"]),
            case .index(let index)? = references.first?.mechanism
        else { throw Mismatch("no reference in the credential") }
        if content?["exception"] != nil {
            guard case .failure? = token.list else { throw Mismatch("the list is read") }
            return
        }
        let status = try token.list?.get()[index].map(TokenStatus.init)
        try expect(status == .valid, equals: content?["valid"]?.boolValue ?? false, "valid")
    }

    // MARK: what has to be refused

    private static func checkRefusal(_ entry: JSON, _ tokens: [JSON], _ key: PublicKey) throws {
        switch try entry.text("id") {
        case "index-out-of-range":
            let list = try StatusList(bits: 1, compressed: Hex.decode("78dadbb918000217015d"))
            try expect(list[Int(entry["index"]?.intValue ?? 0)] == nil, "there is a status outside the list")
        case "sub-mismatch": try expectOpen("T14", tokens, key, uri: "https://example.com/statuslists/2")
        case "typ-wrong":
            // The referenced token of the draft: a CWT without this type.
            let token = try StatusToken(bytes(tokens[2]))
            try expect(
                StatusTrial.open(token, uri: "https://example.com/statuslists/1", keys: [key], at: time).contains("T11.typ"),
                "accepted")
        case "expired": try expectOpen("T15.exp", tokens, key, at: Timestamp(secondsSince1970: 2_291_720_231))
        default:
            do { _ = try list(entry["json"] ?? .null) } catch { return }
            throw Mismatch("accepted")
        }
    }

    private static let time = Timestamp(secondsSince1970: 1_700_000_000)

    private static func expectOpen(
        _ check: String, _ tokens: [JSON], _ key: PublicKey, uri: String = "https://example.com/statuslists/1",
        at moment: Timestamp = time
    ) throws {
        let token = try StatusToken(bytes(tokens[0]))
        try expect(StatusTrial.open(token, uri: uri, keys: [key], at: moment), equals: [check], "checks that leave it open")
        try expect(
            StatusTrial.open(token, uri: "https://example.com/statuslists/1", keys: [key], at: time), equals: [],
            "checks that leave the good one open")
    }
}
