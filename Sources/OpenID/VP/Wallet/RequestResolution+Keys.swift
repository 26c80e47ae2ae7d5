import Codec
import Credentials
import Crypto

extension RequestResolution {
    // MARK: metadata

    mutating func checkMetadata(_ parameters: JSONObject, _ client: IdentifiedClient?) -> VPClientMetadata? {
        if let known = client?.metadata { return known }
        guard let json = parameters["client_metadata"] else { return nil }
        do throws(VPClientMetadata.Malformed) { return try VPClientMetadata(json) } catch {
            list.fail("VW1", Self.subject, "unreadable request: \(error)")
            return nil
        }
    }

    /// VW25: what the verifier can verify.
    mutating func checkFormats(_ metadata: VPClientMetadata?, _ query: DCQLQuery?, _ client: IdentifiedClient?) -> VPFormats? {
        guard let formats = metadata?.formats else {
            let isKnown = client?.client.identifier.prefix == nil && client != nil && !isDigital
            if isKnown {
                list.notRun("VW25.formats", Self.subject, .notPresent)
            } else {
                list.fail("VW25.formats", Self.subject, values: [])
            }
            list.notRun("VW25.unsupported", Self.subject, isKnown ? .notPresent : .needs("VW25.formats"))
            return nil
        }
        list.pass("VW25.formats", Self.subject)
        let offered = Set(formats.names).intersection(DCQLQuery.knownFormats)
        let asked = query.map { Set($0.credentials.map(\.format)) } ?? offered
        let common = offered.intersection(asked)
        // Which algorithms fit is a matter of the credentials: see `obstacle`.
        if common.isEmpty, !settings.faults.contains("formats-alg") {
            list.fail("VW25.unsupported", Self.subject, values: [], detail: "listed: \(formats.names.joined(separator: ", "))")
        } else {
            list.pass("VW25.unsupported", Self.subject)
        }
        return formats
    }

    // MARK: encryption

    private static let keyChecks = ["VW26.key", "VW26.alg", "VW26.kid", "VW26.enc", "VW26.p256", "VW26.values", "VW26.reused"]

    /// VW26: the key and the content encryption, chosen once.
    mutating func chooseEncryption(
        _ metadata: VPClientMetadata?, _ asked: ResponseMode?, _ used: ResponseMode?
    ) -> ResponseEncryption? {
        guard let asked, asked.isEncrypted || used?.isEncrypted ?? false else {
            for id in Self.keyChecks { list.notRun(id, Self.subject, .notRequested) }
            return nil
        }
        let usable = usableKeys(metadata?.keys ?? [])
        let encryption = contentEncryption(metadata)
        checkProfile(metadata, usable)
        guard let chosen = usable.first(where: { $0.key.curve == .p256 }) ?? usable.first else {
            list.fail("VW26.key", Self.subject, values: [])
            return nil
        }
        list.pass("VW26.key", Self.subject)
        guard let encryption, let thumbprint = try? JWK.thumbprint(of: chosen.json), used?.isEncrypted ?? false else { return nil }
        return ResponseEncryption(key: chosen.key, keyID: chosen.keyID, encryption: encryption, thumbprint: thumbprint)
    }

    private struct UsableKey {
        let key: PublicKey
        let keyID: String?
        let json: JSON
    }

    private mutating func usableKeys(_ keys: [JSON]) -> [UsableKey] {
        var usable: [UsableKey] = []
        var names: Set<String> = []
        for (place, json) in keys.enumerated() {
            if let use = json["use"]?.stringValue, use != "enc" { continue }
            guard let algorithm = json["alg"]?.stringValue else {
                list.fail("VW26.alg", Self.subject, values: [String(place)])
                continue
            }
            let name = json["kid"]?.stringValue
            if name == nil || !names.insert(name ?? "").inserted { list.fail("VW26.kid", Self.subject, values: []) }
            guard algorithm == JWE.keyManagement, let key = try? PublicKey(jwk: json), key.curve.canAgree else { continue }
            usable.append(UsableKey(key: key, keyID: name, json: json))
        }
        for id in ["VW26.alg", "VW26.kid"] where list.check(id, Self.subject) == nil { list.pass(id, Self.subject) }
        return usable
    }

    /// A256GCM where it is listed (HAIP 1.0 §5), else the verifier's first that is known here; A128GCM where nothing is listed.
    private mutating func contentEncryption(_ metadata: VPClientMetadata?) -> JWEEncryption? {
        let listed = metadata?.encryptions ?? [JWEEncryption.a128GCM.rawValue]
        let known = listed.compactMap(JWEEncryption.init)
        list.judgeVP("VW26.enc", !known.isEmpty, [])
        return known.contains(.a256GCM) ? .a256GCM : known.first
    }

    private mutating func checkProfile(_ metadata: VPClientMetadata?, _ usable: [UsableKey]) {
        guard settings.isHAIP else {
            for id in ["VW26.p256", "VW26.values", "VW26.reused"] { list.notRun(id, Self.subject, .profile) }
            return
        }
        func judge(_ id: String, _ holds: Bool, _ rule: HAIPRule) {
            if holds { list.pass(id, Self.subject) } else { list.fail(id, Self.subject, rule.words) }
        }
        judge("VW26.p256", usable.contains { $0.key.curve == .p256 }, .keyOnP256)
        judge("VW26.values", Set(metadata?.encryptions ?? []).isSuperset(of: ["A128GCM", "A256GCM"]), .bothEncryptions)
        guard let wasSeen = settings.wasSeen else { return list.notRun("VW26.reused", Self.subject, .policyOff) }
        let isReused = usable.contains { key in
            (try? JWK.thumbprint(of: key.json)).map { wasSeen("key \(Base64URL.encode($0))") } ?? false
        }
        judge("VW26.reused", !isReused, .freshKey)
    }
}
