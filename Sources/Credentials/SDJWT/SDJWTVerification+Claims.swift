import Codec
import Crypto
import Ports

extension SDJWTVerification {
    /// S12 to S15.
    mutating func checkClaims(_ processed: ProcessedSDJWT) {
        let claims = processed.claims
        var required = ["vct"]
        if case .presentation(_, let binding) = expectation, binding != nil, verifier.rule.holderBindingRequired {
            required.append("cnf")
        }
        list.judge("S12.required", subject, violations: required.filter { claims[$0] == nil }.map { [$0] })
        checkTimes(claims)
        checkType(claims)
        checkMetadata(processed)
        checkStatus(claims)
    }

    // MARK: S13

    private mutating func checkTimes(_ claims: JSONObject) {
        if let expiry = time("exp", "S13.exp", claims) {
            let skew = skew
            list.judge("S13.exp", subject, expiry > earliest, [expiry.rfc3339, String(skew)])
        }
        if let beginning = time("nbf", "S13.nbf", claims) {
            list.judge("S13.nbf", subject, beginning <= latest, [beginning.rfc3339])
        }
        if let issued = time("iat", "S13.iat", claims) { list.judge("S13.iat", subject, issued <= latest) }
    }

    /// The time of a claim; nil, with the row, where there is none.
    private mutating func time(_ name: String, _ id: String, _ claims: JSONObject) -> Timestamp? {
        guard let value = claims[name] else {
            list.notRun(id, subject, .notPresent)
            return nil
        }
        if let time = Self.numericDate(value) { return time }
        list.fail(id, subject, "\(name) \(value.encoded()) is no NumericDate")
        return nil
    }

    // MARK: S14

    private mutating func checkType(_ claims: JSONObject) {
        if let type = claims["vct"] {
            list.judge("S14.form", subject, type.stringValue.map { !$0.isEmpty } ?? false)
        } else {
            list.notRun("S14.form", subject, .needs("S12.required"))
        }
        guard let others = claims["aka_vcts"] else { return list.notRun("S14.aka", subject, .notPresent) }
        let names = others.arrayValue?.compactMap(\.stringValue) ?? []
        let isWhole = !names.isEmpty && names.count == others.arrayValue?.count
        list.judge("S14.aka", subject, isWhole && claims["vct"]?.stringValue.map { !names.contains($0) } ?? true)
    }

    private mutating func checkMetadata(_ processed: ProcessedSDJWT) {
        let types = resolveMetadata(processed)
        guard case .presentation(let asked?, _) = expectation else { return list.notRun("S14.vct", subject, .notRequested) }
        guard let type = processed.claims["vct"]?.stringValue else {
            return list.notRun("S14.vct", subject, .needs(processed.claims["vct"] == nil ? "S12.required" : "S14.form"))
        }
        let names = [type] + (processed.claims["aka_vcts"]?.arrayValue?.compactMap(\.stringValue) ?? []) + types
        list.judge("S14.vct", subject, !Set(names).isDisjoint(with: asked), [type, asked.joined(separator: ", ")])
    }

    /// Judges the type metadata; returns the types that the credential's type extends.
    private mutating func resolveMetadata(_ processed: ProcessedSDJWT) -> [String] {
        let all = ["S14.integrity", "S14.metadata", "S14.claims"]
        guard let source = verifier.metadata else {
            list.notRun(all, subject, .policyOff)
            return []
        }
        guard let type = processed.claims["vct"]?.stringValue else {
            list.notRun(all, subject, .needs(processed.claims["vct"] == nil ? "S12.required" : "S14.form"))
            return []
        }
        let integrity = processed.claims["vct#integrity"]?.stringValue
        do {
            let metadata = try ResolvedTypeMetadata(type, integrity: integrity, from: source)
            if integrity == nil { list.notRun("S14.integrity", subject, .notPresent) } else { list.pass("S14.integrity", subject) }
            list.pass("S14.metadata", subject)
            let violations = metadata.violations(in: processed.root, isComplete: expectation.isIssuance)
            if violations.isEmpty { list.pass("S14.claims", subject) }
            for violation in violations { list.fail("S14.claims", subject, violation) }
            return metadata.types
        } catch {
            record(error, integrity, type)
            return []
        }
    }

    private mutating func record(_ error: TypeMetadataError, _ integrity: String?, _ type: String) {
        if error == .integrity(type) {
            list.fail("S14.integrity", subject, values: [type])
            return list.notRun(["S14.metadata", "S14.claims"], subject, .needs("S14.integrity"))
        }
        list.notRun("S14.integrity", subject, integrity == nil ? .notPresent : .needs("S14.metadata"))
        // A circle or a broken document is not a document that happens to be missing: the credential is refused (SD-JWT VC
        // "Circular extends Dependencies").
        var isBinding = verifier.requiresMetadata
        if case .circular = error { isBinding = true }
        list.violate("S14.metadata", subject, as: isBinding ? .fail : .warn, "\(error)")
        list.notRun("S14.claims", subject, .needs("S14.metadata"))
    }

    // MARK: S15

    private mutating func checkStatus(_ claims: JSONObject) {
        guard let status = claims["status"] else {
            return list.notRun(["S15.status", "S15.format", "S15.member"], subject, .notPresent)
        }
        // `StatusChecker` finds out; until then the rows say that nobody asked.
        list.notRun(["S15.status", "S15.format"], subject, .policyOff)
        guard verifier.isHAIP else { return list.notRun("S15.member", subject, .profile) }
        list.judge("S15.member", subject, status["status_list"] != nil)
    }
}

extension SDJWTVerifier.Expectation {
    var isIssuance: Bool { if case .issuance = self { true } else { false } }
}
