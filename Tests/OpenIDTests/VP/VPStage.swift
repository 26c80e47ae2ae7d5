import Codec
import Credentials
import Crypto
import OpenID
import Ports
import TestSupport
import Testing

/// A wallet with an mDL and a PID in both formats, and a verifier that trusts their issuer; joined in memory, everything seeded and
/// at a fixed time.
struct VPStage {
    static let time = TestPKI.time
    static let origin = "https://verifier.example"
    static let response = "https://verifier.example/vp/response"

    let random = SeededRandom(seed: 11)
    let authority: TestAuthority
    let keyStore: MemoryKeyStore
    let credentials: [HeldCredential]
    /// The SD-JWT as the issuer made it.
    let minted: String
    let store = MemoryTable(clock: FixedClock(VPStage.time))

    init(mintFaults: [String] = [], keyAuthorizations: KeyAuthorizations? = nil) async throws {
        let made =
            mintFaults.isEmpty && keyAuthorizations == nil
            ? try await Self.plain.value : try await Material(mintFaults, keyAuthorizations)
        (authority, keyStore, credentials, minted) = (made.authority, made.keyStore, made.credentials, made.minted)
    }

    /// Made once for all tests: signing documents is most of the work.
    private static let plain = Task { try await Material([], nil) }

    private struct Material: Sendable {
        let authority: TestAuthority
        let keyStore: MemoryKeyStore
        let credentials: [HeldCredential]
        let minted: String

        init(_ mintFaults: [String], _ keyAuthorizations: KeyAuthorizations?) async throws {
            let random = SeededRandom(seed: 11)
            authority = try TestAuthority(at: VPStage.time, random: random)
            keyStore = MemoryKeyStore(random: random)
            let licence = try await VPStage.mdoc(.mobileDrivingLicence, "mdl", authority, keyStore, random, keyAuthorizations)
            let person = try await VPStage.mdoc(.personIdentificationData, "pid-mdoc", authority, keyStore, random, nil)
            let token = try await VPStage.sdJWT(authority, keyStore, random, mintFaults)
            minted = token.text
            credentials = [try HeldCredential(licence), try HeldCredential(person), try HeldCredential(token.held)]
        }
    }

    private static func mdoc(
        _ definition: DocumentDefinition, _ id: String, _ authority: TestAuthority, _ keyStore: MemoryKeyStore,
        _ random: SeededRandom, _ authorizations: KeyAuthorizations?
    ) async throws -> IssuedDocument {
        let key = try await keyStore.create(KeyOptions())
        let issuer = SpecimenIssuer(country: "UT", jurisdiction: "UT-U", authority: "Utopia")
        let json = try #require(Specimen.mira.claims(for: definition, issuer: issuer, at: time))
        let order = DocumentOrder(
            docType: definition.docType, claims: try Claims(json, definition: definition), deviceKey: key.publicKey, signed: time,
            validUntil: time.adding(days: 90), keyAuthorizations: authorizations)
        let identity = try IssuingIdentity(
            certificate: authority.documentSigner.certificate, key: authority.documentSigner.key, nonce: .deterministic,
            root: authority.iaca.certificate)
        let signed = try await MDocIssuer(signer: identity, random: random, tampering: .none).mint(order)
        return try IssuedDocument(
            id: id, docType: definition.docType, issuerSigned: IssuerSigned(decoding: signed.encodedCBOR), keyID: key.id)
    }

    private static func sdJWT(
        _ authority: TestAuthority, _ keyStore: MemoryKeyStore, _ random: SeededRandom, _ faults: [String]
    ) async throws -> (held: HeldSDJWT, text: String) {
        let key = try await keyStore.create(KeyOptions())
        let issuer = SpecimenIssuer(country: "UT", jurisdiction: "UT-U", authority: "Utopia")
        var claims = Specimen.mira.identificationClaims(issuer: issuer, at: time)
        claims["picture"] = nil
        claims["vct"] = "urn:eudi:pid:1"
        claims["cnf"] = ["jwk": .object(key.publicKey.jwk)]
        claims["iat"] = .integer(time.secondsSince1970)
        claims["nbf"] = .integer(time.secondsSince1970)
        claims["exp"] = .integer(time.adding(days: 90).secondsSince1970)
        var maker = SDJWTIssuer(
            signer: try JWSSigner(authority.documentSigner.key, nonce: .deterministic),
            certificates: [authority.documentSigner.certificate], random: random)
        maker.tampering = try Tampering(named: faults)
        maker.root = authority.iaca.certificate
        let token = try await maker.issueVC(
            claims, frame: .everyMember(of: claims, except: SDJWTVC.neverDisclosable.union(["iat"])))
        return (try HeldSDJWT(id: "pid", token: token, keyID: key.id), token.compact)
    }

