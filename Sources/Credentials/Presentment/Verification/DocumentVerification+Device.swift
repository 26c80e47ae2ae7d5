import Codec
import Crypto

extension DocumentVerification {
    /// R23: the key that the issuer bound to the document; nil, with the rows, when it cannot be used.
    mutating func checkDeviceKey(_ object: MobileSecurityObject) -> PublicKey? {
        let key: COSEKey
        do throws(CBORError) { key = try object.deviceKey } catch {
            list.fail("R23.curve", subject, "device key is no usable COSE_Key: \(error)")
            list.notRun("R23.point", subject, .needs("R23.curve"))
            return nil
        }
        guard let curve = key.curve, key.isUsable(on: curve) else {
            list.fail("R23.curve", subject, values: [key.curveName])
            list.notRun("R23.point", subject, .needs("R23.curve"))
            return nil
        }
        list.pass("R23.curve", subject)
        let point = try? key.publicKey
        list.judge("R23.point", subject, point != nil, [curve.rawValue])
        return point
    }

    /// R24, R25: whether the device key took part in this session, and whether it may say what it says.
    mutating func checkDevice(_ key: PublicKey?) {
        let rest = ["R24.alg", "R24.payload", "R24.signature", "R24.mac", "R24.mac-curve"]
        guard let signed = document.deviceSigned else {
            list.fail("R24.form", subject, values: [], detail: "deviceSigned is missing")
            list.notRun(rest, subject, .needs("R24.form"))
            return list.notRun(["R25.authorised", "R25.table"], subject, .notPresent)
        }
        switch (signed.deviceAuth.deviceSignature, signed.deviceAuth.deviceMac) {
        case (let signature?, nil): checkSignature(signature, signed, key)
        case (nil, let mac?): checkMAC(mac, signed, key)
        default:
            list.fail("R24.form", subject, values: [])
            list.notRun(rest, subject, .needs("R24.form"))
        }
        checkAuthorisation(signed)
    }

    private mutating func checkSignature(_ signature: COSESign1, _ signed: DeviceSigned, _ key: PublicKey?) {
        list.pass("R24.form", subject)
        presented.holderBinding = .signature
        list.notRun(["R24.mac", "R24.mac-curve"], subject, .notPresent)
        list.judge("R24.payload", subject, signature.payload == nil && !signature.payloadIsUndefined)
        let algorithm = signature.protected.algorithm.flatMap(COSEAlgorithm.init)
        let isAllowed = algorithm.map { !$0.isMAC && (key.map { $0.curve }.map($0.allows) ?? true) } ?? false
        list.judge(
            "R24.alg", subject, isAllowed,
            [
                signature.protected.algorithmText ?? signature.unprotected.algorithmText ?? "none",
                key?.curve.rawValue ?? "the device key",
            ])
        guard let key else { return list.notRun("R24.signature", subject, .needs(deviceKeyCause)) }
        guard isAllowed else { return list.notRun("R24.signature", subject, .needs("R24.alg")) }
        let detached = COSESign1(
            protected: signature.protected, unprotected: signature.unprotected, payload: nil, signature: signature.signature)
        guard let transcript = session.transcript else { return list.notRun("R24.signature", subject, .noTranscript) }
        judge("R24.signature", transcript, signed) { payload, _ in
            (try? detached.verify(with: key, detachedPayload: payload)) != nil
        }
    }

