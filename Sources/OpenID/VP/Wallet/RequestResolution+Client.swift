import Codec
import Credentials
import Crypto
import Ports

extension RequestResolution {
    /// What `client_id` comes to before anything of the request is known to be true.
    struct IdentifiedClient {
        let client: VPClient
        /// Metadata that the wallet has of it; nil: `client_metadata` counts.
        let metadata: VPClientMetadata?
        /// The addresses where responses may go; nil: any that the checks of its prefix allow.
        let redirectURIs: [String]?
    }

    // MARK: unsigned

    /// VW8 to VW17 for a request that nobody signed; nil when the client cannot be told.
    mutating func checkUnsignedClient(_ parameters: JSONObject) -> IdentifiedClient? {
        if isDigital { return digitalClient() }
        guard let identifier = identifier(parameters["client_id"]?.stringValue, parameters) else { return nil }
        switch identifier.prefix {
        case .redirectURI: return redirectClient(identifier, parameters, isSigned: false)
        case nil:
            guard let known = settings.clients[identifier.text], known.keys.isEmpty else {
                list.fail("VW17", Self.subject, values: [], detail: "the request of this client has to be signed, and is not")
                return nil
            }
            return registeredClient(known, identifier, parameters)
        default:
            list.fail(
                "VW17", Self.subject, values: [],
                detail: "prefix \(identifier.prefixText ?? "") wants a signed request, and this one is not signed")
            return nil
        }
    }

    /// Over the Digital Credentials API the origin is who asks (§A.2).
    private mutating func digitalClient() -> IdentifiedClient? {
        for id in ["VW8.missing", "VW9.prefix", "VW9.origin"] { list.notRun(id, Self.subject, .notPresent) }
        let origin = origin ?? ""
        return IdentifiedClient(
            client: VPClient(
                identifier: ClientIdentifier(.origin, origin), name: origin, isTrusted: nil, how: "origin of the page",
                certificate: nil), metadata: nil, redirectURIs: nil)
    }

    // MARK: signed

    /// VW8 to VW17 for a signed request object; nil when the client cannot be told.
    mutating func checkSignedClient(_ jws: JWS, _ parameters: JSONObject, _ clientID: String?) -> IdentifiedClient? {
        guard let identifier = identifier(clientID, parameters) else {
            if list.check("VW17", Self.subject) == nil { list.notRun("VW17", Self.subject, .needs("VW8.missing")) }
            return nil
        }
        if settings.isHAIP, identifier.prefix != .x509Hash {
            list.fail("VW9.prefix", Self.subject, HAIPRule.x509Hash.words)
        }
        switch identifier.prefix {
        case .redirectURI: return redirectClient(identifier, parameters, isSigned: true)
        case .x509SanDNS, .x509Hash: return certifiedClient(identifier, jws, parameters)
        case .verifierAttestation: return attestedClient(identifier, jws, parameters)
        case .decentralizedIdentifier: return didClient(identifier, jws)
        case .origin: return nil
        case nil:
            guard let known = settings.clients[identifier.text] else { return nil }
            let fitting = known.keys.first { (try? jws.verify(with: $0)) != nil }
            list.judgeVP("VW17", fitting != nil, [], detail: known.keys.isEmpty ? "the wallet has no key of this client" : nil)
            return registeredClient(known, identifier, parameters)
        }
    }

