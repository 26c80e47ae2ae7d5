import Codec
import Credentials
import Crypto
import Ports
import Proximity

/// The example of ISO/IEC 18013-5:2021 Annex D, everything in it recomputed from its keys.
struct AnnexD {
    private let json: JSON
    let transcript: SessionTranscript
    let readerKey: PrivateKey
    let deviceKey: PrivateKey
    let staticKey: PrivateKey
    let response: DeviceResponse
    let request: DeviceRequest

    init(_ json: JSON) throws {
        self.json = json
        let field = { (name: String) throws -> [UInt8] in try Self.field(name, json) }
        transcript = try SessionTranscript(encoded: field("D.5.1_session_transcript_bytes"))
        readerKey = try PrivateKey(curve: .p256, scalar: field("D.5.1_ephemeral_reader_key_d"))
        deviceKey = try PrivateKey(curve: .p256, scalar: field("D.5.1_ephemeral_device_key_d"))
        staticKey = try PrivateKey(curve: .p256, scalar: field("D.5.3_static_device_key_d"))
        response = try DeviceResponse(decoding: field("D.4.1.2_device_response"))
        request = try DeviceRequest(decoding: field("D.4.1.1_device_request"))
    }

    private static func field(_ name: String, _ json: JSON) throws(Mismatch) -> [UInt8] {
        guard let field = json["fields"]?[name] else { throw Mismatch("the file has no field \(name)") }
        return try field.hex("hex")
    }

    func field(_ name: String) throws(Mismatch) -> [UInt8] { try Self.field(name, json) }

    private func derived(_ name: String) throws(Mismatch) -> [UInt8] {
        guard let derived = json["expected"]?["derived"] else { throw Mismatch("the file has nothing derived") }
        return try derived.hex(name)
    }

    private func published(_ name: String) throws(Mismatch) -> JSON {
        guard let value = json["expected"]?[name] else { throw Mismatch("the file does not say what \(name) is") }
        return value
    }

    /// One case for each field, so that nothing that is published goes unused.
    func positiveCases() async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for name in json["fields"]?.objectValue?.keys ?? [] {
            results.append(
                await VectorCase(name) {
                    guard let check = Self.checks[name] else { throw Mismatch("no check for this field") }
                    try check(self)
                })
        }
        return results
    }

    private static let checks: [String: @Sendable (AnnexD) throws -> Void] = [
        "D.2.1_driving_privileges": { try $0.checkPrivileges() },
        "D.3.1_device_engagement": { try $0.checkEngagement() },
        "D.3.1_e_device_key_bytes": { try $0.checkEngagementKey() },
        "D.3.2_nfc_handover_select": { try $0.checkHandover(0, "D.3.2_nfc_handover_select") },
        "D.3.2_nfc_handover_request": { try $0.checkHandover(1, "D.3.2_nfc_handover_request") },
        "D.4.1.1_device_request": { try $0.checkRequest() },
        "D.4.1.1_items_request": { try $0.checkItemsRequest() },
        "D.4.1.2_device_response": { try $0.checkResponse() },
        "D.4.1.2_portrait": { try $0.checkPortrait() },
        "D.5.1_session_transcript_bytes": { try $0.checkTranscript() },
        "D.5.1_session_establishment": { try $0.checkEstablishment() },
        "D.5.1_session_data": { try $0.checkSessionData() },
        "D.5.1_session_termination": { try $0.checkTermination() },
        "D.5.1_ephemeral_reader_key_x": { try $0.checkX("D.5.1_ephemeral_reader_key_x", $0.readerKey) },
        "D.5.1_ephemeral_reader_key_y": { try $0.checkY("D.5.1_ephemeral_reader_key_y", $0.readerKey) },
        "D.5.1_ephemeral_reader_key_d": { try $0.checkSessionKeys() },
        "D.5.1_ephemeral_device_key_x": { try $0.checkX("D.5.1_ephemeral_device_key_x", $0.deviceKey) },
        "D.5.1_ephemeral_device_key_y": { try $0.checkY("D.5.1_ephemeral_device_key_y", $0.deviceKey) },
        "D.5.1_ephemeral_device_key_d": { try $0.checkSessionKeys() },
        "D.5.2_ds_certificate": { try $0.checkDocumentSigner() },
        "D.5.2_iaca_certificate": { try $0.checkSelfSigned("D.5.2_iaca_certificate") },
        "D.5.2_issuer_auth": { try $0.checkIssuerAuth() },
        "D.5.2_sig_structure": { try $0.checkIssuerSigStructure() },
        "D.5.3_static_device_key_x": { try $0.checkX("D.5.3_static_device_key_x", $0.staticKey) },
        "D.5.3_static_device_key_y": { try $0.checkY("D.5.3_static_device_key_y", $0.staticKey) },
        "D.5.3_static_device_key_d": { try $0.checkStaticKey() },
        "D.5.3_device_authentication_bytes": { try $0.checkDeviceAuthentication() },
        "D.5.3_mac_structure": { try $0.checkMACStructure() },
        "D.5.3_device_auth": { try $0.checkDeviceMAC() },
        "D.5.4_reader_certificate": { try $0.checkReaderCertificate() },
        "D.5.4_reader_root_certificate": { try $0.checkSelfSigned("D.5.4_reader_root_certificate") },
        "D.5.4_reader_auth": { try $0.checkReaderAuth() },
        "D.5.4_reader_authentication_bytes": { try $0.checkReaderAuthentication() },
        "D.5.4_reader_sig_structure": { try $0.checkReaderSigStructure() },
    ]
}

