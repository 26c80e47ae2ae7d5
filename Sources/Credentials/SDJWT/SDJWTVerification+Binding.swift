import Codec
import Crypto
import Ports

extension SDJWTVerification {
    private static let bindingChecks = [
        "S16.typ", "S16.alg", "S16.signature", "S16.aud", "S16.nonce", "S16.sd-hash", "S16.past", "S16.future", "S16.claims",
    ]
    private static let transactionChecks = ["S17.present", "S17.hashes", "S17.alg", "S17.unasked"]

    /// S16 and S17.
    mutating func checkBinding(_ token: SDJWT, _ processed: ProcessedSDJWT) {
        guard case .presentation(_, let expected) = expectation else {
            list.judge("S16.at-issuance", subject, token.keyBinding == nil)
            return list.notRun(["S16.present", "S16.cnf"] + Self.bindingChecks + Self.transactionChecks, subject, .notRequested)
        }
        list.notRun("S16.at-issuance", subject, .notRequested)
        guard let text = token.keyBinding else { return missing(expected) }
        list.pass("S16.present", subject)
        let key = holderKey(processed)
        guard let jws = read(text), let claims = self.claims(jws) else {
            let others = Self.bindingChecks.filter { $0 != "S16.claims" } + Self.transactionChecks
            return list.notRun(others, subject, .needs("S16.claims"))
        }
        checkSignature(jws, key)
        checkTerms(claims, expected)
        checkHash(token, claims, processed.hash)
        checkTimes(claims, expected)
        checkTransactions(claims, expected)
    }

    private mutating func missing(_ expected: KeyBindingExpectation?) {
        if verifier.rule.holderBindingRequired {
            list.fail("S16.present", subject, values: [])
            list.notRun(["S16.cnf"] + Self.bindingChecks + Self.transactionChecks, subject, .needs("S16.present"))
        } else {
            list.notRun(["S16.present", "S16.cnf"] + Self.bindingChecks + Self.transactionChecks, subject, .notRequested)
        }
    }

    /// `cnf.jwk`: kty, crv and the coordinates are enough.
    private mutating func holderKey(_ processed: ProcessedSDJWT) -> PublicKey? {
        guard let jwk = processed.claims["cnf"]?["jwk"] else {
            list.fail("S16.cnf", subject, values: [], detail: processed.claims["cnf"] == nil ? "there is no cnf" : "cnf has no jwk")
            return nil
        }
        do {
            let key = try PublicKey(jwk: jwk)
            list.pass("S16.cnf", subject)
            return key
        } catch {
            list.fail("S16.cnf", subject, values: [], detail: "\(error)")
            return nil
        }
    }

    private mutating func read(_ text: String) -> JWS? {
        do { return try JWS(compact: text) } catch {
            list.fail("S16.claims", subject, "the key binding JWT is unreadable: \(error)")
            return nil
        }
    }

    private mutating func claims(_ jws: JWS) -> JSONObject? {
        do { return try jws.claims() } catch {
            list.fail("S16.claims", subject, "the key binding JWT is unreadable: \(error)")
            return nil
        }
    }

    private mutating func checkSignature(_ jws: JWS, _ key: PublicKey?) {
        list.judge("S16.typ", subject, jws.protected.type == SDJWT.keyBindingMediaType, [jws.protected.type ?? "missing"])
        guard let key else { return list.notRun(["S16.alg", "S16.signature"], subject, .needs("S16.cnf")) }
        let name = jws.protected["alg"]?.stringValue ?? "missing"
        guard let algorithm = JWSAlgorithm(rawValue: name), algorithm.allows(key.curve) else {
            list.fail("S16.alg", subject, values: [name], detail: "cnf.jwk is on \(key.curve.rawValue)")
            return list.notRun("S16.signature", subject, .needs("S16.alg"))
        }
        list.pass("S16.alg", subject)
        do throws(JOSEError) {
            try jws.verify(with: key)
            list.pass("S16.signature", subject)
        } catch { list.fail("S16.signature", subject, values: [], detail: error == .invalidSignature ? nil : "\(error)") }
    }

