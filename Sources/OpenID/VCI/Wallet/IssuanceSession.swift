import Codec
package import Credentials
package import Crypto
package import Ports

/// One issuance from the wallet's side: offer, authorization, token, credentials, notification. Every method adds to `checks` whether
/// it returns or throws.
package struct IssuanceSession: Sendable {
    /// Whose settings count; may be another one once the offer says which issuer it is.
    package var wallet: VCIWallet
    package internal(set) var checks = CheckList(edition: .first)
    package internal(set) var offer: CredentialOffer?
    package internal(set) var metadata: IssuerMetadata?
    /// The certificate that signed the metadata, and only once the signature verified.
    package internal(set) var access = AccessCertificate.absent
    /// What the issuer is registered for; nil until that was looked at.
    package private(set) var registration: RegistrationReport?
    package internal(set) var server: ServerMetadata?
    /// The key of DPoP proofs; nil: Bearer tokens.
    package internal(set) var dpopKey: KeyInfo?
    /// The key that the wallet attestation confirms; nil: a public client.
    package internal(set) var clientKey: KeyInfo?
    package internal(set) var token: AccessToken?
    /// What a person should know although nothing failed.
    package internal(set) var warnings: [String] = []
    var attestation: String?
    /// The newest DPoP nonces: those of the authorization server and of the issuer are kept apart (RFC 9449 §9).
    var nonces: [Side: String] = [:]
    var challenge: String?

    /// The two servers of an issuance, which may be one.
    enum Side: String, Sendable { case authorization, resource }

    package init(_ wallet: VCIWallet) { self.wallet = wallet }

    var settings: WalletSettings { wallet.settings }

    // MARK: Registration

    /// What the issuer is registered for (ETSI TS 119 475; T50 to T68): one report for each registration certificate in `issuer_info`,
    /// bound to the certificate that signed the metadata. Their status is not known yet.
    ///
    /// - Parameter ids: the configurations that are wanted.
    package func registrations(for ids: [String], by verifier: RegistrationVerifier) -> [RegistrationReport] {
        let attestations = (metadata?.json["issuer_info"]?.arrayValue ?? []).compactMap(RegistrationAttestation.init)
        let subjects = ids.compactMap { id in
            metadata?.configuration(id).map { RegistrationSubject(id: id, format: $0.format, types: [$0.type]) }
        }
        return verifier.verify(attestations, access: access, asking: subjects, at: wallet.now)
    }

    /// Takes the rows of a registration.
    /// - Throws: where its policy does not let the issuance go on.
    package mutating func record(_ registration: RegistrationReport) throws(IssuanceError) {
        checks.append(contentsOf: registration.checks)
        self.registration = registration
        guard let refusal = registration.refusal else { return }
        throw IssuanceError(
            "the registration of the issuer is not accepted: \(refusal.reason)", .issuer, check: refusal.check,
            hint: "--registration-policy warning takes it nevertheless")
    }

    // MARK: Checks

    /// Rows for the checks of one step: the findings' fail or warn, the others pass.
    /// - Throws: for the first finding whose level is fail.
    mutating func judge(
        _ ids: [String], _ findings: [MessageFinding], _ subject: String, hint: String? = nil
    ) throws(IssuanceError) {
        for id in ids where !findings.contains(where: { $0.check == id }) { checks.pass(id, subject) }
        var worst: MessageFinding?
        for finding in findings {
            let severity = severity(of: finding.check)
            checks.violate(finding.check, subject, as: severity, finding.what)
            switch severity {
            case .fail: worst = worst ?? finding
            case .warn, .undetermined, .inactive: warnings.append(finding.what)
            }
        }
        if let worst { throw IssuanceError(worst.what, .issuer, check: worst.check, hint: hint) }
    }

    private func severity(of check: String) -> CheckDefinition.Severity {
        let isProfile = settings.isHAIP && ["IW4.pkce", "IW4.par", "IW4.dpop", "IW4.auth"].contains(check)
        if isProfile { return .fail }
        if check.hasPrefix("IW3."), settings.signedMetadata == .prefer { return .warn }
        return CheckCatalogue.row(check)?.severity(in: .first) ?? .fail
    }

    // MARK: Requests

    /// Sends a request once.
    mutating func send(_ draft: OutgoingRequest, _ side: Side) async throws(IssuanceError) -> HTTPResponse {
        let response: HTTPResponse
        do { response = try await wallet.transport.send(draft.request) } catch {
            throw IssuanceError(
                "\(draft.url): \(error.detail.isEmpty ? "\(error.reason)" : error.detail)", .network,
                hint: error.mend ?? "is the issuer running, and reachable from here?")
        }
        if let nonce = response.headers["DPoP-Nonce"], !wallet.faults.has(.ignoresNonces) { nonces[side] = nonce }
        if let fresh = response.headers[ClientAttestation.challengeHeader], !wallet.faults.has(.ignoresChallenges) {
            challenge = fresh
        }
        return response
    }

    /// The DPoP header of a request.
    func proof(_ draft: OutgoingRequest, _ side: Side, accessToken: String?) async throws(IssuanceError) -> String? {
        guard let dpopKey else { return nil }
        let jwt = DPoP.draft(
            method: draft.method, url: draft.url, key: dpopKey.publicKey, accessToken: accessToken, nonce: nonces[side],
            at: wallet.now, random: wallet.random)
        return try await wallet.sign(jwt, dpopKey, side == .resource ? .resourceProof : .tokenProof)
    }

    /// The error of a response, its form checked (IW14); nil where it is no error.
    mutating func refusal(
        _ response: HTTPResponse, at endpoint: ErrorMeaning.Endpoint
    ) throws(IssuanceError) -> IssuanceError? {
        guard response.status >= 400 else { return nil }
        let subject = endpoint.rawValue
        guard response.contentType != MessageEncryption.contentType else {
            try judge([], [MessageFinding("IW14.encrypted", "the error came encrypted")], subject)
            return nil
        }
        let json = try? JSON.decode(response.bytes)
        let challenge = response.headers["WWW-Authenticate"].map(AuthenticateChallenge.init)
        let code = json?["error"]?.stringValue ?? challenge?.error
        let text = json?["error_description"]?.stringValue ?? challenge?.description
        guard let code else {
            return IssuanceError("\(subject) answered \(response.status)", .issuer)
        }
        let meaning = ErrorMeaning.of(code, at: endpoint)
        var findings: [MessageFinding] = []
        if meaning == nil {
            findings.append(MessageFinding("IW14.code", "code \(ErrorText.shown(code)) not defined for \(subject)"))
        }
        let expected = Self.status(of: code, endpoint)
        if !expected.contains(response.status) {
            findings.append(MessageFinding("IW14.status", "status \(response.status), expected \(expected[0])"))
        }
        if let text, !ErrorDescription.isAllowed(text) {
            findings.append(
                MessageFinding("IW14.text", "error_description outside %x20-21 / 23-5B / 5D-7E: \(ErrorText.shown(text))"))
        }
        try judge(["IW14.code", "IW14.status", "IW14.text", "IW14.encrypted"], findings, subject)
        let sentence = meaning.map { ": \($0.sentence) (\($0.clause))" } ?? ""
        let said = text.map { "; the issuer says: \(ErrorText.shown($0))" } ?? ""
        return IssuanceError(
            "\(subject) answered \(response.status) \(ErrorText.shown(code))\(sentence)\(said)", .issuer, code: code)
    }

    private static func status(of code: String, _ endpoint: ErrorMeaning.Endpoint) -> [Int] {
        switch (code, endpoint) {
        case ("invalid_token", _): [401]
        case ("insufficient_scope", _): [403]
        case ("use_dpop_nonce", .credential), ("use_dpop_nonce", .deferred), ("use_dpop_nonce", .notification),
            ("invalid_dpop_proof", .credential), ("invalid_dpop_proof", .deferred), ("invalid_dpop_proof", .notification):
            [401]
        case ("invalid_client", _), ("invalid_client_attestation", _): [400, 401]
        default: [400]
        }
    }
}