// MARK: - Engagement, request, response

extension AnnexD {
    private func checkPrivileges() throws {
        let privileges = try CBOR(decoding: field("D.2.1_driving_privileges"))
        let definition = DocumentDefinition.mobileDrivingLicence.element("driving_privileges", in: "org.iso.18013.5.1")
        try expect(definition?.type.matches(privileges) ?? false, "driving_privileges are not of their type")
        let item = response.documents.first?.issuerSigned.item("driving_privileges", in: "org.iso.18013.5.1")
        try expect(privileges.encoded, equals: item?.value.elementValue.encoded ?? [], "driving_privileges")
    }

    private func checkEngagement() throws {
        let bytes = try field("D.3.1_device_engagement")
        let engagement = try DeviceEngagement(decoding: bytes)
        let expected = try published("device_engagement")
        try expect(engagement.version, equals: try expected.text("version"), "version")
        try expect(Int64(engagement.cipherSuite), equals: expected["cipherSuite"]?.intValue ?? 0, "cipher suite")
        try expect(EngagementText.encode(engagement), equals: try expected.text("qr_text"), "QR text")
        try expect(try EngagementText.decode(try expected.text("qr_text")), equals: bytes, "engagement of the QR text")
        try expect(
            try CBOR(decoding: bytes)[2], isPublishedAs: expected["retrievalMethods"], "retrieval methods")
    }

    private func checkEngagementKey() throws {
        let engagement = try DeviceEngagement(decoding: field("D.3.1_device_engagement"))
        try expect(engagement.eDeviceKeyBytes, equals: try field("D.3.1_e_device_key_bytes"), "EDeviceKeyBytes")
        try expect(try engagement.eDeviceKey().publicKey == deviceKey.publicKey, "EDeviceKey is not that of D.5.1")
    }

    private func checkHandover(_ position: Int, _ name: String) throws {
        try expect(try transcript.handover[position].bytes(), equals: try field(name), "handover message")
    }

    private func checkRequest() throws {
        try expect(request.encodedCBOR, equals: try field("D.4.1.1_device_request"), "DeviceRequest, encoded again,")
        let expected = try published("device_request")
        try expect(request.version.text, equals: try expected.text("version"), "version")
        let leaf = try request.docRequests.first?.readerAuth?.x5chain?.certificates.first ?? []
        try expect(
            try Certificate(der: leaf).subject.description, equals: try expected.text("reader_cert_subject"), "reader")
    }

    private func checkItemsRequest() throws {
        let items = try CBOR(decoding: field("D.4.1.1_items_request"))
        let embedded = Array(request.docRequests.first?.itemsRequest.content ?? [])
        try expect(embedded, equals: items.encoded, "ItemsRequest")
        try expect(items, isPublishedAs: try published("device_request")["items"], "items")
        try expect(try ItemsRequest(items).encodedCBOR, equals: items.encoded, "ItemsRequest, encoded again,")
    }

    private func checkResponse() throws {
        try expect(response.encodedCBOR, equals: try field("D.4.1.2_device_response"), "DeviceResponse, encoded again,")
        let expected = try published("device_response")
        try expect(response.version.text, equals: try expected.text("version"), "version")
        try expect(response.documents.count, equals: 1, "number of documents")
        try expect(Int64(response.status), equals: expected["status"]?.intValue ?? -1, "status")
        let document = JSONObject((expected.objectValue?.members ?? []).filter { $0.key != "status" })
        try DocumentCheck(try issuerSigned).check(against: .object(document))
    }

