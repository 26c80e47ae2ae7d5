public import Codec
public import Credentials
public import Crypto
public import Ports

/// ISO/IEC TS 18013-7 Annex C: an mdoc over the Digital Credentials API under the protocol `org-iso-mdoc`, the response encrypted by
/// HPKE to a key of the reader.
///
///     request  = { "deviceRequest": base64url DeviceRequest, "encryptionInfo": base64url ["dcapi", EncryptionParameters] }
///     response = base64url ["dcapi", { "enc": bstr, "cipherText": bstr }]
///     EncryptionParameters = { "nonce": bstr, "recipientPublicKey": COSE_Key }
public enum AnnexC {
    /// The exchange protocol's name.
    public static let protocolName = "org-iso-mdoc"

    /// What the reader says about encryption, in the text that the transcript covers.
    public struct EncryptionInfo: Sendable, Hashable {
        /// base64url as it stands in the request.
        public let text: String
        public let nonce: [UInt8]
        public let key: PublicKey

        /// Reads it.
        /// - Throws: says what is wrong.
        public init(_ text: String) throws(Malformed) {
            self.text = text
            do {
                let item = try CBOR(decoding: Base64URL.decode(text))
                let parts = Array(try item.array())
                guard parts.count == 2, try parts[0].text() == "dcapi" else { throw Malformed("not [\"dcapi\", {…}]") }
                nonce = try parts[1]["nonce"].bytes()
                key = try COSEKey(parts[1]["recipientPublicKey"]).publicKey
            } catch let error as Malformed { throw error } catch { throw Malformed("encryptionInfo: \(error)") }
            guard key.curve == .p256 else {
                throw Malformed("encryptionInfo: recipientPublicKey is on \(key.curve.rawValue), not P-256")
            }
        }

        /// Makes one for a fresh key.
        ///
        /// - Parameter isBroken: leaves the key out, for the fault that does so.
        public init(key: PublicKey, nonce: [UInt8]) {
            var encoder = CBOREncoder()
            encoder.array(2)
            encoder.text("dcapi")
            encoder.map(2)
            encoder.text("nonce")
            encoder.bytes(nonce)
            encoder.text("recipientPublicKey")
            encoder.encode(COSEKey(key))
            text = Base64URL.encode(encoder.bytes)
            self.nonce = nonce
            self.key = key
        }
    }

    /// Why a message of this protocol cannot be used.
    public struct Malformed: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }

    /// The request as a page hands it to the browser.
    public static func request(_ request: DeviceRequest, _ info: EncryptionInfo) -> JSON {
        [
            "protocol": .string(protocolName),
            "data": ["deviceRequest": .string(Base64URL.encode(request.encodedCBOR)), "encryptionInfo": .string(info.text)],
        ]
    }

    /// What device authentication covers.
    public static func transcript(_ info: EncryptionInfo, origin: String) throws(CBORError) -> SessionTranscript {
        try .dcAPI(encryptionInfo: info.text, origin: origin)
    }

    /// Encrypts a DeviceResponse to the reader.
    ///
    /// - Parameter ephemeral: a fresh key on P-256.
    public static func seal(
        _ response: [UInt8], _ info: EncryptionInfo, origin: String, ephemeral: PrivateKey
    ) throws -> String {
        let transcript = try transcript(info, origin: origin)
        let sealed = try HPKE.seal(response, to: info.key, info: transcript.encoded, ephemeral: ephemeral)
        var encoder = CBOREncoder(capacity: sealed.ciphertext.count + 128)
        encoder.array(2)
        encoder.text("dcapi")
        encoder.map(2)
        encoder.text("enc")
        encoder.bytes(sealed.encapsulatedKey)
        encoder.text("cipherText")
        encoder.bytes(sealed.ciphertext)
        return Base64URL.encode(encoder.bytes)
    }

    /// The DeviceResponse inside an encrypted response.
    public static func open(
        _ response: String, _ info: EncryptionInfo, origin: String, key: PrivateKey
    ) throws(Malformed) -> [UInt8] {
        do {
            return try HPKE.open(sealed(response), with: key, info: transcript(info, origin: origin).encoded)
        } catch let error as Malformed { throw error } catch { throw Malformed("\(error)") }
    }

    /// The same with a key that a store keeps.
    static func open(
        _ response: String, _ info: EncryptionInfo, origin: String, key: KeyInfo, in store: any KeyStore
    ) async throws(Malformed) -> [UInt8] {
        do {
            let transcript = try transcript(info, origin: origin)
            return try await HPKE.open(
                sealed(response), with: key, in: store, unlock: .automatic, info: transcript.encoded)
        } catch let error as Malformed { throw error } catch { throw Malformed("\(error)") }
    }

    private static func sealed(_ response: String) throws -> HPKE.Sealed {
        let parts = Array(try CBOR(decoding: Base64URL.decode(response)).array())
        guard parts.count == 2, try parts[0].text() == "dcapi" else { throw Malformed("not [\"dcapi\", {…}]") }
        return HPKE.Sealed(encapsulatedKey: try parts[1]["enc"].bytes(), ciphertext: try parts[1]["cipherText"].bytes())
    }

    /// Judges an encrypted response: VD7 and every check of a reader.
    ///
    /// - Parameters:
    ///   - infoText: `encryptionInfo` as it stood in the request.
    ///   - response: base64url, as the browser returned it.
    public static func verify(
        _ response: String, encryptionInfo infoText: String, origin: String, key: PrivateKey, request: DeviceRequest?,
        by verifier: PresentationVerifier, at time: Timestamp
    ) -> PresentationReport {
        var list = CheckList(edition: verifier.signers.edition)
        let subject = protocolName
        let info: EncryptionInfo
        do { info = try EncryptionInfo(infoText) } catch {
            list.fail("VD7.info", subject, values: [], detail: error.description)
            for id in ["VD7.hpke", "VD7.transcript"] { list.notRun(id, subject, .needs("VD7.info")) }
            return PresentationReport(at: time, rule: verifier.rule, checks: list)
        }
        let opened: Result<[UInt8], Malformed>
        do { opened = .success(try open(response, info, origin: origin, key: key)) } catch { opened = .failure(error) }
        return verify(opened, info, origin: origin, request: request, by: verifier, at: time)
    }

    /// The same of a response that was opened, or could not be.
    static func verify(
        _ opened: Result<[UInt8], Malformed>, _ info: EncryptionInfo, origin: String, request: DeviceRequest?,
        by verifier: PresentationVerifier, at time: Timestamp
    ) -> PresentationReport {
        var list = CheckList(edition: verifier.signers.edition)
        let subject = protocolName
        list.pass("VD7.info", subject)
        let bytes: [UInt8]
        do { bytes = try opened.get() } catch {
            list.fail("VD7.hpke", subject, values: [], detail: error.description)
            list.notRun("VD7.transcript", subject, .needs("VD7.hpke"))
            return PresentationReport(at: time, rule: verifier.rule, checks: list)
        }
        list.pass("VD7.hpke", subject)
        let report = verifier.verify(bytes, over: try? transcript(info, origin: origin), request: request, at: time)
        let proofs = report.checks.filter { $0.id == "R24.signature" || $0.id == "R24.mac" }
        if proofs.contains(where: { $0.outcome == .fail }) {
            list.fail("VD7.transcript", subject, "`[\"dcapi\", …]` transcript does not verify")
        } else if proofs.contains(where: { $0.outcome == .pass }) {
            list.pass("VD7.transcript", subject)
        } else {
            list.notRun("VD7.transcript", subject, .notPresent)
        }
        return report.adding(checks: list)
    }
}