    private mutating func checkMAC(_ mac: COSEMac0, _ signed: DeviceSigned, _ key: PublicKey?) {
        list.pass("R24.form", subject)
        presented.holderBinding = .mac
        list.notRun("R24.signature", subject, .notPresent)
        list.judge("R24.payload", subject, mac.payload == nil && !mac.payloadIsUndefined)
        let isAllowed = mac.protected.algorithm == COSEAlgorithm.hmac256.rawValue
        list.judge(
            "R24.alg", subject, isAllowed,
            [mac.protected.algorithmText ?? mac.unprotected.algorithmText ?? "none", key?.curve.rawValue ?? "the device key"])
        let curve = session.readerKey?.curve ?? (try? session.transcript?.eReaderKey())?.curve
        if let key, let curve {
            list.judge("R24.mac-curve", subject, key.curve == curve, [key.curve.rawValue, curve.rawValue])
        } else {
            list.notRun("R24.mac-curve", subject, key == nil ? .needs(deviceKeyCause) : .noKey)
        }
        guard let key else { return list.notRun("R24.mac", subject, .needs(deviceKeyCause)) }
        guard isAllowed else { return list.notRun("R24.mac", subject, .needs("R24.alg")) }
        let detached = COSEMac0(
            protected: mac.protected, unprotected: mac.unprotected, payload: nil, authenticationTag: mac.authenticationTag)
        guard let transcript = session.transcript else { return list.notRun("R24.mac", subject, .noTranscript) }
        guard let readerKey = session.readerKey else { return list.notRun("R24.mac", subject, .noKey) }
        guard var secret = try? readerKey.agree(with: key) else { return list.notRun("R24.mac", subject, .needs("R24.mac-curve")) }
        defer { secret.erase() }
        judge("R24.mac", transcript, signed) { payload, salt in
            guard var macKey = try? HKDF.sha256(ikm: secret, salt: salt(), info: Array("EMacKey".utf8), length: 32) else {
                return false
            }
            defer { macKey.erase() }
            return (try? detached.verify(key: macKey, detachedPayload: payload)) != nil
        }
    }

    /// A proof over the transcript, whatever payload came along; after a failure every known mistake is tried, and the one that verifies is named.
    private mutating func judge(
        _ id: String, _ transcript: SessionTranscript, _ signed: DeviceSigned,
        verifies: (_ payload: [UInt8], _ salt: @autoclosure () -> [UInt8]) -> Bool
    ) {
        let payload = DeviceAuthentication.bytes(
            transcript: transcript, docType: document.docType, nameSpaces: signed.nameSpaces)
        if verifies(payload, transcript.hash) { return list.pass(id, subject) }
        let variants =
            TranscriptVariant.all(of: transcript, docType: document.docType, object: object, signed)
            + session.mistakes.map { TranscriptVariant($0.name, $0.transcript, document.docType, signed) }
        let mistake = variants.first { verifies($0.payload, $0.salt) }
        list.fail(
            id, subject, values: [Hex.encode(transcript.hash)], detail: mistake.map { "verifies with \($0.name)" })
    }

    /// The check that took the device key away.
    private var deviceKeyCause: String {
        if object == nil { return "R15.payload" }
        return list.check("R23.curve", subject)?.outcome == .pass ? "R23.point" : "R23.curve"
    }

    /// R25: what the device signs itself needs the issuer's leave; the first edition has none for elements of the mDL table.
    private mutating func checkAuthorisation(_ signed: DeviceSigned) {
        let elements = signed.nameSpaces.value.nameSpaces
        guard !elements.isEmpty else { return list.notRun(["R25.authorised", "R25.table"], subject, .notPresent) }
        var refused: [[String]] = []
        var tabled: [[String]] = []
        for (nameSpace, members) in elements {
            for (identifier, value) in members {
                let isAllowed = object?.keyAuthorizations?.allows(identifier, in: nameSpace) ?? false
                if !isAllowed { refused.append([nameSpace, identifier]) }
                if nameSpace == Self.mDLNameSpace, isInTable(identifier) { tabled.append([identifier]) }
                present(nameSpace, identifier, value, .device, isVerified: isAllowed)
            }
        }
        if object == nil {
            list.notRun("R25.authorised", subject, .needs("R15.payload"))
        } else {
            list.judge("R25.authorised", subject, violations: refused)
        }
        list.judge("R25.table", subject, violations: tabled)
    }

    private func isInTable(_ identifier: DataElementIdentifier) -> Bool {
        DocumentDefinition.mobileDrivingLicence.element(identifier, in: Self.mDLNameSpace) != nil
    }
}

extension COSEKey {
    /// Whether device authentication can use the key: it signs or agrees on its curve, and no other use is asked of it.
    fileprivate func isUsable(on curve: Curve) -> Bool {
        guard let algorithm else { return true }
        guard let known = COSEAlgorithm(rawValue: algorithm) else { return curve.canAgree }
        return known.isMAC || known.allows(curve)
    }

    fileprivate var curveName: String {
        curve.map(\.rawValue) ?? curveIdentifier.map { "\($0)" } ?? "of key type \(keyType)"
    }
}
