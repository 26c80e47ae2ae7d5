import Codec
import Credentials
import Crypto
import Ports

/// Who asks at PAR and token endpoint.
struct AuthenticatedClient: Sendable {
    /// nil: anonymous.
    var id: String?
    var walletName: String?
    /// Whether it proved to be an attested wallet.
    var isAttested: Bool
}

extension VCIIssuer {
    /// Authenticates the client (II2, II3).
    func authenticate(_ form: FormFields, _ exchange: inout Exchange) async throws -> AuthenticatedClient {
        let headers = exchange.request.headers
        let attestations = headers.all(ClientAttestation.header)
        let proofs = headers.all(ClientAttestation.popHeader)
        guard !attestations.isEmpty || !proofs.isEmpty else {
            try exchange.require(
                "II2.absent", !exchange.settings.requiresClientAttestation, "no \(ClientAttestation.header) header")
            return AuthenticatedClient(id: form["client_id"], isAttested: false)
        }
        exchange.checks.pass("II2.absent", exchange.subject)
        guard attestations.count == 1, proofs.count == 1 else {
            throw Refusal("II3.typ", "\(attestations.count) attestations and \(proofs.count) proofs, one of each is wanted")
        }
        let verified: ClientAttestation.Verified
        do {
            verified = try ClientAttestation.verify(
                attestation: attestations[0], proof: proofs[0],
                policy: .init(
                    audience: exchange.settings.identifier, anchors: keys.providers,
                    freshness: exchange.settings.attestationFreshness, isHAIP: exchange.settings.isHAIP), at: exchange.time)
        } catch { throw Refusal(error.check, error.detail) }
        try await checkFreshness(verified, &exchange)
        exchange.pass([
            "II3.typ", "II3.exp", "II3.claims", "II3.fresh", "II3.pop-typ", "II3.pop-signature", "II3.pop-aud", "II3.pop-iat",
        ])
        if verified.isTrusted == nil {
            exchange.checks.notRun("II3.signature", exchange.subject, .noAnchors)
        } else {
            exchange.checks.pass("II3.signature", exchange.subject)
        }
        if let id = form["client_id"] {
            try exchange.require("II2.client-id", id == verified.clientID, "client_id \(id), sub \(verified.clientID)")
        }
        return AuthenticatedClient(id: verified.clientID, walletName: verified.walletName, isAttested: true)
    }

    private func checkFreshness(_ verified: ClientAttestation.Verified, _ exchange: inout Exchange) async throws {
        if exchange.settings.requiresChallenge {
            let tickets = try await tickets()
            let known = verified.challenge.map { tickets.isGood($0, .challenge, at: exchange.time) } ?? false
            if !known {
                try await noteRetry("challenge/\(DPoP.thumbprint(verified.key))", &exchange)
                throw Refusal("II3.challenge", verified.challenge == nil ? "no challenge" : "the challenge is unknown or stale")
                    .adding(ClientAttestation.challengeHeader, try await freshChallenge(exchange.settings))
            }
            try await forgetRetries("challenge/\(DPoP.thumbprint(verified.key))")
            exchange.checks.pass("II3.challenge", exchange.subject)
        } else {
            exchange.checks.notRun("II3.challenge", exchange.subject, .notRequested)
        }
        let isFirst = try await records.isFirst("pop/\(verified.identifier)", lifetime: 2 * ClientAttestation.window)
        try exchange.require("II3.pop-jti", isFirst, "this jti was seen before")
    }

    /// A challenge that wallets may use until it expires.
    private func freshChallenge(_ settings: IssuerSettings) async throws -> String {
        try await tickets().issue(.challenge, until: clock.now().adding(seconds: settings.nonceLifetime), random: random)
    }

    /// `challenge_endpoint`.
    func challenge(_ exchange: inout Exchange) async throws -> AnswerDraft {
        AnswerDraft(["attestation_challenge": .string(try await freshChallenge(exchange.settings))])
    }

