import Codec
import Credentials
import Crypto
import Glibc
import Ports
import Proximity
import QR

/// What each corpus starts from: good inputs of every kind, which a fuzzer then spoils.
package struct Seeds {
    private let stage: FuzzStage

    package init(_ stage: FuzzStage) { self.stage = stage }

    /// Writes `FOLDER/<entry>/<name>`.
    package func write(to folder: String) throws {
        for (path, bytes) in try all() {
            let name = "\(folder)/\(path)"
            _ = mkdir(String(name[..<(name.lastIndex(of: "/") ?? name.endIndex)]), 0o755)
            guard let file = fopen(name, "wb") else { throw FuzzStage.Unready() }
            defer { fclose(file) }
            guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw FuzzStage.Unready() }
        }
    }

    private func all() throws -> [(String, [UInt8])] {
        try structures() + messages() + tokens() + openID() + files()
    }

    private func structures() throws -> [(String, [UInt8])] {
        let certificates = stage.authority
        return [
            ("cbor/request", stage.request), ("cbor/engagement", stage.engagement.encoded),
            ("cbor/transcript", stage.transcript.encoded),
            (
                "cbor/kinds",
                try CBORDiagnostic.parse(
                    "[0, -1, 1.5, -0.0, NaN, true, null, \"ü\", h'00', 24(<<{1: [_ 1]}>>), (_ \"a\"), 2(h'0100')]")
            ),
            (
                "diagnostic/kinds",
                Array(
                    "[_ 0x1f, -1, 1.5_1, Infinity, h'00 01', b64'AQ', (_ 'a', h'62'), {_ 1: <<1, 2>>}, 24(h'00'), \"\\u00fc\"]".utf8
                )
            ),
            ("diagnostic/request", Array(CBORDiagnostic.format(try CBOR(decoding: stage.request)).utf8)),
            ("der/signer", certificates.documentSigner.certificate.der),
            ("der/key", certificates.reader.key.publicKey.spki),
            ("certificate/iaca", certificates.iaca.certificate.der),
            ("certificate/signer", certificates.documentSigner.certificate.der),
            ("certificate/reader", certificates.reader.certificate.der),
            ("text/json", Array("{\"a\": [1, -2.5e3, \"\\ud83d\\ude00\", null, true]}".utf8)),
            ("text/pem", Array(PEM.encode(certificates.reader.key.publicKey.spki, label: "PUBLIC KEY").utf8)),
            ("text/base64url", Array("owBjMS4wAYIB2BhYS6QBAiABIVgg".utf8)),
            ("text/zlib", try Deflate.deflate(Array("walletbench walletbench walletbench".utf8), format: .zlib)),
            ("device-request/licence", stage.request),
            ("device-request/second-edition", try CBORDiagnostic.parse(Self.secondEdition)),
            ("device-response/licence", stage.response),
            ("device-response/error", try CBORDiagnostic.parse("{\"version\": \"1.0\", \"status\": 10}")),
        ]
    }

    private static let secondEdition = """
        {"version": "1.1", "docRequests": [{"itemsRequest": 24(<<{"docType": "org.iso.18013.5.1.mDL", "nameSpaces": \
        {"org.iso.18013.5.1": {"age_over_18": false}}, "requestInfo": {"alternativeDataElements": [], "issuerIdentifiers": [h'01'], \
        "uniqueDocSetRequired": false, "maximumResponseSize": 1000}}>>)}], \
        "deviceRequestInfo": 24(<<{"useCases": [{"mandatory": true, "documentSets": [[0]], "purposeHints": {"org.iso.jtc1.sc17": 1}}]}>>)}
        """

    /// Scripts of the entries that take several messages.
    private func messages() throws -> [(String, [UInt8])] {
        let nfc = "91021548721591020263720102110204616301013000110206616301036e666300510c"
        return [
            ("engagement/qr", Array(EngagementText.encode(stage.engagement).utf8)),
            ("engagement/bytes", stage.engagement.encoded),
            (
                "engagement/ble",
                try CBORDiagnostic.parse(
                    "{0: \"1.0\", 1: [1, 24(<<{1: 2, -1: 1, -2: h'\(Hex.encode(stage.deviceKey.publicKey.x))', -3: h'\(Hex.encode(stage.deviceKey.publicKey.y))'}>>)], 2: [[2, 1, {0: true, 1: true, 10: h'00112233445566778899aabbccddeeff', 11: h'00112233445566778899aabbccddeeff'}]], 5: [], 6: {0: true}}"
                )
            ),
            ("engagement/nfc", try Hex.decode(nfc)),
            ("holder-session/asked", Script.encode([(1, stage.request), (2, stage.response), (1, stage.request), (0, [0xA1])])),
            ("holder-session/raw", Script.encode([(0, try establishment())])),
            (
                "holder-session/goodbye",
                Script.encode([(1, stage.request), (0, SessionData(status: .termination).encodedCBOR), (3, [])])
            ),
            ("reader-session/answered", Script.encode([(1, stage.response), (2, stage.request), (1, [0xA0]), (3, [1])])),
            ("reader-session/goodbye", Script.encode([(0, SessionData(status: .termination).encodedCBOR), (3, [])])),
            ("reader-session/error", Script.encode([(0, SessionData(data: [1, 2], status: .encryptionError).encodedCBOR)])),
            ("gatt/peripheral", Script.encode([(0, [23]), (0, [1]), (1, [1, 2, 3]), (1, [0, 4]), (0, [2])])),
            ("gatt/central", Script.encode([(3, [2, 0]), (2, [1, 2, 3]), (2, [0]), (0, [2])])),
        ]
    }

    private func establishment() throws -> [UInt8] {
        var reader = try ReaderSession(
            engagement: stage.engagement, eDeviceKey: stage.deviceKey.publicKey, key: stage.readerKey, edition: .first)
        return try reader.request(stage.request)
    }

    private func tokens() throws -> [(String, [UInt8])] {
        let jwe = try JWE.encrypt(
            Array("{\"vp_token\":{}}".utf8), to: stage.readerKey.publicKey, .a128GCM, ephemeral: stage.deviceKey,
            iv: [UInt8](repeating: 7, count: 12))
        return [
            ("jws/issuer", Array(stage.token.issuerJWT.utf8)), ("jwe/compact", Array(jwe.compact.utf8)),
            ("jws/json", Array(JSON.object(try stage.token.json()).encoded().utf8)),
            ("sd-jwt/issued", Array(stage.token.compact.utf8)), ("sd-jwt/presented", Array(stage.presentation.compact.utf8)),
            ("sd-jwt/json", Array(JSON.object(try stage.presentation.json()).encoded().utf8)),
            ("dcql/mdoc", Array(Self.mdocQuery.utf8)), ("dcql/sets", Array(Self.setQuery.utf8)),
        ]
    }

    private static let mdocQuery = """
        {"credentials": [{"id": "mdl", "format": "mso_mdoc", "meta": {"doctype_value": "org.iso.18013.5.1.mDL"}, "claims": \
        [{"id": "a", "path": ["org.iso.18013.5.1", "family_name"]}, {"id": "b", "path": ["org.iso.18013.5.1", "age_over_18"], \
        "values": [true], "intent_to_retain": false}], "claim_sets": [["a"], ["b"]]}]}
        """
    private static let setQuery = """
        {"credentials": [{"id": "a", "format": "dc+sd-jwt", "multiple": true, "meta": {"vct_values": ["urn:example:id"]}, "claims": \
        [{"path": ["address", "list", null]}], "trusted_authorities": [{"type": "aki", "values": ["AQ"]}]}, {"id": "b", "format": \
        "mso_mdoc", "meta": {"doctype_value": "x"}}], "credential_sets": [{"options": [["a"], ["b"]], "required": false}]}
        """

    /// What the verifier of the entry `vp-token` asks.
    static let tokenQuery = """
        {"credentials": [{"id": "id", "format": "dc+sd-jwt", "meta": {"vct_values": ["urn:example:id"]}, "claims": [{"path": ["name"]}]}, \
        {"id": "mdl", "format": "mso_mdoc", "meta": {"doctype_value": "org.iso.18013.5.1.mDL"}, "claims": \
        [{"path": ["org.iso.18013.5.1", "family_name"]}]}], "credential_sets": [{"options": [["id"], ["mdl"]]}]}
        """

    private func openID() throws -> [(String, [UInt8])] {
        let link = FormFields(
            dictionaryLiteral: ("client_id", "redirect_uri:https://verifier.example/response"), ("response_type", "vp_token"),
            ("response_mode", "direct_post"), ("response_uri", "https://verifier.example/response"), ("nonce", "nonce-1"),
            ("dcql_query", Self.tokenQuery), ("client_metadata", "{\"vp_formats_supported\": \(VPFormats.own.json.encoded())}"))
        let token: JSON = ["id": [.string(stage.presentation.compact)]]
        let mdoc: JSON = ["mdl": [.string(Base64URL.encode(stage.response))]]
        let digital: JSON = ["protocol": "openid4vp-v1-signed", "data": ["request": .string(stage.requestObject)]]
        return [
            ("request-object/signed", Array(stage.requestObject.utf8)),
            ("request-object/link", Array("openid4vp://?\(link.encoded)".utf8)),
            ("request-object/digital", Array(digital.encoded().utf8)),
            ("vp-token/sd-jwt", Array(token.encoded().utf8)), ("vp-token/mdoc", Array(mdoc.encoded().utf8)),
        ]
    }

    private func files() throws -> [(String, [UInt8])] {
        let frame = try QRSymbol(EngagementText.encode(stage.engagement)).frame(scale: 3)
        let issued = stage.documents[1].issuerSigned.encodedCBOR
        return [
            ("picture/code.png", try frame.png()), ("picture/code.jpeg", try frame.jpeg(quality: 40)),
            ("import/issuer-signed", issued), ("import/response", stage.response),
            ("import/sd-jwt", Array(stage.token.compact.utf8)),
            ("import/json", Array("{\"credentials\": [{\"credential\": \"\(Base64URL.encode(issued))\"}]}".utf8)),
            ("inspect/response", stage.response), ("inspect/certificate", stage.authority.iaca.certificate.der),
            ("inspect/sd-jwt", Array(stage.presentation.compact.utf8)),
            ("inspect/engagement", Array(EngagementText.encode(stage.engagement).utf8)),
            (
                "inspect/request",
                Array("openid4vp://?client_id=x509_san_dns%3Averifier.example&request_uri=https%3A%2F%2Fverifier.example".utf8)
            ),
            ("inspect/transcript", stage.transcript.encoded),
        ]
    }
}
