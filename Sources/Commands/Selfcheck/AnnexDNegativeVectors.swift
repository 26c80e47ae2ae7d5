import Codec
import Credentials
import Crypto
import Ports
import Proximity

extension AnnexD {
    /// The example with one thing wrong.
    func negativeCases(_ json: JSON) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for entry in try json.list("response_cases") + json.list("other_cases") {
            results.append(await VectorCase(entry["id"]?.stringValue ?? "?") { try check(entry) })
        }
        return results
    }

    private func check(_ entry: JSON) throws {
        guard let expected = entry["expected"] else { throw Mismatch("the case expects nothing") }
        if expected["parse"]?.stringValue == "reject" {
            try expectRefusal(entry)
        } else {
            try checkResponse(DeviceResponse(decoding: entry.hex("device_response_hex")), expected)
        }
    }

    private func checkResponse(_ response: DeviceResponse, _ expected: JSON) throws {
        guard let document = response.documents.first, let signed = document.deviceSigned, let mac = signed.deviceAuth.deviceMac
        else {
            throw Mismatch("the response has no document with a MAC")
        }
        let signer = try Certificate(der: field("D.5.2_ds_certificate")).publicKey()
        let isIssued = outcome { try document.issuerSigned.issuerAuth.verify(with: signer) }
        try expect(isIssued, equals: try expected.text("issuerAuth"), "issuerAuth")
        let mismatches = try expected.list("digest_mismatch").map { $0.arrayValue?.compactMap(\.stringValue) ?? [] }
        try expect(DocumentCheck(document.issuerSigned).mismatches, equals: mismatches, "digest mismatches")
        let key = try DeviceAuthentication.macKey(
            sharedSecret: readerKey.agree(with: staticKey.publicKey), transcript: transcript)
        let payload = DeviceAuthentication.bytes(
            transcript: transcript, docType: document.docType, nameSpaces: signed.nameSpaces)
        try expect(
            outcome { try mac.verify(key: key, detachedPayload: payload) }, equals: try expected.text("deviceAuth"), "deviceAuth")
        if let name = expected["family_name_value"]?.stringValue {
            let item = document.issuerSigned.item("family_name", in: "org.iso.18013.5.1")
            try expect(try item?.value.elementValue.text() ?? "", equals: name, "family_name")
        }
    }

    private func outcome(_ check: () throws -> Void) -> String {
        do { try check() } catch { return "invalid" }
        return "valid"
    }

    /// Structure is refused. A minor version that nobody defined is read all the same, as §8.1 asks: there the version must show
    /// itself as another one than the standard's.
    private func expectRefusal(_ entry: JSON) throws {
        if let bytes = try? entry.hex("device_response_hex") {
            try refuse(try DeviceResponse(decoding: bytes).version)
        } else if let bytes = try? entry.hex("device_request_hex") {
            try refuse(try DeviceRequest.receive(bytes).version)
        } else if let bytes = try? entry.hex("device_engagement_hex") {
            try refuse(ProtocolVersion(try DeviceEngagement(decoding: bytes).version))
        } else {
            let auth = try DeviceAuth(CBOR(decoding: try entry.hex("device_auth_hex")))
            try expect(auth.form, equals: .both, "form of DeviceAuth (R24.form fails)")
        }
    }

    private func refuse(_ version: @autoclosure () throws -> ProtocolVersion) throws(Mismatch) {
        guard let version = try? version() else { return }
        try expect(version.isSupported && !version.isDefined, "was read, as version \(version)")
    }
}