    /// Checks a DPoP proof (II16, II17 at the authorization server; II21, II17 at the credential endpoints).
    ///
    /// - Parameter accessToken: at resources.
    /// - Returns: the thumbprint of its key; nil where there is no proof.
    func checkDPoP(_ exchange: inout Exchange, accessToken: String?) async throws -> String? {
        let (proofCheck, nonceCheck) = accessToken == nil ? ("II16.proof", "II17.as") : ("II21", "II17.rs")
        let proofs = exchange.request.headers.all("DPoP")
        guard let proof = proofs.first else { return nil }
        guard proofs.count == 1 else { throw Refusal(proofCheck, "\(proofs.count) DPoP headers") }
        let verified: DPoP.Verified
        do {
            verified = try DPoP.verify(
                proof, method: exchange.request.method, url: WebURL(exchange.settings.endpoint(exchange.endpoint)),
                accessToken: accessToken, at: exchange.time)
        } catch let error as DPoP.Rejection {
            throw Refusal(proofCheck, "\(error.member): \(error.detail)")
        }
        let isFirst = try await records.isFirst("dpop/\(verified.identifier)", lifetime: 2 * DPoP.window)
        guard isFirst else { throw Refusal(proofCheck, "jti: this jti was seen before") }
        exchange.checks.pass(proofCheck, exchange.subject)
        if exchange.settings.usesDPoPNonces {
            try await checkNonce(verified, nonceCheck, isResource: accessToken != nil, &exchange)
        } else {
            exchange.checks.notRun(nonceCheck, exchange.subject, .notRequested)
        }
        return verified.thumbprint
    }

    private func checkNonce(
        _ verified: DPoP.Verified, _ check: String, isResource: Bool, _ exchange: inout Exchange
    ) async throws {
        let scope = isResource ? "rs" : "as"
        let retries = "\(check)/\(verified.thumbprint)"
        if let nonce = verified.nonce, try await tickets().isGood(nonce, Self.nonceKind(scope), at: exchange.time) {
            exchange.checks.pass(check, exchange.subject)
            return try await forgetRetries(retries)
        }
        let fresh = try await freshDPoPNonce(scope, exchange.settings)
        let detail = verified.nonce == nil ? "no nonce in the DPoP proof" : "the nonce of the DPoP proof is unknown or stale"
        // The first time is how the protocol hands the nonce out.
        guard try await noteRetry(retries, &exchange) > 1 else {
            exchange.checks.notRun(check, exchange.subject, .notPresent)
            throw Refusal(status: isResource ? 401 : 400, code: "use_dpop_nonce", detail).adding("DPoP-Nonce", fresh)
        }
        throw Refusal(check, detail).adding("DPoP-Nonce", fresh)
    }

    /// A nonce for DPoP proofs: those of the authorization server are no use at the credential endpoints, nor the other way round.
    func freshDPoPNonce(_ scope: String, _ settings: IssuerSettings) async throws -> String {
        let end = clock.now().adding(seconds: settings.nonceLifetime)
        return try await tickets().issue(Self.nonceKind(scope), until: end, random: random)
    }

    private static func nonceKind(_ scope: String) -> IssuerTickets.Kind { scope == "as" ? .dpopAuthorization : .dpopResource }

    /// Counts refusals of one cause in a row (II33: one retry is how it should be, more are too many).
    @discardableResult
    private func noteRetry(_ cause: String, _ exchange: inout Exchange) async throws -> Int {
        let count = try await records.change(.retries, cause, lifetime: 300) { record in
            let count = (record?["count"]?.intValue ?? 0) + 1
            record = ["count": .integer(count)]
            return count
        }
        if count > 2 { exchange.checks.fail("II33", exchange.subject, "\(count - 1) retries with the same cause, one is allowed") }
        return Int(count)
    }

    private func forgetRetries(_ cause: String) async throws {
        try await records.change(.retries, cause, lifetime: 1) { $0 = nil }
    }
}
