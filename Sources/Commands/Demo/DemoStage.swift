import Codec
import Credentials
import Crypto
import Glibc
import Ports
import Vault

/// The throw-away world of a demonstration: a holder's and a reader's home, a test PKI, two documents.
struct DemoStage: Sendable {
    /// A temporary folder for homes, sockets and logs.
    let folder: String
    let holder: Home
    let reader: Home
    private let context: Context

    init(_ context: Context) throws(CommandError) {
        self.context = context
        folder = try Self.makeFolder()
        holder = Home(path: "\(folder)/holder", source: "demo")
        reader = Home(path: "\(folder)/reader", source: "demo")
        try holder.makeTestHome()
        try reader.makeTestHome()
    }

    /// A new folder under $TMPDIR that only its owner can read.
    static func makeFolder() throws(CommandError) -> String {
        var template = Array("\(environment("TMPDIR") ?? "/tmp")/walletbench-demo-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else { throw .environment("a temporary folder: \(Errno.last)", hint: "set TMPDIR") }
        return String(cString: path)
    }

    /// Roots and signers; the holder trusts the readers' root, the reader the issuers'.
    /// - Returns: the signer of documents.
    func makeTrust() throws -> SigningIdentity {
        let authority = try TestAuthority(at: context.clock.now(), random: context.random, edition: context.edition)
        try TrustStore(of: holder).add(TrustAnchor(authority.readerAuthority.certificate, role: .readers))
        try TrustStore(of: reader).add(TrustAnchor(authority.iaca.certificate, role: .documents))
        let folder = CertificateFolder(of: reader)
        _ = try folder.write(authority.reader.certificate, key: authority.reader.key, as: "reader")
        _ = try folder.write(authority.readerAuthority.certificate, key: authority.readerAuthority.key, as: "reader-ca")
        return authority.documentSigner
    }

    /// Issues one document to the holder.
    /// - Returns: its name in the wallet.
    func issue(_ definition: DocumentDefinition, to specimen: Specimen, by signer: SigningIdentity) async throws -> String {
        let now = context.clock.now().wholeSeconds
        let wallet = try Wallet(context.at(home: holder), creating: true)
        let key = try await wallet.keys.create(KeyOptions())
        let subject = signer.certificate.subject
        let issuer = SpecimenIssuer(
            country: subject.country ?? "UT", jurisdiction: subject.stateOrProvince, authority: subject.organization ?? "Utopia")
        guard let json = specimen.claims(for: definition, issuer: issuer, at: now) else {
            throw CommandError("there is no specimen \(definition.displayName)")
        }
        let order = DocumentOrder(
            docType: definition.docType, claims: try Claims(json, definition: definition), deviceKey: key.publicKey, signed: now,
            validUntil: now.adding(days: 90))
        let identity = try IssuingIdentity(certificate: signer.certificate, key: signer.key)
        let issued = try await MDocIssuer(signer: identity, random: context.random).mint(order)
        let document = try await wallet.add(
            mdoc: [(issued.encodedCBOR, key.id)], displayName: definition.displayName, at: now, random: context.random)
        return document.id
    }

    /// Issues a PID as SD-JWT VC to the holder.
    func issueToken(to specimen: Specimen, by signer: SigningIdentity) async throws {
        let now = context.clock.now().wholeSeconds
        let wallet = try Wallet(context.at(home: holder), creating: true)
        let key = try await wallet.keys.create(KeyOptions())
        let subject = signer.certificate.subject
        let issuer = SpecimenIssuer(
            country: subject.country ?? "UT", jurisdiction: subject.stateOrProvince, authority: subject.organization ?? "Utopia")
        var claims = specimen.identificationClaims(issuer: issuer, at: now)
        claims["vct"] = "urn:eudi:pid:1"
        claims["cnf"] = ["jwk": .object(key.publicKey.jwk)]
        claims["iat"] = .integer(now.secondsSince1970)
        claims["nbf"] = .integer(now.secondsSince1970)
        claims["exp"] = .integer(now.adding(days: 90).secondsSince1970)
        let maker = SDJWTIssuer(
            signer: try JWSSigner(signer.key, nonce: context.isDeterministic ? .deterministic : .random),
            certificates: [signer.certificate], random: context.random)
        let token = try await maker.issueVC(
            claims, frame: .everyMember(of: claims, except: SDJWTVC.neverDisclosable.union(["iat"])))
        _ = try await wallet.add(
            sdJWT: [(Array(token.compact.utf8), key.id)], displayName: "PID", at: now, random: context.random)
    }

    /// Removes everything.
    func remove() { Self.remove(folder) }

    private static func remove(_ path: String) {
        if Files.isDirectory(path), let names = try? Files.list(path) {
            for name in names { remove("\(path)/\(name)") }
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}

extension Context {
    /// The same run with another home.
    func at(home: Home) -> Context {
        Context(
            console: console, home: home, clock: clock, random: random, trace: trace, logger: logger, edition: edition, skew: skew,
            usesTrust: usesTrust, reveals: reveals, faults: faults, isDeterministic: isDeterministic,
            wantsNoPassphrase: wantsNoPassphrase, passphraseFile: passphraseFile, root: root)
    }
}
