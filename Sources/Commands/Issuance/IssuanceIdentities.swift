import Codec
import Credentials
import Crypto
import OpenID
import Ports

/// The test certificates that issuance needs, kept in the home's trust/made: made when there are none.
struct IssuanceIdentities {
    private let context: Context
    private let folder: CertificateFolder
    private let maker: CertificateMaker

    init(_ context: Context) {
        self.context = context
        folder = CertificateFolder(of: context.home)
        maker = CertificateMaker(at: context.clock.now(), random: context.random, edition: context.edition)
    }

    /// The document signer, with its root.
    func documentSigner() throws -> (signer: SigningIdentity, root: Certificate) {
        var made = TestCertificates(maker: maker, folder: folder)
        let root = try made.authority(.iaca)
        if let known = try folder.identity("ds") { return (known, root.certificate) }
        _ = try made.make(.ds, breaking: nil)
        context.console.talk("note: made a test document signer in \(folder.path)")
        guard let signer = try folder.identity("ds") else {
            throw CommandError.environment("\(folder.path) does not keep what is written into it")
        }
        return (signer, root.certificate)
    }

    /// As whom the issuer asks for a presentation: the reader of this home.
    func reader() throws -> SigningIdentity {
        if let known = try folder.identity("reader") { return known }
        var made = TestCertificates(maker: maker, folder: folder)
        _ = try made.make(.reader, breaking: nil)
        guard let reader = try folder.identity("reader") else {
            throw CommandError.environment("\(folder.path) does not keep what is written into it")
        }
        return reader
    }

    /// The document signer as it issues where a CRL is served: the same key and certificate, but for the address of the CRL.
    ///
    /// - Parameter base: where CRLs are; their name follows.
    func documentSigner(crl base: String) throws -> (signer: SigningIdentity, root: Certificate) {
        let (signer, root) = try documentSigner()
        let (known, uri) = (signer.certificate, "\(base)/\(CertificateMaker.crlName(of: root))")
        guard known.crlDistributionPoints != nil, let authority = try folder.identity("iaca"), known.issuer == root.subject else {
            return (signer, root)
        }
        if let made = try folder.identity("serving-ds"), made.key.publicKey == signer.key.publicKey,
            made.certificate.names(crl: uri), made.certificate.notAfter == known.notAfter
        {
            return (made, root)
        }
        var serialNumber = context.random.bytes(16)
        serialNumber[0] = serialNumber[0] & 0x3F | 0x40
        var builder = CertificateBuilder(
            serialNumber: serialNumber,
            signatureAlgorithm: SignatureAlgorithm(curve: authority.key.curve) ?? .ecdsaWithSHA256, issuer: root.subject,
            notBefore: known.notBefore, notAfter: known.notAfter, subject: known.subject, spki: known.spkiBytes)
        builder.extensions = known.extensions
        builder[.crlDistributionPoints] = .crlDistributionPoint(uri)
        let certificate = try builder.signed(
            by: authority.key, nonce: context.random.isDeterministic ? .deterministic : .random)
        _ = try folder.write(certificate, key: signer.key, as: "serving-ds")
        return (SigningIdentity(certificate: certificate, key: signer.key), root)
    }

    /// The wallet provider inside this program.
    func walletProvider() throws -> SigningIdentity {
        if let known = try folder.identity("wallet-provider") { return known }
        let made = try TestWalletProvider.makeIdentity(maker)
        _ = try folder.write(made.root.certificate, key: made.root.key, as: "wallet-provider-ca")
        _ = try folder.write(made.provider.certificate, key: made.provider.key, as: "wallet-provider")
        return made.provider
    }

    /// The roots of wallet providers that an issuer trusts: those of the command line, and the one of this home where it has one.
    func providerRoots(adding files: [String]) throws(CommandError) -> [Certificate] {
        var roots: [Certificate] = []
        for path in files { roots += try CertificateFile.certificates(path) }
        let own = folder.file("wallet-provider-ca.pem")
        if Files.exists(own) { roots += try CertificateFile.certificates(own) }
        return roots
    }
}

extension IssuanceFaults {
    /// The faults of the command line that are of this side.
    /// - Parameter registration: one of them that is made elsewhere.
    /// - Throws: exit code 2 for a fault that this role does not have.
    init(_ context: Context, _ side: IssuanceFault.Side, _ registration: RegistrationFault? = nil) throws(CommandError) {
        // Those of lists are made where lists are served.
        let own = context.faults.filter { fault in
            fault.text != registration?.name && (side != .issuer || ListFault.named(fault.name) == nil)
        }
        do {
            try self.init(named: own.map(\.text), of: side)
            if registration == .accessGarbage { self = adding(.unreadableAccessCertificate) }
            if registration == .accessAbsent { self = adding(.unsignedIssuerInfo) }
        } catch {
            throw .usage(
                "--fault \(error.name): \(side == .issuer ? "the issuer" : "the wallet") has no such fault in issuance",
                hint: "walletbench faults lists them")
        }
    }
}

extension Certificate {
    /// Whether this is where it says that its CRL is.
    func names(crl uri: String) -> Bool {
        (crlDistributionPoints ?? []).contains { point in point.names.contains { $0 == .uri(uri) } }
    }
}

extension CommandError {
    /// Why an issuance stopped.
    init(_ error: IssuanceError) {
        let check = error.check.map { " (\($0))" } ?? ""
        self.init("\(error.what)\(check)", hint: error.hint, exit: error.party == .network ? .environment : .refused)
    }
}