    private mutating func identifier(_ clientID: String?, _ parameters: JSONObject) -> ClientIdentifier? {
        list.judgeVP("VW8.missing", clientID != nil, [])
        guard let clientID else {
            list.notRun("VW9.prefix", Self.subject, .needs("VW8.missing"))
            list.notRun("VW9.origin", Self.subject, .needs("VW8.missing"))
            return nil
        }
        let identifier = ClientIdentifier(clientID)
        list.judgeVP("VW9.origin", identifier.prefix != .origin, [])
        guard identifier.prefix != .origin else {
            list.notRun("VW9.prefix", Self.subject, .needs("VW9.origin"))
            return nil
        }
        if let scheme = parameters["client_id_scheme"]?.stringValue {
            list.fail(
                "VW9.prefix", Self.subject,
                "client_id_scheme \(scheme): a parameter of drafts up to 21; OpenID4VP 1.0 puts the prefix into client_id")
            return nil
        }
        guard identifier.prefix == nil, settings.clients[identifier.text] == nil else {
            list.pass("VW9.prefix", Self.subject)
            return identifier
        }
        let prefix = identifier.prefixText ?? "(none)"
        list.fail(
            "VW9.prefix", Self.subject, values: [prefix], detail: identifier.prefixText.flatMap(ClientIdentifier.whatIsRefused))
        return nil
    }

    // MARK: redirect_uri

    private mutating func redirectClient(
        _ identifier: ClientIdentifier, _ parameters: JSONObject, isSigned: Bool
    ) -> IdentifiedClient? {
        list.judgeVP("VW10.signed", !isSigned, [])
        if isSigned { list.notRun("VW17", Self.subject, .needs("VW10.signed")) }
        let uri = (parameters["response_uri"] ?? parameters["redirect_uri"])?.stringValue
        list.judgeVP("VW10.value", uri == nil || uri == identifier.name, [identifier.text, uri ?? ""])
        let host = (try? WebURL(identifier.name))?.host
        return IdentifiedClient(
            client: VPClient(
                identifier: identifier, name: host ?? identifier.name, isTrusted: nil, how: "nobody vouches for it: redirect_uri",
                certificate: nil), metadata: nil, redirectURIs: [identifier.name])
    }

    // MARK: pre-registered

    private mutating func registeredClient(
        _ known: VPWalletSettings.Client, _ identifier: ClientIdentifier, _ parameters: JSONObject
    ) -> IdentifiedClient {
        list.judgeVP("VW16", parameters["client_metadata"] == nil, [])
        let uri = (parameters["response_uri"] ?? parameters["redirect_uri"])?.stringValue
        let isRegistered = uri.map { known.redirectURIs.isEmpty || known.redirectURIs.contains($0) } ?? true
        if !isRegistered { list.fail("VW10.value", Self.subject, "\(uri ?? "") is not a registered address of \(identifier.text)") }
        return IdentifiedClient(
            client: VPClient(
                identifier: identifier, name: known.name, isTrusted: true, how: "pre-registered", certificate: nil),
            metadata: known.metadata, redirectURIs: known.redirectURIs.isEmpty ? nil : known.redirectURIs)
    }

    // MARK: x509_san_dns and x509_hash

    private mutating func certifiedClient(
        _ identifier: ClientIdentifier, _ jws: JWS, _ parameters: JSONObject
    ) -> IdentifiedClient? {
        let rest = ["VW13.path", "VW13.validity", "VW13.anchor", "VW13.self-signed", "VW11.san", "VW11.host", "VW12", "VW17"]
        let ders: [[UInt8]]
        do throws(JOSEError) {
            guard let certificates = try jws.protected.x5c() else { throw .malformed("there is no x5c") }
            ders = certificates
        } catch {
            list.fail("VW13.x5c", Self.subject, values: [], detail: "\(error)")
            for id in rest { list.notRun(id, Self.subject, .needs("VW13.x5c")) }
            if jws.protected["x5c"] != nil { access = .unreadable("\(error)") }
            return nil
        }
        let chain = settings.readers.reader(x5chain: ders, at: time)
        guard let leaf = chain.signer, let key = chain.key, chain.unreadable == nil, ders.count <= 10 else {
            list.fail("VW13.x5c", Self.subject, values: [], detail: chain.unreadable.map { "certificate \($0.place): \($0.error)" })
            for id in rest { list.notRun(id, Self.subject, .needs("VW13.x5c")) }
            access = .unreadable(chain.unreadable.map { "certificate \($0.place): \($0.error)" } ?? "no usable key")
            return nil
        }
        list.pass("VW13.x5c", Self.subject)
        checkChain(chain, ders)
        checkName(identifier, leaf, parameters)
        do throws(JOSEError) {
            try jws.verify(with: key)
            list.pass("VW17", Self.subject)
            access = .certificate(leaf)
        } catch { list.fail("VW17", Self.subject, values: [], detail: error == .invalidSignature ? nil : "\(error)") }
        let name = leaf.subject.attribute(.commonName)?.text ?? leaf.subject.description
        return IdentifiedClient(
            client: VPClient(
                identifier: identifier, name: name, isTrusted: chain.hadAnchors ? chain.isTrusted : nil,
                how: "certificate chain, \(identifier.prefixText ?? "")", certificate: leaf.der), metadata: nil, redirectURIs: nil)
    }