    // MARK: roles

    enum Client { case hash, dns, unsigned, attestation, did, registered }

    func identity(_ client: Client = .hash) async throws -> VPIdentity {
        let reader = authority.reader
        let signer = try JWSSigner(reader.key, nonce: .deterministic)
        switch client {
        case .hash:
            var identity = VPIdentity(.x509Hash, signer: signer, certificates: [reader.certificate])
            identity.anchor = authority.readerAuthority.certificate
            return identity
        case .dns:
            let named = try authority.maker.endEntity(.reader, issuer: authority.readerAuthority) { builder in
                builder.extensions.append(.subjectAlternativeName([.dns("verifier.example")]))
            }
            return VPIdentity(
                .x509SanDNS("verifier.example"), signer: try JWSSigner(named.key, nonce: .deterministic),
                certificates: [named.certificate])
        case .unsigned: return .unsigned
        case .attestation:
            let claims: JSONObject = [
                "iss": "https://attester.example", "sub": "verifier.example",
                "exp": .integer(Self.time.adding(days: 1).secondsSince1970), "cnf": ["jwk": .object(reader.key.publicKey.jwk)],
            ]
            let attestation = try await JWS.sign(
                Array(JSON.object(claims).encoded().utf8), header: ["typ": "verifier-attestation+jwt"],
                by: JWSSigner(authority.documentSigner.key, nonce: .deterministic))
            return VPIdentity(.attestation(name: "verifier.example", jwt: attestation.compact), signer: signer)
        case .did:
            let did = "did:jwk:" + Base64URL.encode(Array(JSON.object(reader.key.publicKey.jwk).encoded().utf8))
            return VPIdentity(.decentralizedIdentifier(did, keyID: did + "#0"), signer: signer)
        case .registered: return VPIdentity(.preRegistered("shop"), signer: signer)
        }
    }

    func verifier(
        _ identity: VPIdentity, faults: [String] = [], isHAIP: Bool = false, at time: Timestamp = VPStage.time
    ) throws -> VPVerifier {
        let signers = SignerVerifier(anchors: authority.anchors, edition: .first)
        var settings = VPVerifierSettings(
            identity: identity, publicURL: try WebURL(Self.origin + "/vp"),
            tokens: VPTokenVerifier(signers: signers, isHAIP: isHAIP))
        settings.isHAIP = isHAIP
        settings.faults = VPFaultSet(faults)
        return VPVerifier(settings, store: store, clock: FixedClock(time), random: random)
    }

    func wallet(faults: [String] = [], isHAIP: Bool = false, change: (inout VPWalletSettings) -> Void = { _ in }) -> VPWallet {
        var settings = VPWalletSettings(readers: SignerVerifier(anchors: authority.anchors, edition: .first))
        settings.isHAIP = isHAIP
        settings.faults = VPFaultSet(faults)
        settings.clients["shop"] = .init(
            name: "Shop", keys: [authority.reader.key.publicKey], redirectURIs: [],
            metadata: try? VPClientMetadata(["vp_formats_supported": VPFormats.own.json]))
        settings.attestationIssuers["https://attester.example"] = [authority.documentSigner.key.publicKey]
        change(&settings)
        return VPWallet(settings, random: random)
    }

    /// A query for some claims of the licence and of the PID, each in its format.
    static let both: JSON = [
        "credentials": [
            [
                "id": "mdl", "format": "mso_mdoc", "meta": ["doctype_value": "org.iso.18013.5.1.mDL"],
                "claims": [["path": ["org.iso.18013.5.1", "family_name"]], ["path": ["org.iso.18013.5.1", "birth_date"]]],
            ],
            [
                "id": "pid", "format": "dc+sd-jwt", "meta": ["vct_values": ["urn:eudi:pid:1"]],
                "claims": [["path": ["family_name"]], ["path": ["given_name"]]],
            ],
        ]
    ]

    static let pid: JSON = ["credentials": [query(1)]]

    /// One credential query of `both`.
    static func query(_ place: Int) -> JSON { both["credentials"]?.arrayValue?[place] ?? nil }

    // MARK: a whole run

