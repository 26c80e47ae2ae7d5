import Codec
import Credentials
import Crypto
import OpenID
import Ports

/// Handovers and session transcripts: `openid4vp/handover.json`, `mdoc/iso18013-7-annex-c.json`.
struct HandoverVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path == "openid4vp/handover.json" || path == "mdoc/iso18013-7-annex-c.json" }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for entry in try file.json().list("cases") {
            let isAnnexC = file.path.hasPrefix("mdoc/")
            results.append(
                await VectorCase(try entry.text("id")) {
                    if isAnnexC { try annexC(entry) } else { try handover(entry) }
                })
        }
        return results
    }

    private func handover(_ entry: JSON) throws {
        let (input, expected, type) = (try entry.member("input"), try entry.member("expected"), try entry.text("type"))
        let transcript = try transcript(type, input)
        if let whole = expected["session_transcript_hex"]?.stringValue {
            try expect(transcript.encoded, equals: Hex.decode(whole), "the session transcript")
        }
        try expect(transcript.handover.encoded, equals: Hex.decode(expected.text("handover_hex")), "the handover")
    }

    private func transcript(_ type: String, _ input: JSON) throws -> SessionTranscript {
        let thumbprint = try input["jwk_thumbprint_hex"]?.stringValue.map { try Hex.decode($0) }
        if let jwk = input["enc_jwk"] { try expect(JWK.thumbprint(of: jwk), equals: thumbprint ?? [], "the thumbprint") }
        switch type {
        case "OpenID4VPHandover":
            return try .openID4VP(
                clientID: input.text("client_id"), nonce: input.text("nonce"), keyThumbprint: thumbprint,
                responseURI: input.text("response_uri"))
        case "OpenID4VPDCAPIHandover":
            return try .openID4VPDCAPI(origin: input.text("origin"), nonce: input.text("nonce"), keyThumbprint: thumbprint)
        case "OpenID4VCIIAEHandover":
            return try .interactiveAuthorization(
                endpoint: input.text("interactive_authorization_endpoint"), nonce: input.text("nonce"), keyThumbprint: thumbprint)
        default:
            if type.hasPrefix("OID4VPHandover") {
                return try .annexB(
                    clientID: input.text("client_id"), responseURI: input.text("response_uri"), nonce: input.text("nonce"),
                    mdocNonce: input.text("mdoc_generated_nonce"))
            }
            return try .draftDCAPI(origin: input.text("origin"), clientID: input.text("client_id"), nonce: input.text("nonce"))
        }
    }

    private func annexC(_ entry: JSON) throws {
        let (text, origin, expected) = (
            try entry.text("encryption_info_b64u"), try entry.text("origin"), try entry.member("expected")
        )
        let transcript = try SessionTranscript.dcAPI(encryptionInfo: text, origin: origin)
        if let whole = expected["session_transcript_hex"]?.stringValue {
            try expect(transcript.encoded, equals: Hex.decode(whole), "the session transcript")
        }
        if let info = expected["dcapi_info_hex"]?.stringValue {
            let hash = HashAlgorithm.sha256.digest(try Hex.decode(info))
            try expect(Array(transcript.handover.array())[1].bytes(), equals: hash, "the hash of dcapiInfo")
        }
        guard let response = entry["encrypted_response_b64u"]?.stringValue else { return }
        let info = try AnnexC.EncryptionInfo(text)
        guard let key = entry["recipient_private_key_hex"]?.stringValue else { return }
        let bytes = try AnnexC.open(
            response, info, origin: origin, key: PrivateKey(curve: .p256, scalar: try Hex.decode(key)))
        try expect(bytes, equals: Hex.decode(expected.text("device_response_hex")), "the DeviceResponse")
    }
}

/// Signed request objects and registration certificates of others: `openid4vp/signed-requests.json`.
struct SignedRequestVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path == "openid4vp/signed-requests.json" }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        let json = try file.json()
        var results: [VectorCase] = []
        for (place, entry) in try json.list("requests").enumerated() {
            results.append(await VectorCase("request \(place)") { try request(entry) })
        }
        for (place, entry) in try json.list("registration_certificates").enumerated() {
            results.append(await VectorCase("registration certificate \(place)") { try certificate(entry) })
        }
        return results
    }

    /// What a wallet without anchors makes of it: the checks of client and signature, each as the file says they come out.
    private func request(_ entry: JSON) throws {
        let text = try entry.text("jwt")
        let payload = try entry.member("payload")
        let time = Timestamp(secondsSince1970: payload["iat"]?.intValue ?? 1_796_040_000)
        let wallet = VPWallet(
            VPWalletSettings(readers: SignerVerifier(anchors: .none, edition: .first)), random: SeededRandom(seed: 1))
        let origin = payload["expected_origins"]?[0]?.stringValue
        let input: RequestInput =
            origin == nil
            ? .object(text) : .digitalCredentials(protocol: "openid4vp-v1-signed", data: ["request": .string(text)])
        guard case .resolved(let resolution) = wallet.open(input, origin: origin, at: time) else {
            throw Mismatch("it asks for a fetch")
        }
        func outcome(_ id: String) -> String? { resolution.checks.check(id, "request")?.outcome.word }
        if entry["signature_verified_with"] == "x5c leaf" {
            let jws = try JWS(compact: text)
            guard let leaf = try jws.protected.x5c()?.first else { throw Mismatch("there is no x5c") }
            try jws.verify(with: Certificate(der: leaf).publicKey())
        } else {
            try expect(outcome("VW5.alg"), equals: "fail", "VW5.alg of an algorithm that no profile here uses")
        }
        if entry["x509_hash_matches"] == true {
            try expect(outcome("VW12"), equals: "pass", "VW12")
            try expect(outcome("VW17"), equals: "pass", "VW17")
            try expect(outcome("VD3.match"), equals: "pass", "VD3.match")
        }
        if payload["presentation_definition"] != nil { try expect(outcome("VW24.none"), equals: "fail", "VW24.none of a draft") }
    }

    private func certificate(_ entry: JSON) throws {
        let jws = try JWS(compact: try entry.text("jwt"))
        try expect(jws.protected.type, equals: try entry.text("typ"), "typ")
        guard let leaf = try jws.protected.x5c()?.first else { throw Mismatch("there is no x5c") }
        let key = try Certificate(der: leaf).publicKey()
        if entry["signature_verified_with"] == "x5c leaf" {
            try jws.verify(with: key)
        } else {
            // Published with a signature that no key of it made.
            try expect((try? jws.verify(with: key)) == nil, "its signature verifies, which it did for nobody else")
        }
        try expect(JSON.object(jws.claims()), equals: try entry.member("payload"), "the payload")
    }
}
