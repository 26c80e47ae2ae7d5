import Codec
import Credentials
import Crypto
import Ports

extension IssuanceSession {
    /// Reads an offer's link, fetches it where it is given by reference, and the metadata of its issuer and server. Nothing is asked of
    /// the token endpoint: the person sees the offer first.
    package mutating func resolve(offer link: String) async throws(IssuanceError) {
        try await read(offer: link)
        try await resolveOffer()
    }

    /// Reads an offer's link, and fetches the offer where it is given by reference: after that its issuer is known.
    package mutating func read(offer link: String) async throws(IssuanceError) {
        let subject = "credential offer"
        let json: JSON
        do {
            switch try CredentialOffer.link(link) {
            case .value(let text):
                do { json = try JSON.decode(text) } catch { throw OfferError("IW1.json", "the offer is no JSON: \(error)") }
                checks.notRun("IW1.fetch", subject, .notPresent)
            case .reference(let url): json = try await fetchOffer(url)
            }
        } catch let error as OfferError {
            try judge([], [MessageFinding(error.check, error.what)], subject)
            return
        } catch { throw error as? IssuanceError ?? IssuanceError("\(error)", .wallet) }
        let offer: CredentialOffer
        do { offer = try CredentialOffer(json) } catch {
            try judge([], [MessageFinding(error.check, error.what)], subject)
            return
        }
        try judge(["IW1.form", "IW1.json", "IW1.ids", "IW1.tx-code"], [], subject)
        self.offer = offer
    }

    /// Fetches the metadata of the issuer and the server of the offer that was read.
    package mutating func resolveOffer() async throws(IssuanceError) {
        guard let offer else { return }
        let subject = "credential offer"
        do throws(IssuanceError) { try await resolve(issuer: offer.issuer) } catch {
            // What is wrong with the offer is said beside what is wrong with the metadata.
            if metadata != nil { try? checkOffer(offer, subject) }
            throw error
        }
        try checkOffer(offer, subject)
        try await resolveServer(for: offer)
    }

    /// The same for a wallet that comes by itself, without an offer.
    package mutating func resolve(issuer: String, configurationIDs: [String]) async throws(IssuanceError) {
        try await resolve(issuer: issuer)
        let offer = CredentialOffer(issuer: issuer, configurationIDs: configurationIDs, authorizationCode: .init())
        self.offer = offer
        try await resolveServer(for: offer)
    }

    private mutating func fetchOffer(_ url: WebURL) async throws -> JSON {
        let isSecure = url.scheme.lowercased() == "https" || (!settings.isHAIP && url.isLoopback)
        guard isSecure else { throw OfferError("IW1.fetch", "the offer at \(url) is not https") }
        let response = try await send(
            OutgoingRequest("GET", url, headers: ["Accept-Language": settings.locales.joined(separator: ", ")]), .resource)
        guard response.status == 200 else { throw OfferError("IW1.fetch", "the offer answered \(response.status)") }
        guard response.contentType == "application/json" else {
            throw OfferError("IW1.fetch", "the offer is \(response.contentType), not application/json")
        }
        checks.pass("IW1.fetch", "credential offer")
        do { return try JSON.decode(response.bytes) } catch { throw OfferError("IW1.json", "the offer is no JSON: \(error)") }
    }

    private mutating func checkOffer(_ offer: CredentialOffer, _ subject: String) throws(IssuanceError) {
        guard let metadata else { return }
        var findings: [MessageFinding] = []
        for id in offer.configurationIDs where metadata.configuration(id) == nil {
            findings.append(MessageFinding("IW1.unknown", "configuration \(id) not in metadata"))
        }
        let servers = [offer.authorizationCode?.authorizationServer, offer.preAuthorized?.authorizationServer].compactMap { $0 }
        for server in servers where metadata.authorizationServers.count < 2 || !metadata.authorizationServers.contains(server) {
            findings.append(
                MessageFinding(
                    "IW1.server",
                    metadata.authorizationServers.count < 2
                        ? "authorization_server given for a single server" : "authorization_server \(server) not in the list"))
        }
        var ids = ["IW1.unknown", "IW1.server"]
        if settings.isHAIP {
            ids.append("IW1.scope")
            let lacks = offer.configurationIDs.filter { metadata.configuration($0)?.scope == nil }
            if offer.authorizationCode != nil, let first = lacks.first {
                findings.append(MessageFinding("IW1.scope", "authorization_code offered without a scope to use: \(first)"))
            }
        } else {
            checks.notRun("IW1.scope", subject, .profile)
        }
        let known = metadata.configurations.map(\.id).joined(separator: ", ")
        try judge(ids, findings, subject, hint: "the issuer's configurations are: \(known)")
    }

    // MARK: Issuer metadata

    /// Fetches and checks the metadata of an issuer (IW2, IW3).
    package mutating func resolve(issuer: String) async throws(IssuanceError) {
        let url: WebURL
        do { url = try WellKnown.credentialIssuer.url(of: issuer) } catch {
            try judge([], [MessageFinding("IW2.shape", "the issuer \(issuer) is no URL: \(error)")], issuer)
            return
        }
        let accepts = settings.signedMetadata == .ignore ? "application/json" : "application/jwt, application/json;q=0.9"
        let response = try await send(
            OutgoingRequest("GET", url, headers: ["Accept": accepts, "Accept-Language": settings.locales.joined(separator: ", ")]),
            .resource)
        guard response.status == 200 else {
            try judge([], [MessageFinding("IW2.http", "well-known URL answered \(response.status)")], issuer)
            return
        }
        checks.pass("IW2.http", issuer)
        let isSigned = response.contentType == "application/jwt"
        let type = isSigned || response.contentType == "application/json"
        try judge(["IW2.type"], type ? [] : [MessageFinding("IW2.type", "content type \(response.contentType)")], issuer)
        let json = try isSigned ? try await readSigned(response, issuer, url) : readPlain(response, issuer)
        let reader = IssuerMetadataReader(json, expected: issuer, isHAIP: settings.isHAIP)
        var ids = ["issuer", "shape", "https", "proofs", "batch", "encryption"].map { "IW2.\($0)" }
        if settings.isHAIP {
            ids += ["IW2.scope", "IW2.nonce-endpoint"]
        } else {
            for id in ["IW2.scope", "IW2.nonce-endpoint"] { checks.notRun(id, issuer, .profile) }
        }
        metadata = reader.metadata
        warnings += reader.advice
        try judge(ids, reader.findings, issuer)
    }