    private func checkPortrait() throws {
        let item = response.documents.first?.issuerSigned.item("portrait", in: "org.iso.18013.5.1")
        try expect(try item?.value.elementValue.bytes() ?? [], equals: try field("D.4.1.2_portrait"), "portrait")
    }
}

// MARK: - Session

extension AnnexD {
    private func checkTranscript() throws {
        let made = try SessionTranscript.proximityNFC(
            deviceEngagementBytes: transcript.deviceEngagementBytes ?? [], eReaderKeyBytes: transcript.eReaderKeyBytes ?? [],
            handoverSelect: field("D.3.2_nfc_handover_select"), handoverRequest: field("D.3.2_nfc_handover_request"))
        try expect(made.taggedBytes, equals: try field("D.5.1_session_transcript_bytes"), "SessionTranscriptBytes")
        try expect(made.hash, equals: try derived("session_transcript_sha256_salt_hex"), "salt")
    }

    private func checkSessionKeys() throws {
        let secret = try readerKey.agree(with: deviceKey.publicKey)
        try expect(secret, equals: try derived("Zab_session_hex"), "Zab of the session, reader's side")
        try expect(try deviceKey.agree(with: readerKey.publicKey), equals: secret, "Zab of the session, mdoc's side")
        for (info, name) in [("SKReader", "SKReader_hex"), ("SKDevice", "SKDevice_hex")] {
            let key = try HKDF.sha256(ikm: secret, salt: transcript.hash, info: Array(info.utf8), length: 32)
            try expect(key, equals: try derived(name), info)
        }
    }

    private func checkEstablishment() throws {
        let bytes = try field("D.5.1_session_establishment")
        let establishment = try SessionEstablishment(decoding: bytes)
        try expect(establishment.encodedCBOR, equals: bytes, "SessionEstablishment, encoded again,")
        try expect(establishment.eReaderKeyBytes, equals: transcript.eReaderKeyBytes ?? [], "EReaderKeyBytes")
        try expect(try opened(establishment.data, by: .mdoc), equals: try field("D.4.1.1_device_request"), "decrypted request")
        try expect(try gcm("SKReader_hex").open(establishment.data, nonce: derived("reader_iv_1_hex")).isEmpty == false, "empty")
    }

    private func checkSessionData() throws {
        let data = try SessionData(decoding: field("D.5.1_session_data"))
        let response = try field("D.4.1.2_device_response")
        try expect(try opened(data.data ?? [], by: .reader), equals: response, "decrypted response")
        let sealed = try gcm("SKDevice_hex").seal(response, nonce: derived("device_iv_1_hex"))
        try expect(sealed, equals: data.data ?? [], "encrypted response")
    }

    private func checkTermination() throws {
        let bytes = try field("D.5.1_session_termination")
        try expect(SessionData(status: .termination).encodedCBOR, equals: bytes, "termination")
        let status = try SessionData(decoding: bytes).status?.rawValue
        try expect(status.map { Int64($0) }, equals: try published("session_termination")["status"]?.intValue, "status")
    }

    private func opened(_ ciphertext: [UInt8], by role: MdocRole) throws -> [UInt8] {
        let secret = try readerKey.agree(with: deviceKey.publicKey)
        var cipher = try SessionCipher(role: role, sharedSecret: secret, transcript: transcript)
        return try cipher.open(ciphertext)
    }

    private func gcm(_ key: String) throws -> AESGCM { try AESGCM(key: derived(key)) }

    private func checkX(_ name: String, _ key: PrivateKey) throws {
        try expect(key.publicKey.x, equals: try field(name), "x of the public key of d")
    }

    private func checkY(_ name: String, _ key: PrivateKey) throws {
        try expect(key.publicKey.y, equals: try field(name), "y of the public key of d")
    }
}

// MARK: - Issuer, device and reader authentication

extension AnnexD {
    private func certificate(_ name: String) throws -> Certificate { try Certificate(der: field(name)) }

    private var issuerSigned: IssuerSigned {
        get throws(Mismatch) {
            guard let document = response.documents.first else { throw Mismatch("the response has no document") }
            return document.issuerSigned
        }
    }

    private func checkSelfSigned(_ name: String) throws {
        let certificate = try certificate(name)
        try expect(certificate.isSigned(by: certificate), "the root is not signed by itself")
    }

