import Codec
import Credentials
import Crypto
import OpenID

/// As whom a verifier asks: `--client-id-prefix` with the key and certificate that it needs.
enum VerifierIdentityChoice {
    static let options: [Option] = [
        .choice(
            "client-id-prefix", prefixes, "How wallets know the verifier (OpenID4VP 1.0 §5.9)", default: "x509_hash"),
        .file("cert", "F", "The verifier's certificate (PEM or DER, leaf first); default: the home's, made by trust make reader"),
        .file("key", "F", "Its private key (PEM or JWK)"),
        .value(
            "client-id", "NAME", "The name of a pre-registered verifier, the DNS name of x509_san_dns, or sub of an attestation"),
        .file("attestation", "F", "The verifier attestation (a JWT) for the prefix verifier_attestation"),
    ]

    static let prefixes = [
        "x509_hash", "x509_san_dns", "redirect_uri", "verifier_attestation", "decentralized_identifier", "pre-registered",
    ]

    /// - Throws: exit code 2 when the options do not go together, 1 when key and certificate do not.
    static func identity(_ invocation: Invocation, _ registration: RegistrationChoice) throws(CommandError) -> VPIdentity {
        let prefix = try invocation.required("client-id-prefix")
        guard prefix != "redirect_uri", registration.fault != .accessAbsent else { return .unsigned }
        let (key, certificates, anchor) = try keyMaterial(
            invocation, registration.access, needsCertificate: prefix.hasPrefix("x509"))
        let signer: JWSSigner
        do { signer = try JWSSigner(key, nonce: invocation.context.isDeterministic ? .deterministic : .random) } catch {
            throw .refused("the verifier's key cannot sign requests: \(error)")
        }
        var identity = VPIdentity(
            try kind(prefix, invocation, key, certificates), signer: signer,
            certificates: prefix.hasPrefix("x509") ? certificates : [])
        identity.anchor = anchor
        return identity
    }

    private static func kind(
        _ prefix: String, _ invocation: Invocation, _ key: PrivateKey, _ certificates: [Certificate]
    ) throws(CommandError) -> VPIdentity.Kind {
        switch prefix {
        case "x509_san_dns":
            let names = (certificates.first?.subjectAlternativeName ?? []).compactMap { name -> String? in
                if case .dns(let name) = name { name } else { nil }
            }
            guard let name = invocation.string("client-id") ?? names.first else {
                throw .usage(
                    "the certificate has no DNS name",
                    hint: "give one that has with --cert and --key, or use --client-id-prefix x509_hash")
            }
            return .x509SanDNS(name)
        case "verifier_attestation":
            let text = String(decoding: try Files.read(try invocation.required("attestation"), limit: 1 << 20), as: UTF8.self)
                .split(whereSeparator: \.isWhitespace).joined()
            let sub = (try? JWS(compact: text).claims())?["sub"]?.stringValue
            guard let name = invocation.string("client-id") ?? sub else { throw .refused("the attestation is no JWT with sub") }
            return .attestation(name: name, jwt: text)
        case "decentralized_identifier":
            let did = "did:jwk:" + Base64URL.encode(Array(JSON.object(key.publicKey.jwk).encoded().utf8))
            return .decentralizedIdentifier(did, keyID: "\(did)#0")
        case "pre-registered": return .preRegistered(try invocation.required("client-id"))
        default: return .x509Hash
        }
    }

    private static func keyMaterial(
        _ invocation: Invocation, _ access: SigningIdentity?, needsCertificate: Bool
    ) throws(CommandError) -> (PrivateKey, [Certificate], Certificate?) {
        switch (invocation.string("cert"), invocation.string("key")) {
        case (let path?, let keyPath?):
            let certificates = try CertificateFile.certificates(path)
            let key = try KeyFile.privateKey(keyPath)
            guard let leaf = certificates.first, (try? leaf.publicKey()) == key.publicKey else {
                throw .refused("\(keyPath) is not the key of \(path)")
            }
            let isRoot = certificates.count > 1 && certificates[certificates.count - 1].isSelfIssued
            return (key, isRoot ? certificates.dropLast() : certificates, isRoot ? certificates.last : nil)
        case (nil, let keyPath?):
            guard !needsCertificate else { throw .usage("--cert and --key go together") }
            return (try KeyFile.privateKey(keyPath), [], nil)
        case (_?, nil): throw .usage("--cert and --key go together")
        case (nil, nil):
            let folder = CertificateFolder(of: invocation.context.home)
            let made: SigningIdentity? =
                if let access {
                    access
                } else if let reader = try folder.identity("reader") {
                    reader
                } else {
                    try folder.identity("wrpac")
                }
            guard let made else {
                throw .refused(
                    "the home has no verifier certificate",
                    hint: "make one with: walletbench trust make reader, or ask unsigned with --client-id-prefix redirect_uri")
            }
            return (made.key, [made.certificate], try folder.identity("reader-ca")?.certificate)
        }
    }
}