    private mutating func readPlain(_ response: HTTPResponse, _ issuer: String) throws(IssuanceError) -> JSON {
        let ids = ["typ", "sub", "signature", "path", "times", "x5c", "anchor", "self-signed"].map { "IW3.\($0)" }
        guard settings.signedMetadata != .require else {
            try judge([], [MessageFinding("IW3.signature", "the metadata are not signed, though that is required here")], issuer)
            return .null
        }
        for id in ids { checks.notRun(id, issuer, settings.signedMetadata == .ignore ? .policyOff : .notPresent) }
        do { return try JSON.decode(response.bytes) } catch {
            try judge([], [MessageFinding("IW2.shape", "the metadata are no JSON: \(error)")], issuer)
            return .null
        }
    }

    private mutating func readSigned(
        _ response: HTTPResponse, _ issuer: String, _ url: WebURL
    ) async throws(IssuanceError) -> JSON {
        let anchors =
            settings.metadataAnchors.isEmpty ? settings.anchors.certificates(for: .documents) : settings.metadataAnchors
        let text = String(decoding: response.bytes, as: UTF8.self).filter { !$0.isWhitespace }
        let read = SignedMetadata.read(
            text, issuer: issuer, anchors: anchors, isHAIP: settings.isHAIP, skew: settings.skew, at: wallet.now)
        // Metadata that are not taken bind nothing; a certificate that cannot be read is a finding of its own.
        if case .unreadable = read.access { access = read.access }
        if read.findings.isEmpty { access = read.access }
        var ids = ["IW3.typ", "IW3.sub", "IW3.signature", "IW3.times"]
        if anchors.isEmpty { checks.notRun("IW3.path", issuer, .noAnchors) } else { ids.append("IW3.path") }
        for id in ["IW3.x5c", "IW3.anchor", "IW3.self-signed"] {
            if settings.isHAIP { ids.append(id) } else { checks.notRun(id, issuer, .profile) }
        }
        var findings = read.findings
        if anchors.isEmpty, settings.signedMetadata == .require {
            findings.append(MessageFinding("IW3.path", "signer not trusted: there are no anchors"))
        }
        try judge(ids, findings, issuer, hint: "walletbench trust add ROOT.pem, or --signed-metadata ignore")
        guard findings.isEmpty, let claims = read.claims else {
            // What is preferred and cannot be trusted is left; the plain metadata are what counts.
            let plain = try await send(OutgoingRequest("GET", url, headers: ["Accept": "application/json"]), .resource)
            do { return try JSON.decode(plain.bytes) } catch {
                try judge([], [MessageFinding("IW2.shape", "the metadata are no JSON: \(error)")], issuer)
                return .null
            }
        }
        return claims
    }

    // MARK: Authorization server

    private mutating func resolveServer(for offer: CredentialOffer) async throws(IssuanceError) {
        guard let metadata else { return }
        let grant = offer.preAuthorized != nil ? CredentialOffer.preAuthorizedGrant : CredentialOffer.authorizationCodeGrant
        let wanted = offer.preAuthorized?.authorizationServer ?? offer.authorizationCode?.authorizationServer
        let candidates =
            wanted.map { [$0] } ?? (metadata.authorizationServers.isEmpty ? [metadata.issuer] : metadata.authorizationServers)
        for (place, candidate) in candidates.enumerated() {
            let server = try await fetchServer(candidate, grant)
            // Of several the one that lists the grant (§12.2.4).
            let isLast = place == candidates.count - 1
            guard isLast || server.grantTypes.isEmpty || server.grantTypes.contains(grant) else { continue }
            self.server = server
            return
        }
    }

    /// Fetches and checks the metadata of an authorization server (IW4).
    package mutating func resolve(server identifier: String) async throws(IssuanceError) {
        server = try await fetchServer(identifier, nil)
    }

    mutating func fetchServer(_ identifier: String, _ grant: String?) async throws(IssuanceError) -> ServerMetadata {
        let url: WebURL
        do { url = try WellKnown.authorizationServer.url(of: identifier) } catch {
            throw IssuanceError("the authorization server \(identifier) is no URL: \(error)", .issuer, check: "IW4.issuer")
        }
        let response = try await send(OutgoingRequest("GET", url), .authorization)
        guard response.status == 200, let json = try? JSON.decode(response.bytes) else {
            let what = "the authorization server's metadata answered \(response.status), or no JSON"
            try judge([], [MessageFinding("IW4.endpoints", what)], identifier)
            throw IssuanceError(what, .issuer, check: "IW4.endpoints")
        }
        let read = ServerMetadata.read(json, expected: identifier, grant: grant, isHAIP: settings.isHAIP)
        let ids = ["issuer", "endpoints", "pkce", "par", "dpop", "auth"].map { "IW4.\($0)" }
        try judge(ids, read.findings, identifier)
        guard let server = read.metadata else { throw IssuanceError("no token endpoint", .issuer, check: "IW4.endpoints") }
        return server
    }
}
