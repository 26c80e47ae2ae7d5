import Codec
import Crypto

/// Makes the DeviceSigned of one document (ISO/IEC 18013-5:2021 §9.1.3).
struct DeviceAuthenticator {
    let presenter: Presenter
    let draft: DocumentDraft
    let unlock: KeyUnlock

    func deviceSigned() async throws(PresentationError) -> DeviceSigned {
        let nameSpaces = Embedded(draft.deviceNameSpaces)
        let payload = DeviceAuthentication.bytes(
            transcript: draft.transcript, docType: draft.docType, nameSpaces: nameSpaces)
        return DeviceSigned(nameSpaces: nameSpaces, deviceAuth: try await deviceAuth(payload))
    }

    private func deviceAuth(_ payload: [UInt8]) async throws(PresentationError) -> DeviceAuth {
        let key = try await keyInfo()
        let form = draft.form ?? form(for: key)
        switch form {
        case .mac: return DeviceAuth(deviceMac: try await mac(payload, key))
        case .signature: return DeviceAuth(deviceSignature: try await signature(payload, key))
        case .both:
            let mac = COSEMac0(
                protected: COSEHeaders(algorithm: .hmac256), payload: nil, authenticationTag: Array(repeating: 0, count: 32))
            return DeviceAuth(deviceSignature: try await signature(payload, key), deviceMac: mac)
        case .neither: return DeviceAuth()
        }
    }

    private func form(for key: KeyInfo) -> DeviceAuth.Form {
        switch presenter.deviceAuth {
        case .signature: return .signature
        case .mac: return .mac
        case .automatic: return key.purpose == .agree || !key.curve.canSign ? .mac : .signature
        }
    }

    private func signature(_ payload: [UInt8], _ key: KeyInfo) async throws(PresentationError) -> COSESign1 {
        guard let algorithm = COSEAlgorithm.iso(for: key.curve) else { throw .cannotSign(key.curve) }
        let headers = COSEHeaders(algorithm: algorithm)
        let (protected, unprotected) = draft.algorithmIsProtected ? (headers, COSEHeaders.empty) : (.empty, headers)
        let carried = draft.payloadIsDetached ? nil : payload
        let unsigned = COSESign1(protected: protected, unprotected: unprotected, payload: carried, signature: [])
        let toBeSigned: [UInt8]
        do { toBeSigned = try unsigned.toBeSigned(detachedPayload: carried == nil ? payload : nil) } catch { throw .cose(error) }
        var proof: [UInt8]
        do {
            proof = try await presenter.keyStore.sign(toBeSigned, with: key.id, hash: algorithm.hash, unlock: unlock)
        } catch { throw .key(error) }
        if draft.spoilsProof, let last = proof.indices.last { proof[last] ^= 1 }
        return COSESign1(protected: protected, unprotected: unprotected, payload: carried, signature: proof)
    }

    private func mac(_ payload: [UInt8], _ key: KeyInfo) async throws(PresentationError) -> COSEMac0 {
        var macKey = try await macKey(key)
        defer { macKey.erase() }
        if draft.spoilsProof { macKey[0] ^= 1 }
        let headers = COSEHeaders(algorithm: .hmac256)
        let (protected, unprotected) = draft.algorithmIsProtected ? (headers, COSEHeaders.empty) : (.empty, headers)
        let carried = draft.payloadIsDetached ? nil : payload
        let empty = COSEMac0(protected: protected, unprotected: unprotected, payload: carried, authenticationTag: [])
        do {
            let toBeMaced = try empty.toBeMaced(detachedPayload: carried == nil ? payload : nil)
            return COSEMac0(
                protected: protected, unprotected: unprotected, payload: carried,
                authenticationTag: HMAC.sha256(key: macKey, toBeMaced))
        } catch { throw .cose(error) }
    }

    private func macKey(_ key: KeyInfo) async throws(PresentationError) -> [UInt8] {
        let readerKey = try readerKey()
        if draft.ignoresCurves {
            guard readerKey.curve != key.curve else {
                throw .fault(.needs("a device key on another curve than the session", fault: "device-mac-curve"))
            }
            return Array(repeating: 0, count: 32)
        }
        guard readerKey.curve == key.curve, key.curve.canAgree else {
            throw .macNotPossible(device: key.curve, session: readerKey.curve)
        }
        var secret: [UInt8]
        do { secret = try await presenter.keyStore.agree(with: readerKey, using: key.id, unlock: unlock) } catch {
            throw .key(error)
        }
        defer { secret.erase() }
        do { return try DeviceAuthentication.macKey(sharedSecret: secret, transcript: draft.transcript) } catch {
            throw .cose(.key(error))
        }
    }

    private func readerKey() throws(PresentationError) -> PublicKey {
        let key: COSEKey?
        do { key = try draft.transcript.eReaderKey() } catch { throw .transcript(error) }
        guard let key else { throw .noSessionKey }
        do { return try key.publicKey } catch { throw .cose(error) }
    }

    private func keyInfo() async throws(PresentationError) -> KeyInfo {
        do { return try await presenter.keyStore.info(draft.document.keyID) } catch { throw .key(error) }
    }
}
