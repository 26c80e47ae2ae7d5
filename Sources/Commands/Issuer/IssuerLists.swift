import Codec
import Credentials
import Crypto
import OpenID
import Ports

/// What an issuer serves beside OpenID4VCI, for those who verify its documents:
///
/// - `status/<id>`: status and identifier lists, as JWT or CWT by `Accept`; the address that documents name.
/// - `crl/<name>`: the CRL of its authority; the address that its document signer names.
/// - `jwks` and `/.well-known/jwt-vc-issuer`: the key of its SD-JWT VCs (SD-JWT VC §5).
/// - `type-metadata/<vct>`: what its types of SD-JWT VC are (SD-JWT VC §6).
/// - `trust/<name>`: trust lists that `trust make vical|rical|lote` has made.
struct IssuerLists: Sendable {
    /// Who signs documents: the home's document signer, with the address of the CRL that is served here.
    let signer: SigningIdentity
    let root: Certificate
    /// Nil: documents get no status.
    let desk: StatusDesk?
    private let context: Context
    private let identifier: String
    private let prefix: String
    private let fault: ListFault?

    static let options: [Option] = [
        .choice(
            "status", ["list", "identifiers", "none"],
            "The status of what is issued: an entry of a Token Status List, for mdocs of an identifier list, or none",
            default: "list"
        ),
        .choice("status-bits", ["1", "2", "4", "8"], "Bits of one entry; by default 1 for mDLs and 2 for others"),
        .integer("status-ttl", "SECONDS", "How long verifiers may keep a list", in: 0...31_536_000, default: 300),
    ]

    /// - Parameter identifier: the issuer's, below which everything is served.
    init(_ invocation: Invocation, identifier: String) throws {
        context = invocation.context
        self.identifier = identifier
        prefix = (try? WebURL(identifier))?.path.droppingLastSlash ?? ""
        fault = try Self.fault(invocation.context)
        (signer, root) = try IssuanceIdentities(context).documentSigner(crl: "\(identifier)/crl")
        var terms = StatusDesk.Terms()
        if invocation.string("status") == "identifiers" { terms.kind = .identifiers }
        terms.bits = invocation.integer("status-bits")
        terms.timeToLive = Int64(invocation.integer("status-ttl") ?? 300)
        desk =
            invocation.string("status") == "none"
            ? nil : StatusDesk(context, base: "\(identifier)/status", terms: terms, fault: fault)
        if case .revocationList(let fault)? = fault?.kind {
            try StatusPublisher(context).publishRevocations(fault, signer: signer.certificate)
        }
    }

    private static func fault(_ context: Context) throws(CommandError) -> ListFault? {
        let found = context.faults.compactMap { ListFault.named($0.name) }
        guard found.count <= 1 else {
            throw .usage("--fault \(found[1].name): one fault of lists at a time", hint: "start a second issuer for it")
        }
        return found.first
    }

    /// The answer, where the address is one of these.
    func respond(to request: HTTPRequest) async -> HTTPResponse? {
        let path = request.url.path
        if path == "/.well-known/\(WellKnown.sdJWTIssuer.rawValue)\(prefix)" {
            return get(request) { .json(["issuer": .string(identifier), "jwks": keys]) }
        }
        guard path.hasPrefix("\(prefix)/") else { return nil }
        let steps = path.dropFirst(prefix.count + 1).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch (steps.first, steps.count) {
        case ("status", 2): return await status(steps[1], request)
        case ("crl", 2): return get(request) { crl(steps[1]) }
        case ("jwks", 1): return get(request) { .json(keys) }
        case ("type-metadata", 2): return get(request) { typeMetadata(steps[1]) }
        case ("trust", 2): return get(request) { trustList(steps[1]) }
        default: return nil
        }
    }

    /// Lists may be read by pages of any origin (Token Status List §8.1).
    private func get(_ request: HTTPRequest, _ body: () -> HTTPResponse) -> HTTPResponse {
        guard ["GET", "HEAD"].contains(request.method) else {
            return .text("\(request.method) is not for this place", status: 405, headers: ["Allow": "GET, HEAD"])
        }
        var response = body()
        response.headers["Access-Control-Allow-Origin"] = "*"
        return response
    }

    private static let nothing = HTTPResponse.text("there is nothing here", status: 404)

    // MARK: status

