import Codec
import Crypto
import Ports

extension SDJWTVerification {
    /// S3 to S5: who signed, and whether that one may. Returns whether the signature verifies.
    mutating func checkIssuer(_ jws: JWS, _ claims: JSONObject) -> Bool {
        checkCritical(jws)
        let algorithm = checkAlgorithm(jws)
        guard let key = issuerKey(jws, claims) else {
            list.notRun(["S3.curve", "S5"], subject, .needs("S4.key"))
            return false
        }
        guard let algorithm else {
            list.notRun(["S3.curve", "S5"], subject, .needs("S3.alg"))
            return false
        }
        list.judge("S3.curve", subject, algorithm.allows(key.curve), [algorithm.rawValue, key.curve.rawValue])
        let isSigned =
            key.verify(signature: jws.signature, message: jws.signingInput, hash: algorithm.hash)
            && algorithm.allows(key.curve)
        list.judge("S5", subject, isSigned)
        return isSigned
    }

    private mutating func checkCritical(_ jws: JWS) {
        do throws(JOSEError) {
            try jws.protected.checkCritical()
            list.pass("S3.crit", subject)
        } catch { list.fail("S3.crit", subject, "\(error)") }
    }

    private mutating func checkAlgorithm(_ jws: JWS) -> JWSAlgorithm? {
        let name = jws.protected["alg"]?.stringValue
        let algorithm = name.flatMap(JWSAlgorithm.init)
        list.judge("S3.alg", subject, algorithm != nil, [name ?? "missing"])
        return algorithm
    }

    private static let chainChecks = ["S4.path", "S4.validity", "S4.iss", "S4.self-signed", "S4.anchor"]

    /// S4: the key of `x5c`, else the one that the caller vouches for.
    private mutating func issuerKey(_ jws: JWS, _ claims: JSONObject) -> PublicKey? {
        do throws(JOSEError) {
            if let certificates = try jws.protected.x5c() { return certifiedKey(certificates, claims) }
        } catch {
            list.fail("S4.key", subject, "\(error)")
            list.notRun(Self.chainChecks, subject, .needs("S4.key"))
            return nil
        }
        // The key that fits, so that the message of a failed signature is about the signature.
        let fitting = verifier.issuerKeys.first { key in
            (try? jws.verify(with: key)) != nil
        }
        guard !verifier.isHAIP, let key = fitting ?? verifier.issuerKeys.first else {
            list.fail("S4.key", subject, values: [], detail: verifier.isHAIP ? "HAIP requires x5c" : nil)
            list.notRun(Self.chainChecks, subject, .needs("S4.key"))
            return nil
        }
        list.pass("S4.key", subject)
        list.notRun(Self.chainChecks, subject, .notPresent)
        trusted = fitting != nil
        return key
    }

    private mutating func certifiedKey(_ certificates: [[UInt8]], _ claims: JSONObject) -> PublicKey? {
        let chain = verifier.signers.issuer(x5chain: certificates, docType: subject, at: time)
        identity = chain.identity
        signer = chain
        guard let key = chain.key, chain.unreadable == nil else {
            let place = chain.unreadable.map { "certificate \($0.place) is unreadable: \($0.error)" }
            list.fail("S4.key", subject, place ?? "the certificate's key is of no known kind")
            list.notRun(Self.chainChecks, subject, .needs("S4.key"))
            return nil
        }
        list.pass("S4.key", subject)
        checkPath(chain)
        checkName(chain, claims)
        let isSelfSigned = chain.signer.map { $0.isSelfIssued && $0.isSigned(by: $0) } ?? false
        judgeHAIP("S4.self-signed", !isSelfSigned, "signing certificate is self-signed")
        let hasRoot = chain.result.findings.contains { $0.kind == .rootInChain } && certificates.count > 1
        judgeHAIP("S4.anchor", !hasRoot, "trust anchor is in x5c")
        trusted = chain.hadAnchors ? chain.isTrusted : nil
        return key
    }

    private mutating func checkPath(_ chain: SignerChain) {
        let findings = chain.result.findings
        let dates = findings.filter(\.isAboutDates)
        if dates.isEmpty { list.pass("S4.validity", subject) }
        for finding in dates { list.fail("S4.validity", subject, finding.description) }
        guard chain.hadAnchors else { return list.notRun("S4.path", subject, .noAnchors) }
        let others = findings.filter { !$0.isAboutDates && $0.kind != .rootInChain }
        if others.isEmpty { list.pass("S4.path", subject) }
        for finding in others {
            let name = chain.certificates.last?.subject.description ?? ""
            list.fail("S4.path", subject, values: [name], detail: finding.description)
        }
    }

    /// `iss`, where it is a URI, has to be one of the leaf's names.
    private mutating func checkName(_ chain: SignerChain, _ claims: JSONObject) {
        guard let issuer = claims["iss"] else { return list.notRun("S4.iss", subject, .notPresent) }
        let names = chain.signer?.subjectAlternativeName ?? []
        let text = issuer.stringValue ?? issuer.encoded()
        let host = Self.host(text)
        let matches = names.contains { name in
            switch name {
            case .uri(let uri): uri == text
            case .dns(let dns): dns.lowercased() == host
            default: false
            }
        }
        list.judge("S4.iss", subject, matches, [text])
    }

    private static func host(_ uri: String) -> String? {
        guard let start = uri.firstRange(of: "://") else { return nil }
        return uri[start.upperBound...].prefix { $0 != "/" && $0 != ":" && $0 != "?" && $0 != "#" }.lowercased()
    }

    /// A rule of HAIP, which elsewhere is worth a warning.
    mutating func judgeHAIP(_ id: String, _ holds: Bool, _ reason: String) {
        guard !holds else { return list.pass(id, subject) }
        list.violate(id, subject, as: verifier.isHAIP ? .fail : .warn, reason)
    }
}
