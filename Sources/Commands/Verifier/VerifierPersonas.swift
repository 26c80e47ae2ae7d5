import Codec
import Credentials
import Crypto
import OpenID
import Ports
import Web

/// As whom a verifier of the command line asks: every client identifier prefix that its certificate and key allow, each plain or by HAIP.
struct VerifierPersonas {
    /// The default first.
    let list: [VerifierSite.Persona]
    /// What was made because the home had none; nil when nothing was.
    let note: String?

    init(
        _ invocation: Invocation, _ trust: VerifierTrust, url: WebURL, store: any RecordTable,
        notice: @escaping @Sendable (String, VPEvent) -> Void
    ) throws(CommandError) {
        note = trust.registration.access == nil ? try Self.makeCertificate(invocation, host: url.host) : nil
        let isHAIP = invocation.string("profile") == "haip"
        let wanted = isHAIP ? "x509_hash" : try invocation.required("client-id-prefix")
        var personas: [VerifierSite.Persona] = []
        for prefix in [wanted] + VerifierIdentityChoice.prefixes.filter({ $0 != wanted }) {
            for isStrict in prefix == "x509_hash" ? [isHAIP, !isHAIP] : [false] {
                let verifier: VPVerifier
                do throws(CommandError) {
                    verifier = try VerifierSetup.verifier(
                        invocation.asking(prefix, url, isHAIP: isStrict), trust, store: store, notice: notice)
                } catch {
                    // Those that were not asked for are offered where they can be had.
                    if prefix == wanted { throw error }
                    continue
                }
                personas.append(
                    .init(
                        name: prefix + (isStrict ? "+haip" : ""),
                        title: Self.title(prefix, verifier.settings.identity) + (isStrict ? ", by HAIP 1.0" : ""),
                        verifier: verifier))
            }
        }
        list = personas
    }

    private static func title(_ prefix: String, _ identity: VPIdentity) -> String {
        switch identity.kind {
        case .x509Hash: "x509_hash: by the hash of its certificate"
        case .x509SanDNS(let name): "x509_san_dns: as \(name), a name in its certificate"
        case .redirectURI: "redirect_uri: unsigned, by the address of the answer"
        case .attestation(let name, _): "verifier_attestation: as \(name)"
        case .decentralizedIdentifier: "decentralized_identifier: by a did:jwk of its key"
        case .preRegistered(let name): "pre-registered: as \(name)"
        }
    }

    /// A home without a verifier's certificate gets a test one under its test root for readers, with the host's name in it.
    private static func makeCertificate(_ invocation: Invocation, host: String) throws(CommandError) -> String? {
        let context = invocation.context
        let folder = CertificateFolder(of: context.home)
        guard invocation.string("cert") == nil, invocation.string("key") == nil, try folder.identity("reader") == nil else {
            return nil
        }
        let maker = CertificateMaker(at: context.clock.now(), random: context.random, edition: context.edition)
        var certificates = TestCertificates(maker: maker, folder: folder)
        do {
            let root = try certificates.authority(.readers)
            let made = try maker.endEntity(.reader, "TEST Verifier", issuer: root) { builder in
                let name = NetworkAddress.bytes(host) == nil ? host : "localhost"
                builder[.subjectAlternativeName] = .subjectAlternativeName([.dns(name)])
            }
            _ = try folder.write(made.certificate, key: made.key, as: "reader")
        } catch { throw error as? CommandError ?? .refused("a certificate for the verifier: \(error)") }
        return "made a test certificate for this verifier; wallets trust it by \(folder.file("reader-ca.pem"))"
    }
}

extension Invocation {
    /// The same command line with another answer to who asks.
    func asking(_ prefix: String, _ url: WebURL, isHAIP: Bool) -> Invocation {
        var parsed = parsed
        parsed.values["client-id-prefix"] = [[prefix]]
        parsed.values["public-url"] = [[url.description]]
        parsed.values["profile"] = isHAIP ? [["haip"]] : nil
        return Invocation(parsed: parsed, context: context)
    }
}