    private mutating func checkChain(_ chain: SignerChain, _ ders: [[UInt8]]) {
        let findings = chain.result.findings
        let dates = findings.filter(\.isAboutDates)
        if dates.isEmpty { list.pass("VW13.validity", Self.subject) }
        for finding in dates { list.fail("VW13.validity", Self.subject, finding.description) }
        if chain.hadAnchors {
            let others = findings.filter { !$0.isAboutDates && $0.kind != .rootInChain }
            if others.isEmpty { list.pass("VW13.path", Self.subject) }
            for finding in others { list.fail("VW13.path", Self.subject, values: [], detail: finding.description) }
        } else {
            list.notRun("VW13.path", Self.subject, .noAnchors)
        }
        guard settings.isHAIP else {
            list.notRun("VW13.anchor", Self.subject, .profile)
            return list.notRun("VW13.self-signed", Self.subject, .profile)
        }
        let hasRoot = ders.count > 1 && findings.contains { $0.kind == .rootInChain }
        if hasRoot {
            list.fail("VW13.anchor", Self.subject, HAIPRule.anchorInChain.words)
        } else {
            list.pass("VW13.anchor", Self.subject)
        }
        let isSelfSigned = chain.signer.map { $0.isSelfIssued && $0.isSigned(by: $0) } ?? false
        if isSelfSigned {
            list.fail("VW13.self-signed", Self.subject, HAIPRule.selfSigned.words)
        } else {
            list.pass("VW13.self-signed", Self.subject)
        }
    }

    private mutating func checkName(_ identifier: ClientIdentifier, _ leaf: Certificate, _ parameters: JSONObject) {
        guard identifier.prefix == .x509SanDNS else {
            list.notRun("VW11.san", Self.subject, .notPresent)
            list.notRun("VW11.host", Self.subject, .notPresent)
            let hash = Base64URL.encode(leaf.sha256)
            return list.judgeVP("VW12", identifier.name == hash, [], detail: "it is \(hash)")
        }
        list.notRun("VW12", Self.subject, .notPresent)
        let names = (leaf.subjectAlternativeName ?? []).compactMap { name -> String? in
            if case .dns(let name) = name { name.lowercased() } else { nil }
        }
        list.judgeVP("VW11.san", names.contains(identifier.name.lowercased()), [identifier.name])
        guard !isDigital, let uri = (parameters["response_uri"] ?? parameters["redirect_uri"])?.stringValue else {
            return list.notRun("VW11.host", Self.subject, .notPresent)
        }
        let host = (try? WebURL(uri))?.host
        list.judgeVP("VW11.host", host == identifier.name.lowercased(), [host ?? uri, identifier.name])
    }

    // MARK: verifier_attestation

    private static let attestationType = "verifier-attestation+jwt"

