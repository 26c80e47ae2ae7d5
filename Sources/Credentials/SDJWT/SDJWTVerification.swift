import Codec
import Crypto
import Ports

/// One run of `SDJWTVerifier`.
struct SDJWTVerification {
    let verifier: SDJWTVerifier
    let expectation: SDJWTVerifier.Expectation
    let time: Timestamp
    var list: CheckList
    /// What is reported; nil where nothing could be read.
    var presented: PresentedDocument?
    var subject = "presentation"

    init(_ verifier: SDJWTVerifier, _ expectation: SDJWTVerifier.Expectation, _ time: Timestamp) {
        self.verifier = verifier
        self.expectation = expectation
        self.time = time
        list = CheckList(edition: verifier.signers.edition)
    }

    var skew: Int64 { verifier.signers.skew }
    var earliest: Timestamp { time.adding(seconds: -skew) }
    var latest: Timestamp { time.adding(seconds: skew) }

    mutating func run(_ text: String) {
        let token = Self.read(text)
        let opened = (try? token.get()).map(Self.open)
        let processed = (try? opened?.get()).map { ProcessedSDJWT($0.payload, disclosures: (try? token.get())?.disclosures ?? []) }
        if let type = processed?.claims["vct"]?.stringValue { subject = type }
        guard let received = recordForm(token, isJSON: text.utf8.first { $0 > 0x20 } == UInt8(ascii: "{")) else { return }
        guard let jws = recordJWT(opened), let processed else { return skipAll(by: "S1.base64url") }
        judgeDisclosures(processed)
        checkType(jws)
        let isSigned = checkIssuer(jws, processed.claims)
        checkClaims(processed)
        checkBinding(received, processed)
        present(processed, isSigned: isSigned)
    }

    // MARK: S1

    private static func read(_ text: String) -> Result<SDJWT, SDJWTError> {
        do { return .success(try SDJWT(text: text)) } catch { return .failure(error) }
    }

    /// The issuer-signed JWT and its claims.
    private static func open(_ token: SDJWT) -> Result<(jws: JWS, payload: JSONObject), JOSEError> {
        do {
            let jws = try JWS(compact: token.issuerJWT)
            return .success((jws, try jws.claims()))
        } catch { return .failure(error) }
    }

    private mutating func recordForm(_ token: Result<SDJWT, SDJWTError>, isJSON: Bool) -> SDJWT? {
        switch token {
        case .success(let token):
            list.pass("S1.form", subject)
            if isJSON { list.pass("S1.json", subject) } else { list.notRun("S1.json", subject, .notPresent) }
            return token
        case .failure(.json(let what)):
            list.notRun("S1.form", subject, .needs("S1.json"))
            list.fail("S1.json", subject, "JSON serialisation: \(what)")
            skipAll(by: "S1.json")
        case .failure(let error):
            list.fail("S1.form", subject, "\(error)")
            list.notRun("S1.json", subject, .notPresent)
            skipAll(by: "S1.form")
        }
        return nil
    }

    private mutating func recordJWT(_ opened: Result<(jws: JWS, payload: JSONObject), JOSEError>?) -> JWS? {
        switch opened {
        case .success(let opened)?: return opened.jws
        case .failure(let error)?: list.fail("S1.base64url", subject, "part 0, the issuer's JWT: \(error)")
        case nil: break
        }
        return nil
    }

    private mutating func skipAll(by cause: String) {
        let mine = Set(list.checks.map { $0.definition.id })
        for row in CheckCatalogue.sdJWT where !mine.contains(row.id) { list.notRun(row.id, subject, .needs(cause)) }
    }

    // MARK: S6 to S11

    private static let disclosureChecks = [
        "S1.base64url", "S6.known", "S6.place", "S7", "S8.object", "S8.array", "S8.json", "S8.salt", "S9.reserved", "S9.clash",
        "S10.duplicate", "S10.unreferenced", "S11.sd", "S11.placeholder",
    ]