    private mutating func checkTerms(_ claims: JSONObject, _ expected: KeyBindingExpectation?) {
        guard let expected else { return list.notRun(["S16.aud", "S16.nonce"], subject, .noTranscript) }
        let audience = claims["aud"].map { $0.stringValue ?? $0.encoded() } ?? "missing"
        list.judge("S16.aud", subject, claims["aud"]?.stringValue == expected.audience, [audience, expected.audience])
        let nonce = claims["nonce"].map { $0.stringValue ?? $0.encoded() } ?? "missing"
        if nonce == expected.nonce, claims["nonce"]?.stringValue != nil {
            list.pass("S16.nonce", subject)
        } else {
            list.fail("S16.nonce", subject, values: [], detail: "it is \(nonce), expected \(expected.nonce)")
        }
    }

    private mutating func checkHash(_ token: SDJWT, _ claims: JSONObject, _ hash: SDHash?) {
        guard let hash else { return list.notRun("S16.sd-hash", subject, .needs("S6.known")) }
        let stated = claims["sd_hash"]?.stringValue
        guard stated != hash.text(of: token.bindable) else { return list.pass("S16.sd-hash", subject) }
        let isWithoutTilde = stated == hash.text(of: token.bindable.dropLast())
        list.fail("S16.sd-hash", subject, values: [], detail: isWithoutTilde ? "matches without last `~`" : nil)
    }

    private mutating func checkTimes(_ claims: JSONObject, _ expected: KeyBindingExpectation?) {
        var wrong = ["aud", "nonce", "sd_hash"].filter { claims[$0]?.stringValue == nil }.map { "\($0) missing or mistyped" }
        for name in ["exp", "nbf"] {
            guard let value = claims[name] else { continue }
            guard let time = Self.numericDate(value) else {
                wrong.append("\(name) mistyped")
                continue
            }
            if name == "exp" ? time <= earliest : time > latest { wrong.append("\(name) \(time.rfc3339) violated") }
        }
        guard let issued = Self.numericDate(claims["iat"]) else {
            list.notRun(["S16.past", "S16.future"], subject, .needs("S16.claims"))
            return list.fail("S16.claims", subject, (["iat missing or mistyped"] + wrong).joined(separator: "; "))
        }
        if wrong.isEmpty {
            list.pass("S16.claims", subject)
        } else {
            list.fail("S16.claims", subject, wrong.joined(separator: "; "))
        }
        list.judge("S16.future", subject, issued <= latest, [issued.rfc3339])
        guard let expected else { return list.notRun("S16.past", subject, .noTranscript) }
        list.judge("S16.past", subject, issued >= earliest.adding(seconds: -expected.window), [issued.rfc3339])
    }

    // MARK: S17

    private mutating func checkTransactions(_ claims: JSONObject, _ expected: KeyBindingExpectation?) {
        guard let expected, !expected.transactionData.isEmpty else {
            list.notRun(["S17.present", "S17.hashes", "S17.alg"], subject, .notRequested)
            return list.judge("S17.unasked", subject, claims["transaction_data_hashes"] == nil)
        }
        list.notRun("S17.unasked", subject, .notRequested)
        guard let hashes = claims["transaction_data_hashes"]?.arrayValue else {
            list.fail("S17.present", subject, values: [])
            return list.notRun(["S17.hashes", "S17.alg"], subject, .needs("S17.present"))
        }
        list.pass("S17.present", subject)
        guard let hash = transactionHash(claims, expected.transactionData) else {
            return list.notRun("S17.hashes", subject, .needs("S17.alg"))
        }
        var wrong = expected.transactionData.indices.filter { place in
            !hashes.indices.contains(place)
                || hashes[place].stringValue != TransactionData.hash(expected.transactionData[place], hash)
        }.map { [String($0), String($0)] }
        if hashes.count > expected.transactionData.count { wrong.append([String(expected.transactionData.count), "(none)"]) }
        list.judge("S17.hashes", subject, violations: wrong)
    }

    /// The algorithm that the holder used; nil, with the row, where it may not.
    private mutating func transactionHash(_ claims: JSONObject, _ strings: [String]) -> SDHash? {
        let lists = strings.compactMap(TransactionData.listedAlgorithms)
        let allowed = lists.reduce(lists.first.map(Set.init)) { $0?.intersection($1) }
        let stated = claims["transaction_data_hashes_alg"]?.stringValue
        let name = stated ?? "sha-256"
        let isAllowed = allowed.map { $0.contains(name) && stated != nil } ?? (name == "sha-256")
        guard isAllowed, let hash = SDHash(rawValue: name) else {
            list.fail(
                "S17.alg", subject, values: [stated ?? "none stated", (allowed ?? ["sha-256"]).sorted().joined(separator: ", ")])
            return nil
        }
        list.pass("S17.alg", subject)
        return hash
    }
}