    struct Seen {
        var resolution: VPResolution
        var proposal: VPProposal?
        var answer: VPAnswer?
        var receipt: VPReceipt?
        var delivered: VPDelivered?
        var conduct: CheckList?
        var fetches: [VPReceipt] = []

        /// The ids of everything violated on either side.
        var violations: Set<String> {
            let wallet = [resolution.checks, proposal?.checks, answer?.checks, delivered?.checks, conduct].compactMap { $0?.checks }
            let verifier = (receipt?.report.checks ?? []) + fetches.flatMap(\.report.checks)
            return Set((wallet.joined() + verifier).filter(\.outcome.isViolation).map(\.id))
        }
    }

    /// One request from making it to the verdict, by whatever way its mode takes.
    func run(
        _ order: VPOrder, _ identity: VPIdentity, wallet: VPWallet, verifier: VPVerifier, holderFaults: [String] = [],
        receiver: VPVerifier? = nil
    ) async throws -> Seen {
        let transaction = try await verifier.begin(order)
        let recorder = Recorder(fetching: verifier, receiving: receiver ?? verifier)
        let transport = InProcessTransport([Self.origin: recorder])
        let input: RequestInput
        if order.isDigital {
            input = try RequestInput(try await verifier.digitalRequest(transaction).encoded())
        } else {
            input = try RequestInput(transaction.link)
        }
        let resolution = await wallet.resolve(input, origin: order.isDigital ? Self.origin : nil, over: transport, at: Self.time)
        var seen = Seen(resolution: resolution)
        seen.fetches = await recorder.fetches
        let presenter = Presenter(keyStore: keyStore, tampering: try Tampering(named: holderFaults))
        guard case .success(let request) = resolution.result else {
            if case .failure(let refusal) = resolution.result, let answer = try wallet.answer(refusal) {
                seen.answer = answer
                await send(answer, wallet, transport, recorder, transaction, &seen)
            }
            return seen
        }
        let proposal = try wallet.propose(request, from: credentials, presenter: presenter)
        seen.proposal = proposal
        let refusal =
            wallet.settings.faults.contains("wallet-error") || wallet.settings.faults.contains("wallet-error-known")
            ? wallet.refusal(of: request, "VW30", "the person refused") : proposal.refusal
        do {
            if let refusal {
                seen.answer = try wallet.answer(refusal)
            } else {
                let consent = try #require(await Consent.obtain(for: proposal.proposal, from: AutomaticConsent(), at: Self.time))
                seen.answer = try await wallet.answer(request, consent, presenter: presenter, at: Self.time)
            }
        } catch let failure as VPConductFailure {
            seen.conduct = failure.checks
            return seen
        }
        if let answer = seen.answer { await send(answer, wallet, transport, recorder, transaction, &seen) }
        return seen
    }

    private func send(
        _ answer: VPAnswer, _ wallet: VPWallet, _ transport: InProcessTransport, _ recorder: Recorder, _ transaction: VPTransaction,
        _ seen: inout Seen
    ) async {
        switch answer.delivery {
        case .post:
            seen.delivered = await wallet.deliver(answer, over: transport, isSameDevice: transaction.isSameDevice)
            seen.receipt = await recorder.last
        case .redirect(let text):
            // The page at the redirect URI posts the fragment or the query to the verifier.
            guard let url = try? WebURL(text), let fields = try? FormFields(url.fragment ?? url.query ?? "") else { return }
            seen.receipt = try? await recorder.verifier.receive(.form(url, fields), for: transaction.id)
        case .digital(let data):
            seen.receipt = try? await recorder.verifier.receive(digital: data, origin: Self.origin, for: transaction.id)
        }
    }

    /// The verifier's endpoints, keeping what became of the responses.
    actor Recorder: HTTPHandler {
        let verifier: VPVerifier
        private let fetching: VPVerifier
        private(set) var last: VPReceipt?
        private(set) var fetches: [VPReceipt] = []

        init(fetching: VPVerifier, receiving: VPVerifier) { (self.fetching, verifier) = (fetching, receiving) }

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            let id = String(request.url.path.split(separator: "/").last ?? "")
            if request.url.path.contains("/response/"), let receipt = try? await verifier.receive(request, for: id) {
                last = receipt
                return receipt.response
            }
            if request.url.path.contains("/request/"), let receipt = try? await fetching.fetch(request, for: id) {
                fetches.append(receipt)
                return receipt.response
            }
            return await verifier.respond(to: request)
        }
    }
}