    private func status(_ id: String, _ request: HTTPRequest) async -> HTTPResponse {
        if let conduct = conduct(request) { return conduct }
        let isIdentifiers = (try? IssuedStatuses(of: context.home))?.lists.first { $0.id == id }?.kind == .identifiers
        let forms: [StatusForm] = isIdentifiers ? [.cwt] : [.jwt, .cwt]
        func quality(_ form: StatusForm) -> Int { request.headers.quality(of: form.mediaType(identifiers: isIdentifiers)) }
        var form = forms.max { quality($0) < quality($1) } ?? .jwt
        guard quality(form) > 0 else {
            return get(request) {
                .text("here is \(forms.map { $0.mediaType(identifiers: isIdentifiers) }.joined(separator: " or "))", status: 406)
            }
        }
        if case .list(.jwtForMdoc, _)? = fault?.kind { form = .jwt }
        if case .list(.cwt, _)? = fault?.kind { form = .cwt }
        do {
            guard let desk, let bytes = try await desk.list(id, as: form) else { return get(request) { Self.nothing } }
            var type = form.mediaType(identifiers: isIdentifiers)
            if case .list(.contentType, _)? = fault?.kind { type = "application/octet-stream" }
            let sent = type
            return get(request) { HTTPResponse(type: sent, bytes, headers: ["Vary": "Accept", "Cache-Control": "no-cache"]) }
        } catch {
            return .json(["error": "server_error", "error_description": .string("\(error)")], status: 500)
        }
    }

    /// What a server does wrong that has nothing to say.
    private func conduct(_ request: HTTPRequest) -> HTTPResponse? {
        switch fault?.kind {
        case .list(.listDown, _)?: return Self.nothing
        case .conduct(.redirect)?: return .redirect(to: request.url.description, status: 302)
        case .conduct(.endless)?:
            // Twice what anybody reads: without end for who stops at a limit, and no burden for who does not.
            let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 2 * StatusChecker.sizeLimit)
            return HTTPResponse(type: StatusForm.jwt.mediaType(), bytes)
        default: return nil
        }
    }

    // MARK: what stands in files

    private func crl(_ name: String) -> HTTPResponse {
        guard name == CertificateMaker.crlName(of: root) else { return Self.nothing }
        let folders = [IssuedStatuses.folder(of: context.home), CertificateFolder(of: context.home).path]
        if let path = folders.map({ "\($0)/\(name)" }).first(where: Files.exists) {
            guard let bytes = try? Files.read(path, limit: StatusChecker.sizeLimit), !bytes.isEmpty else { return Self.nothing }
            if (try? CertificateRevocationList(der: bytes))?.nextUpdate.map({ $0 > context.clock.now() }) ?? true || fault != nil {
                return HTTPResponse(type: "application/pkix-crl", bytes)
            }
        }
        guard let made = try? newCRL() else { return Self.nothing }
        return HTTPResponse(type: "application/pkix-crl", made)
    }

    /// One that revokes nobody who was not revoked before, in the place of none or of one that is out of date.
    private func newCRL() throws -> [UInt8] {
        let maker = CertificateMaker(at: context.clock.now(), random: context.random, edition: context.edition)
        let folder = CertificateFolder(of: context.home)
        var made = TestCertificates(maker: maker, folder: folder)
        let authority = try made.authority(.iaca)
        let old = try? CertificateRevocationList(der: Files.read(folder.file(CertificateMaker.crlName(of: root))))
        let number = (old?.number ?? [0]).suffix(4).reduce(0) { $0 << 8 | Int($1) } + 1
        let list = try maker.revocationList(of: authority, revoking: (old?.entries ?? []).map(\.serialNumber), number: number)
        _ = try folder.write(list, as: "crl", of: authority.certificate)
        return list.der
    }

    private func trustList(_ name: String) -> HTTPResponse {
        let isKnown = ["vical.cbor", "rical.cbor"].contains(name) || (name.hasPrefix("lote-") && name.hasSuffix(".jwt"))
        guard isKnown, !name.contains("/"),
            let bytes = try? Files.read(CertificateFolder(of: context.home).file(name), limit: StatusChecker.sizeLimit)
        else { return Self.nothing }
        return HTTPResponse(type: name.hasSuffix(".jwt") ? "application/jwt" : "application/cose", bytes)
    }

    // MARK: keys and types

    private var keys: JSON {
        guard let key = try? signer.certificate.publicKey() else { return ["keys": []] }
        var jwk = key.jwk
        jwk["use"] = "sig"
        jwk["kid"] = .string(DPoP.thumbprint(key))
        jwk["x5c"] = [.string(Base64.encode(signer.certificate.der))]
        return ["keys": [.object(jwk)]]
    }

    private func typeMetadata(_ step: String) -> HTTPResponse {
        let name = PercentEncoding.decode(step).flatMap { String(validating: $0, as: UTF8.self) }
        guard let type = SpecimenSource.configurations.first(where: { $0.format == "dc+sd-jwt" && $0.type == name }) else {
            return Self.nothing
        }
        return .json(SpecimenTypeMetadata.document(of: type))
    }
}

extension String {
    fileprivate var droppingLastSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