    private mutating func judgeDisclosures(_ processed: ProcessedSDJWT) {
        for id in Self.disclosureChecks {
            let findings = processed.findings.filter { $0.check == id }
            // Without the hash no digest is known, so nothing that needs one was looked at.
            if processed.hash == nil, id == "S7" || id == "S10.unreferenced" {
                list.notRun(id, subject, .needs("S6.known"))
            } else if findings.isEmpty {
                list.pass(id, subject)
            }
            for finding in findings { list.fail(id, subject, finding.reason) }
        }
        let names = processed.placements.compactMap { placement -> String? in
            guard case .key(let name)? = placement.path.components.first, SDJWTVC.neverDisclosable.contains(name) else {
                return nil
            }
            return "\(placement.path.names?.joined(separator: ".") ?? name)"
        }
        list.judge("S12.disclosed", subject, violations: names.map { [$0] })
    }

    // MARK: S2

    private mutating func checkType(_ jws: JWS) {
        let type = jws.protected.type
        let isFormer = type == SDJWTVC.formerMediaType
        list.judge("S2.typ", subject, type == SDJWTVC.mediaType || isFormer, [type ?? "missing"])
        list.judge("S2.legacy", subject, !isFormer)
    }

    // MARK: the report

    private mutating func present(_ processed: ProcessedSDJWT, isSigned: Bool) {
        var document = PresentedDocument(format: SDJWTVC.mediaType, type: subject)
        document.trusted = trusted
        document.issuer = identity
        document.trust = signer?.trust
        document.payload = processed.claims
        document.claims = processed.claims.filter { !Self.technical.contains($0.key) }.map { name, value in
            PresentedClaim(namespace: "", element: name, value: Self.shown(value), source: .issuer, isVerified: isSigned)
        }
        document.validity = .init(
            signed: Self.date(processed.claims["iat"]), validFrom: Self.date(processed.claims["nbf"]),
            validUntil: Self.date(processed.claims["exp"]))
        document.status = processed.claims["status"] == nil ? "none" : "undetermined"
        document.statusQuery = StatusQuery(
            subject: subject, type: subject, claim: StatusClaim(jwt: processed.claims["status"]), form: .jwt, signer: signer,
            isGenuine: isSigned && trusted == true, cause: isSigned ? "S4.path" : "S5", keys: verifier.issuerKeys,
            isHAIP: verifier.isHAIP)
        document.holderBinding = list.check("S16.signature", subject)?.outcome == .pass ? .keyBindingJWT : .none
        presented = document
    }

    /// Claims about the credential rather than about the person.
    private static let technical: Set<String> = [
        "vct", "vct#integrity", "aka_vcts", "cnf", "status", "iat", "nbf", "exp", "_sd_alg",
    ]

    /// Pictures in data URIs (SD-JWT VC "Public and Private JWT claims") as their bytes, so that reports can show them.
    private static func shown(_ value: JSON) -> CBOR {
        if let text = value.stringValue, text.hasPrefix("data:image/"), let comma = text.firstIndex(of: ","),
            text[..<comma].hasSuffix(";base64"), let bytes = try? Base64.decode(String(text[text.index(after: comma)...]))
        {
            return .bytes(bytes)
        }
        return CBOR(json: value)
    }

    static func date(_ json: JSON?) -> String? { numericDate(json).map(\.rfc3339) }

    /// A NumericDate (RFC 7519 §2): seconds, with or without a fraction; nil for what is none.
    static func numericDate(_ json: JSON?) -> Timestamp? {
        guard let seconds = json?.doubleValue, seconds > -62_135_596_800, seconds < 253_402_300_800 else { return nil }
        return Timestamp(secondsSince1970: Int64(seconds))
    }

    var trusted: Bool?
    var signer: SignerChain?
    var identity: PresentedDocument.Issuer?
}
