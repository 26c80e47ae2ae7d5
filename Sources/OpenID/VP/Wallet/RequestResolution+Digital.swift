import Codec
import Credentials
import Ports

extension RequestResolution {
    /// A request of the Digital Credentials API (§A): VD1 to VD4.
    mutating func resolve(protocol name: String, _ data: JSON) -> VPResolution {
        isDigital = true
        let isKnown = ["openid4vp-v1-unsigned", "openid4vp-v1-signed", "openid4vp-v1-multisigned"].contains(name)
        list.judgeVP("VD1", isKnown, [name])
        guard isKnown else { return refused() }
        list.notRun("VD3.present", Self.subject, .notRequested, unless: name != "openid4vp-v1-unsigned")
        switch name {
        case "openid4vp-v1-signed":
            guard let text = data["request"]?.stringValue else {
                list.fail("VW1", Self.subject, "unreadable request: data has no request in compact serialisation")
                return refused()
            }
            return resolve(digitalObject: text)
        case "openid4vp-v1-multisigned": return resolve(objects: data["request"] ?? data)
        default: return resolve(unsigned: data.objectValue ?? JSONObject())
        }
    }

    private mutating func resolve(digitalObject text: String) -> VPResolution {
        if let jws = try? JWS(compact: text), let parameters = try? jws.claims() { checkOrigins(parameters) }
        return resolve(object: text, link: nil)
    }

    /// A request object with a signature for each trust framework; the first that authenticates its client is used (§A.3.2.2).
    mutating func resolve(objects json: JSON) -> VPResolution {
        isDigital = true
        let signed: JWSSerialization
        let payload: JSONObject
        do throws(JOSEError) {
            signed = try JWSSerialization(json)
            guard let first = signed.signatures.first else { throw .malformed("no signature") }
            payload = try first.claims()
        } catch {
            list.fail("VW1", Self.subject, "unreadable request: \(error)")
            return refused()
        }
        evidence.append(("request.json", Array(json.encoded(pretty: true).utf8)))
        list.pass("VW1", Self.subject)
        let isTidy =
            payload["client_id"] == nil && payload["verifier_info"] == nil
            && signed.signatures.allSatisfy {
                $0.unprotected["client_id"] == nil && $0.unprotected["verifier_info"] == nil
                    && $0.protected["client_id"]?.stringValue != nil
            }
        list.judgeVP("VD4.header", isTidy, [])
        checkOrigins(payload)
        return choose(signed.signatures, payload)
    }

    private mutating func choose(_ signatures: [JWS], _ payload: JSONObject) -> VPResolution {
        var best: (RequestResolution, VPResolution)?
        var invalid: [Int] = []
        for (place, jws) in signatures.enumerated() {
            var attempt = self
            var parameters = payload
            for name in ["client_id", "verifier_info"] where jws.protected[name] != nil { parameters[name] = jws.protected[name] }
            attempt.checkMultiSigned(jws, parameters)
            let client = attempt.checkSignedClient(jws, parameters, parameters["client_id"]?.stringValue)
            let resolution = attempt.finish(parameters, object: jws.compact, client: client)
            if case .success = resolution.result {
                if best == nil || best?.1.isSuccess == false { best = (attempt, resolution) }
            } else {
                invalid.append(place)
                if best == nil { best = (attempt, resolution) }
            }
        }
        guard let (_, resolution) = best else { return refused() }
        var checks = resolution.checks
        if resolution.isSuccess {
            for place in invalid { checks.fail("VD4.one", Self.subject, values: [String(place)]) }
            if invalid.isEmpty { checks.pass("VD4.one", Self.subject) }
        } else {
            checks.notRun("VD4.one", Self.subject, .needs("VW17"))
        }
        return VPResolution(
            checks: checks, result: resolution.result, evidence: evidence, registration: resolution.registration)
    }

    /// `typ`, `alg` and `crit` of one of several signatures.
    private mutating func checkMultiSigned(_ jws: JWS, _ parameters: JSONObject) {
        let type = jws.protected.type
        list.judgeVP("VW5.typ", type == nil || type == RequestObject.mediaType, [type ?? ""])
        let name = (jws.protected["alg"])?.stringValue
        list.judgeVP("VW5.alg", name.flatMap(JWSAlgorithm.init) != nil, [name ?? "missing"])
        let audience = parameters["aud"]?.stringValue
        list.judgeVP("VW7", audience == nil || audience == RequestObject.staticAudience, [audience ?? ""])
    }

    /// VD3: the page that asks is one that the signed request names, compared as it is.
    private mutating func checkOrigins(_ parameters: JSONObject) {
        guard isDigital else { return }
        let origins = parameters["expected_origins"]?.arrayValue?.compactMap(\.stringValue) ?? []
        list.judgeVP("VD3.present", !origins.isEmpty, [])
        guard !origins.isEmpty else { return list.notRun("VD3.match", Self.subject, .needs("VD3.present")) }
        list.judgeVP("VD3.match", origin.map(origins.contains) ?? false, [origin ?? "unknown"])
    }
}

extension VPResolution {
    /// Whether the request can be answered.
    public var isSuccess: Bool { if case .success = result { true } else { false } }
}

extension CheckList {
    fileprivate mutating func notRun(_ id: String, _ subject: String, _ why: NotRunReason, unless condition: Bool) {
        if !condition { notRun(id, subject, why) }
    }
}