/// The parts of `WWW-Authenticate` that a wallet reads (RFC 6750 §3).
struct AuthenticateChallenge: Sendable {
    let error: String?
    let description: String?

    init(_ header: String) {
        error = Self.value("error", header)
        description = Self.value("error_description", header)
    }

    private static func value(_ name: String, _ header: String) -> String? {
        for start in ["\(name)=\"", "\(name) =\""] {
            guard let range = header.firstRange(of: start) else { continue }
            // `error` is the end of no longer name here, but `error_description` begins like it: the quote tells them apart.
            return String(header[range.upperBound...].prefix { $0 != "\"" })
        }
        return nil
    }
}

extension HTTPResponse {
    /// The media type without parameters, in lower case.
    var contentType: String {
        (headers["Content-Type"] ?? "").split(separator: ";").first.map { $0.filter { $0 != " " }.lowercased() } ?? ""
    }

    var isNotStored: Bool { headers.all("Cache-Control").contains { $0.lowercased().contains("no-store") } }
}

/// An access token with what came beside it.
package struct AccessToken: Sendable, Equatable {
    package var value: String
    package var isDPoP: Bool
    package var expires: Timestamp?
    package var refreshToken: String?
    /// Credential identifiers by configuration; empty where the response named none.
    package var identifiers: [String: [String]]
    /// Whether the token was given to a client without a name.
    package var isAnonymous: Bool
}