    private mutating func attestedClient(
        _ identifier: ClientIdentifier, _ jws: JWS, _ parameters: JSONObject
    ) -> IdentifiedClient? {
        let rest = ["VW14.sub", "VW14.exp", "VW14.cnf", "VW14.uris", "VW14.trust", "VW17"]
        guard let text = jws.protected["jwt"]?.stringValue, let attestation = try? JWS(compact: text),
            let claims = try? attestation.claims(), attestation.protected.type == Self.attestationType
        else {
            list.fail("VW14.jwt", Self.subject, values: [], detail: "no JWT of type \(Self.attestationType) in the header jwt")
            for id in rest { list.notRun(id, Self.subject, .needs("VW14.jwt")) }
            return nil
        }
        let issuer = claims["iss"]?.stringValue
        let keys = issuer.flatMap { settings.attestationIssuers[$0] }
        if settings.attestationIssuers.isEmpty {
            list.notRun("VW14.trust", Self.subject, .noAnchors)
            list.notRun("VW14.jwt", Self.subject, .needs("VW14.trust"))
        } else {
            list.judgeVP("VW14.trust", keys != nil, [issuer ?? "missing"])
            let isSigned = keys?.contains { (try? attestation.verify(with: $0)) != nil } ?? false
            if keys == nil {
                list.notRun("VW14.jwt", Self.subject, .needs("VW14.trust"))
            } else {
                list.judgeVP("VW14.jwt", isSigned, [])
            }
        }
        list.judgeVP("VW14.sub", claims["sub"]?.stringValue == identifier.name, [identifier.name])
        let expiry = claims["exp"]?.doubleValue
        list.judgeVP(
            "VW14.exp", expiry.map { $0 > Double(time.secondsSince1970 - skew) } ?? false, [],
            detail: expiry == nil ? "exp is missing" : nil)
        let uri = (parameters["response_uri"] ?? parameters["redirect_uri"])?.stringValue
        if let uris = claims["redirect_uris"]?.arrayValue?.compactMap(\.stringValue), !isDigital {
            list.judgeVP("VW14.uris", uri.map(uris.contains) ?? false, [])
        } else {
            list.notRun("VW14.uris", Self.subject, .notPresent)
        }
        let key = claims["cnf"]?["jwk"].flatMap { try? PublicKey(jwk: $0) }
        let isBound = key.map { key in (try? jws.verify(with: key)) != nil } ?? false
        list.judgeVP("VW14.cnf", isBound, [], detail: key == nil ? "cnf has no usable jwk" : nil)
        if isBound { list.pass("VW17", Self.subject) } else { list.notRun("VW17", Self.subject, .needs("VW14.cnf")) }
        return IdentifiedClient(
            client: VPClient(
                identifier: identifier, name: identifier.name, isTrusted: settings.attestationIssuers.isEmpty ? nil : keys != nil,
                how: "attestation of \(issuer ?? "an unnamed issuer")", certificate: nil), metadata: nil, redirectURIs: nil)
    }

    // MARK: decentralized_identifier

    private mutating func didClient(_ identifier: ClientIdentifier, _ jws: JWS) -> IdentifiedClient? {
        let document: DIDDocument
        do throws(DIDDocument.Unresolvable) {
            document = try DIDDocument(identifier.name, known: settings.didDocuments)
            list.pass("VW15.resolve", Self.subject)
        } catch {
            list.fail("VW15.resolve", Self.subject, values: [identifier.name], detail: error.description)
            list.notRun("VW15.kid", Self.subject, .needs("VW15.resolve"))
            list.notRun("VW17", Self.subject, .needs("VW15.resolve"))
            return nil
        }
        guard let kid = jws.protected.keyID, let key = document.key(kid) else {
            list.fail("VW15.kid", Self.subject, values: [], detail: jws.protected.keyID)
            list.notRun("VW17", Self.subject, .needs("VW15.kid"))
            return nil
        }
        list.pass("VW15.kid", Self.subject)
        do throws(JOSEError) {
            try jws.verify(with: key)
            list.pass("VW17", Self.subject)
        } catch { list.fail("VW17", Self.subject, values: [], detail: error == .invalidSignature ? nil : "\(error)") }
        return IdentifiedClient(
            client: VPClient(
                identifier: identifier, name: identifier.name,
                isTrusted: settings.didDocuments[identifier.name] != nil ? true : nil,
                how: "decentralized identifier", certificate: nil), metadata: nil, redirectURIs: nil)
    }
}
