import Codec
import Credentials
import Crypto
import Glibc
import Ports
import Vault

/// The throw-away world of a demonstration: an issuer's, a holder's and a reader's home, a test PKI, two documents.
struct DemoStage: Sendable {
    /// A temporary folder for homes, sockets and logs.
    let folder: String
    let issuer: Home
    let holder: Home
    let reader: Home
    private let context: Context

    init(_ context: Context) throws(CommandError) {
        self.context = context
        folder = try Self.makeFolder()
        issuer = Home(path: "\(folder)/issuer", source: "demo")
        holder = Home(path: "\(folder)/holder", source: "demo")
        reader = Home(path: "\(folder)/reader", source: "demo")
        try issuer.makeTestHome()
        try holder.makeTestHome()
        try reader.makeTestHome()
    }

    /// A new folder under $TMPDIR that only its owner can read.
    static func makeFolder() throws(CommandError) -> String {
        var template = Array("\(environment("TMPDIR") ?? "/tmp")/walletbench-demo-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else { throw .environment("a temporary folder: \(Errno.last)", hint: "set TMPDIR") }
        return String(cString: path)
    }

    /// Roots and signers; the holder trusts the roots of issuers and readers, the reader the issuers'.
    func makeTrust() throws {
        let authority = try TestAuthority(at: context.clock.now(), random: context.random, edition: context.edition)
        let documents = TrustAnchor(authority.iaca.certificate, role: .documents)
        try TrustStore(of: holder).add(documents)
        try TrustStore(of: holder).add(TrustAnchor(authority.readerAuthority.certificate, role: .readers))
        try TrustStore(of: reader).add(documents)
        let own = CertificateFolder(of: reader)
        _ = try own.write(authority.reader.certificate, key: authority.reader.key, as: "reader")
        _ = try own.write(authority.readerAuthority.certificate, key: authority.readerAuthority.key, as: "reader-ca")
        let made = CertificateFolder(of: issuer)
        _ = try made.write(authority.iaca.certificate, key: authority.iaca.key, as: "iaca")
        _ = try made.write(authority.documentSigner.certificate, key: authority.documentSigner.key, as: "ds")
    }

    /// Has one document issued over OpenID4VCI: an issuer process makes an offer, a wallet process takes it.
    ///
    /// - Parameters:
    ///   - offer: options of the issuer.
    ///   - wallet: options of the wallet.
    /// - Returns: its name in the wallet.
    func issue(_ offer: [String], to wallet: [String], of person: Specimen) async throws -> String {
        let service = try ChildProcess(
            "the issuer",
            arguments: [
                "issuer", "serve", "--home", issuer.path, "--offer", "--once", "--json", "--specimen", person.name, "--status",
                "none",
            ] + offer,
            log: "\(folder)/issuer.log")
        defer { service.stop() }
        guard let link = try await service.event("request", within: 120)["uri"]?.stringValue else {
            throw CommandError("the issuer made no offer")
        }
        let taker = try ChildProcess(
            "the wallet",
            arguments: ["holder", "accept", link, "--home", holder.path, "--consent", "auto", "--allow-private", "--json"] + wallet,
            log: "\(folder)/wallet.log")
        defer { taker.stop() }
        let taken = try await taker.finish(within: 120)
        guard let id = taken.event("report")?["documents"]?[0]?["id"]?.stringValue, taken.exit == 0 else {
            throw CommandError("the wallet took no document: \(taken.lines.last?.encoded() ?? "it said nothing")")
        }
        _ = try await service.finish(within: 120)
        return id
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
            usesTrust: usesTrust, trustPreset: trustPreset, trustPolicy: trustPolicy, statusPolicy: statusPolicy,
            statusSources: statusSources, network: network, reveals: reveals, faults: faults, isDeterministic: isDeterministic,
            wantsNoPassphrase: wantsNoPassphrase, passphraseFile: passphraseFile, root: root)
    }
}
