import Codec
import Credentials
import Crypto
import OpenID
import Ports

/// The examples of the specification, each read as the message that it shows: `openid4vp/spec-examples-1.0.json`.
struct OpenID4VPExampleVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path == "openid4vp/spec-examples-1.0.json" }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        let json = try file.json()
        var results: [VectorCase] = []
        for (place, entry) in try json.list("blocks").enumerated() {
            let section = entry["section"]?.stringValue?.split(separator: ">").last.map(String.init) ?? ""
            results.append(await VectorCase("block \(place)\(section)") { try example(entry) })
        }
        for entry in try json.list("files") {
            results.append(await VectorCase(try entry.text("file")) { try example(entry) })
        }
        return results
    }

    private func example(_ entry: JSON) throws {
        if let json = entry["json"] ?? entry["body_json"] { return try object(json) }
        let text = entry["text"]?.stringValue ?? ""
        if entry["lang"] == "ascii" { return try drawing(text) }
        switch text {
        case _ where text.hasPrefix("GET /authorize?"):
            try link("https://wallet.example" + (text.dropFirst("GET ".count).split(separator: "HTTP/1.1").first ?? ""))
        case _ where text.hasPrefix("https://"): try link(text)
        case _ where text.hasPrefix("POST "): try form(text)
        case _ where text.hasPrefix("HTTP/1.1 302"): try redirect(text)
        case _ where text.hasPrefix("<client_id_prefix>"):
            let client = ClientIdentifier(text)
            try expect(client.prefixText == "<client_id_prefix>" && client.prefix == nil, "not split at the first colon")
        case _ where text.hasPrefix("Hex:"):
            // The handovers are compared byte by byte in handover.json; here the bytes have to be CBOR.
            let digits = text.dropFirst(4).split(separator: "\n\n").first ?? ""
            _ = try CBOR(decoding: Hex.decode(digits.filter(\.isHexDigit)))
        case _ where text.hasPrefix("eyJ"): try token(text.filter { !$0.isWhitespace })
        case _ where text.contains("VerifiablePresentation") || text.contains("type_values"):
            throw NotApplicable("W3C credentials are refused here")
        default: try object(JSON.decode(Self.filled(text)))
        }
    }

    // MARK: JSON

    private func object(_ json: JSON) throws {
        if json["credentials"]?.arrayValue != nil { _ = try DCQLQuery(json) }
        if let query = json["dcql_query"] { _ = try DCQLQuery(query) }
        if let metadata = json["client_metadata"] { _ = try VPClientMetadata(metadata) }
        if json["vp_formats_supported"] != nil { _ = try VPFormats(json.member("vp_formats_supported")) }
        if json["kty"] != nil, json["kty"] != "RSA" { _ = try PublicKey(jwk: json) }
        if let mode = json["response_mode"] { try expect(ResponseMode(rawValue: mode.stringValue ?? "") != nil, "response_mode") }
        if let client = json["client_id"]?.stringValue, json["response_type"] != nil {
            try expect(ClientIdentifier(client).prefix != nil, "the prefix of \(client) is not known")
        }
        if json.objectValue == nil, json.arrayValue == nil { throw Mismatch("neither an object nor an array") }
        guard JSON.object(json.objectValue ?? JSONObject()) == json || json.arrayValue != nil else {
            throw Mismatch("not read whole")
        }
        try expect(try JSON.decode(json.encoded()), equals: json, "what is written and read again")
    }

    /// JSON in which the specification leaves parts out, with something in their place; names without quotes get theirs.
    private static func filled(_ text: String) -> String {
        let query = """
            {"credentials": [{"id": "id", "format": "mso_mdoc", "meta": {"doctype_value": "org.iso.18013.5.1.mDL"}}]}
            """
        let metadata = #"{"vp_formats_supported": {"mso_mdoc": {}}}"#
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let whole = line.replacing("{ ... }", with: "{...}").replacing(", ...]", with: "]")
                .replacing("{...}", with: line.contains("client_metadata") ? metadata : query)
            let start = whole.drop { " {".contains($0) }
            guard let colon = start.firstIndex(of: ":"), start[..<colon].allSatisfy({ $0.isLetter || $0 == "_" }) else {
                return whole
            }
            return whole[..<start.startIndex] + "\"\(start[..<colon])\"" + start[colon...]
        }.joined(separator: "\n")
    }

    // MARK: HTTP

    private func link(_ text: String) throws {
        guard case .link(let fields) = try RequestInput(text.filter { !$0.isWhitespace }) else { throw Mismatch("no link") }
        try expect(fields["client_id"] != nil, "client_id is not found")
    }

    /// The form of a POST: of the `request_uri` endpoint, of a response, or of an error.
    private func form(_ text: String) throws {
        guard let gap = text.firstRange(of: "\n\n") else { throw Mismatch("no body") }
        let fields = try FormFields(text[gap.upperBound...].filter { !$0.isWhitespace })
        try expect(fields.repeated == nil, "a field stands there twice")
        if let metadata = fields["wallet_metadata"] {
            _ = try VPFormats(JSON.decode(metadata).member("vp_formats_supported"))
            return try expect(fields["wallet_nonce"] != nil, "wallet_nonce is not found")
        }
        if let error = fields["error"] {
            try expect(VPErrorCode(rawValue: error) != nil, "\(error) is not known")
            return try expect(ErrorDescription.isAllowed(fields["error_description"] ?? "\""), "the description")
        }
        try expect(fields["vp_token"] != nil || fields["response"] != nil, "neither vp_token nor response is found")
    }

    /// The response in the fragment of a redirect.
    private func redirect(_ text: String) throws {
        guard let start = text.firstRange(of: "Location:") else { throw Mismatch("no Location") }
        let url = try WebURL(text[start.upperBound...].filter { !$0.isWhitespace })
        try expect(try FormFields(url.fragment ?? "")["vp_token"] != nil, "vp_token is not found")
    }

    // MARK: others

    /// A sequence diagram is no message: nothing may take it for one.
    private func drawing(_ text: String) throws {
        let taken = try? InputReader.recognise(Array(text.utf8), origin: "drawing")
        try expect(taken == nil, "taken for something")
    }

    private func token(_ text: String) throws {
        if text.contains("~") {
            _ = try SDJWT(compact: text)
        } else {
            let jws = try JWS(compact: text)
            try expect(jws.compact, equals: text, "what is written again")
        }
    }
}
