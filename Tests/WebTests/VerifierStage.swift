import Codec
import Credentials
import Crypto
import OpenID
import Ports
import TestSupport
import Testing
import Web

/// A verifier's site over HTTP and a wallet that reaches it: a driving licence as mdoc and a PID as SD-JWT VC, both under one test root.
struct VerifierStage {
    static let time = TestPKI.time

    let random = SeededRandom(seed: 5)
    let authority: TestAuthority
    let keyStore: MemoryKeyStore
    let credentials: [HeldCredential]
    let store = MemoryTable(clock: FixedClock(VerifierStage.time))
    let client = CurlTransport(CurlTransport.Options(allowsPrivate: true))

    init() async throws {
        authority = try TestAuthority(at: Self.time, random: random)
        keyStore = MemoryKeyStore(random: random)
        let licence = try await Self.licence(authority, keyStore, random)
        let person = try await Self.person(authority, keyStore, random)
        credentials = [try HeldCredential(licence), try HeldCredential(person)]
    }

    private static let issuer = SpecimenIssuer(country: "UT", jurisdiction: "UT-U", authority: "Utopia")

    private static func licence(
        _ authority: TestAuthority, _ keyStore: MemoryKeyStore, _ random: SeededRandom
    ) async throws -> IssuedDocument {
        let definition = DocumentDefinition.mobileDrivingLicence
        let key = try await keyStore.create(KeyOptions())
        let json = try #require(Specimen.mira.claims(for: definition, issuer: issuer, at: time))
        let order = DocumentOrder(
            docType: definition.docType, claims: try Claims(json, definition: definition), deviceKey: key.publicKey, signed: time,
            validUntil: time.adding(days: 90))
        let signer = authority.documentSigner
        let identity = try IssuingIdentity(certificate: signer.certificate, key: signer.key, nonce: .deterministic)
        let signed = try await MDocIssuer(signer: identity, random: random).mint(order)
        return try IssuedDocument(
            id: "mdl", docType: definition.docType, issuerSigned: IssuerSigned(decoding: signed.encodedCBOR), keyID: key.id)
    }

    private static func person(
        _ authority: TestAuthority, _ keyStore: MemoryKeyStore, _ random: SeededRandom
    ) async throws -> HeldSDJWT {
        let key = try await keyStore.create(KeyOptions())
        var claims = Specimen.mira.identificationClaims(issuer: issuer, at: time)
        claims["vct"] = "urn:eudi:pid:1"
        claims["cnf"] = ["jwk": .object(key.publicKey.jwk)]
        claims["iat"] = .integer(time.secondsSince1970)
        claims["exp"] = .integer(time.adding(days: 90).secondsSince1970)
        let signer = authority.documentSigner
        let maker = SDJWTIssuer(
            signer: try JWSSigner(signer.key, nonce: .deterministic), certificates: [signer.certificate], random: random)
        let token = try await maker.issueVC(
            claims, frame: .everyMember(of: claims, except: SDJWTVC.neverDisclosable.union(["iat"])))
        return try HeldSDJWT(id: "pid", token: token, keyID: key.id)
    }

    /// A site that is being served.
    struct Served {
        let server: HTTPServer
        let hub: EventHub
        var url: WebURL { server.url }

        func address(_ path: String) throws -> WebURL { try WebURL(url.origin + path) }
    }

    /// Serves the site over the stage's store.
    /// - Parameter limit: transactions that are kept.
    func serve(port: UInt16 = 0, limit: Int = 1000, at time: Timestamp = VerifierStage.time) async throws -> Served {
        let listener = try HTTPListener(port: port)
        let hub = EventHub()
        let signers = SignerVerifier(anchors: authority.anchors, edition: .first)
        let signer = try JWSSigner(authority.reader.key, nonce: .deterministic)
        let identity = VPIdentity(.x509Hash, signer: signer, certificates: [authority.reader.certificate])
        let settings = VPVerifierSettings(
            identity: identity, publicURL: listener.url, tokens: VPTokenVerifier(signers: signers, isHAIP: false))
        let notice = VerifierSite.notice(hub)
        let verifier = VPVerifier(settings, store: store, clock: FixedClock(time), random: random, notice: notice)
        let site = VerifierSite(
            personas: [.init(name: "x509_hash", title: "by certificate", verifier: verifier)],
            templates: [.init(name: "pid", title: "PID", order: ["dcql_query": Self.pid])], url: listener.url,
            access: ControlGuard(listener, token: "unused"), hub: hub, store: store, clock: FixedClock(time), random: random,
            limit: limit, annotate: { Annotation("message", String($0.prefix(20))) })
        try await site.open()
        let server = try HTTPServer(listener, limits: ServerLimits(seconds: 3600), handler: site)
        return Served(server: server, hub: hub)
    }

    // MARK: a script and a wallet

    static let pid: JSON = [
        "credentials": [
            [
                "id": "pid", "format": "dc+sd-jwt", "meta": ["vct_values": ["urn:eudi:pid:1"]],
                "claims": [["path": ["family_name"]], ["path": ["picture"]]],
            ]
        ]
    ]

    static let both: JSON = [
        "credentials": [
            [
                "id": "mdl", "format": "mso_mdoc", "meta": ["doctype_value": "org.iso.18013.5.1.mDL"],
                "claims": [["path": ["org.iso.18013.5.1", "family_name"]], ["path": ["org.iso.18013.5.1", "portrait"]]],
            ],
            [
                "id": "pid", "format": "dc+sd-jwt", "meta": ["vct_values": ["urn:eudi:pid:1"]],
                "claims": [["path": ["family_name"]]],
            ],
        ]
    ]

    /// Sends a request with time enough.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        var request = request
        request.limits = HTTPLimits(body: 64 << 20, seconds: 3600)
        return try await client.send(request)
    }

    func get(_ served: Served, _ path: String, headers: HTTPHeaders = [:]) async throws -> HTTPResponse {
        try await send(HTTPRequest("GET", try served.address(path), headers: headers))
    }

    /// Makes a transaction through the API.
    func create(_ served: Served, _ order: JSONObject) async throws -> JSON {
        let response = try await send(.json(try served.address("/api/transactions"), .object(order)))
        #expect(response.status == 201, "\(String(decoding: response.bytes, as: UTF8.self))")
        return try JSON.decode(response.bytes)
    }

    func transaction(_ served: Served, _ id: String) async throws -> JSON {
        try JSON.decode(try await get(served, "/api/transactions/\(id)").bytes)
    }

    /// The wallet answers a link.
    @discardableResult
    func answer(_ link: String, isSameDevice: Bool = false) async throws -> VPDelivered {
        var settings = VPWalletSettings(readers: SignerVerifier(anchors: authority.anchors, edition: .first))
        settings.limits = HTTPLimits(seconds: 3600)
        let wallet = VPWallet(settings, random: random)
        let resolution = await wallet.resolve(try RequestInput(link), over: client, at: Self.time)
        let request = try resolution.result.get()
        let presenter = Presenter(keyStore: keyStore)
        let proposal = try wallet.propose(request, from: credentials, presenter: presenter)
        let consent = try #require(await Consent.obtain(for: proposal.proposal, from: AutomaticConsent(), at: Self.time))
        let answer = try await wallet.answer(request, consent, presenter: presenter, at: Self.time)
        return await wallet.deliver(answer, over: client, isSameDevice: isSameDevice)
    }
}