    private func checkDocumentSigner() throws {
        let signer = try certificate("D.5.2_ds_certificate")
        try expect(signer.isSigned(by: try certificate("D.5.2_iaca_certificate")), "the document signer is not signed by the IACA")
        try expect(try issuerSigned.issuerAuth.x5chain?.certificates ?? [], equals: [signer.der], "x5chain")
    }

    private func checkIssuerAuth() throws {
        let issuerAuth = try issuerSigned.issuerAuth
        try expect(issuerAuth.encodedCBOR, equals: try field("D.5.2_issuer_auth"), "issuerAuth")
        try issuerAuth.verify(with: certificate("D.5.2_ds_certificate").publicKey())
        try expect(DocumentCheck(try issuerSigned).mismatches, equals: [], "digest mismatches")
    }

    private func checkIssuerSigStructure() throws {
        try expect(
            try issuerSigned.issuerAuth.toBeSigned(), equals: try field("D.5.2_sig_structure"), "Sig_structure")
    }

    private func checkStaticKey() throws {
        let key = try issuerSigned.mobileSecurityObject().deviceKey.publicKey
        try expect(key == staticKey.publicKey, "the device key of the MSO is not that of D.5.3")
        let secret = try staticKey.agree(with: readerKey.publicKey)
        try expect(secret, equals: try derived("Zab_mac_hex"), "Zab of the MAC")
        let macKey = try DeviceAuthentication.macKey(sharedSecret: secret, transcript: transcript)
        try expect(macKey, equals: try derived("EMacKey_hex"), "EMacKey")
    }

    private func deviceSigned() throws -> (DeviceSigned, payload: [UInt8]) {
        guard let document = response.documents.first, let signed = document.deviceSigned else {
            throw Mismatch("the document is not device-signed")
        }
        let payload = DeviceAuthentication.bytes(
            transcript: transcript, docType: document.docType, nameSpaces: signed.nameSpaces)
        return (signed, payload)
    }

    private func checkDeviceAuthentication() throws {
        try expect(
            try deviceSigned().payload, equals: try field("D.5.3_device_authentication_bytes"), "DeviceAuthenticationBytes")
    }

    private func checkMACStructure() throws {
        let (signed, payload) = try deviceSigned()
        let structure = try signed.deviceAuth.deviceMac?.toBeMaced(detachedPayload: payload) ?? []
        try expect(structure, equals: try field("D.5.3_mac_structure"), "MAC_structure")
    }

    private func checkDeviceMAC() throws {
        let (signed, payload) = try deviceSigned()
        try expect(signed.deviceAuth.encodedCBOR, equals: try field("D.5.3_device_auth"), "DeviceAuth")
        guard let mac = signed.deviceAuth.deviceMac else { throw Mismatch("no deviceMac") }
        try mac.verify(key: derived("EMacKey_hex"), detachedPayload: payload)
        let made = try COSEMac0.authenticate(payload, key: derived("EMacKey_hex"), detached: true)
        try expect(made.encodedCBOR, equals: mac.encodedCBOR, "deviceMac made here")
    }

    private func checkReaderCertificate() throws {
        let reader = try certificate("D.5.4_reader_certificate")
        try expect(reader.isSigned(by: try certificate("D.5.4_reader_root_certificate")), "the reader is not signed by its root")
    }

    private func readerAuth() throws -> (COSESign1, payload: [UInt8]) {
        guard let docRequest = request.docRequests.first, let signature = docRequest.readerAuth else {
            throw Mismatch("the request is not signed")
        }
        return (signature, ReaderAuthentication.bytes(transcript: transcript, itemsRequest: docRequest.itemsRequest))
    }

    private func checkReaderAuth() throws {
        let (signature, payload) = try readerAuth()
        try expect(signature.encodedCBOR, equals: try field("D.5.4_reader_auth"), "readerAuth")
        try signature.verify(with: certificate("D.5.4_reader_certificate").publicKey(), detachedPayload: payload)
    }

    private func checkReaderAuthentication() throws {
        try expect(
            try readerAuth().payload, equals: try field("D.5.4_reader_authentication_bytes"), "ReaderAuthenticationBytes")
    }

    private func checkReaderSigStructure() throws {
        let (signature, payload) = try readerAuth()
        try expect(
            try signature.toBeSigned(detachedPayload: payload), equals: try field("D.5.4_reader_sig_structure"), "Sig_structure")
    }
}
