import Codec
import Crypto
import Ports

extension ContentFault {
    /// Faults that are made where an SD-JWT VC is signed.
    static let credentialFaults =
        tokenFormFaults + tokenSignerFaults + tokenDisclosureFaults + tokenClaimFaults + tokenTypeFaults

    private static let tokenFormFaults: [ContentFault] = [
        .init("sd-jwt-typ", "typ is JWT", .credential { $0.header["typ"] = "JWT" }),
        .init("sd-jwt-typ-legacy", "typ is the former vc+sd-jwt", .credential { $0.header["typ"] = "vc+sd-jwt" }),
        .init("alg-none", "the issuer's JWT is not signed: alg none", also: ["S5", "VV10"], .credential { $0.isUnsigned = true }),
        .init(
            "sd-jwt-crit", "crit names an extension that nobody knows",
            .credential { draft in
                draft.header["crit"] = ["x-walletbench"]
                draft.header["x-walletbench"] = true
            }),
        .init(
            "sd-jwt-curve", "alg is of another curve than the key", also: ["S5", "VV10"],
            .credential { draft in
                let other: JWSAlgorithm = draft.signer.algorithm == .es384 ? .es256 : .es384
                draft.header["alg"] = .string(other.rawValue)
            }),
        .init(
            "kb-at-issuance", "the issuer adds a key binding JWT",
            .credential { draft in
                draft.textChange = { token in
                    SDJWT(issuerJWT: token.issuerJWT, disclosures: token.disclosures, keyBinding: token.issuerJWT)
                }
            }),
    ]

    private static let tokenSignerFaults: [ContentFault] = [
        .init("sd-jwt-key-found", "no x5c", also: ["S5"], .credential { $0.header["x5c"] = nil }),
        .init(
            "sd-jwt-unknown-root", "the chain leads to a root that nobody trusts",
            .credential { draft in
                let stranger = CertificateMaker(at: draft.time, random: draft.random, organization: "Erewhon")
                let signer = try stranger.endEntity(.ds, issuer: stranger.root())
                try draft.sign(by: signer, chain: [signer.certificate])
            }),
        .init(
            "sd-jwt-chain-validity", "the signer's certificate has expired", also: ["S4.path"],
            .credential { draft in
                let maker = CertificateMaker(at: draft.time, random: draft.random, organization: "Erewhon")
                let root = try maker.root()
                let signer = try maker.endEntity(.ds, issuer: root) { builder in
                    builder.notBefore = maker.time.adding(days: -20)
                    builder.notAfter = maker.time.adding(days: -1)
                }
                try draft.sign(by: signer, chain: [signer.certificate])
            }),
        .init(
            "iss-consistent", "iss is not a name of the signer's certificate",
            .credential { $0.payload["iss"] = "https://somebody.example" }),
        .init(
            "leaf-self-signed", "the signing certificate is self-signed", also: ["S4.path", "S4.anchor"],
            .credential { draft in
                let maker = CertificateMaker(at: draft.time, random: draft.random, organization: "Erewhon")
                let root = try maker.authority("TEST Self-Signed Signer")
                try draft.sign(by: root, chain: [root.certificate])
            }),
        .init(
            "anchor-in-x5c", "the trust anchor is in x5c",
            .credential { draft in
                guard let root = draft.root else {
                    throw TamperingError.needs("the certificate of its root", fault: "anchor-in-x5c")
                }
                draft.header["x5c"] = .array((draft.certificates + [root]).map { .string(Base64.encode($0.der)) })
            }),
        .init(
            "sd-jwt-signature-wrong", "one bit of the issuer's signature is flipped", .credential { $0.spoilsSignature = true }),
    ]

    private static let tokenDisclosureFaults: [ContentFault] = [
        .init(
            "sd-alg-known", "_sd_alg is sha-1", also: ["S10.unreferenced", "VV8.claims"],
            .credential { $0.payload["_sd_alg"] = "sha-1" }),
        .init(
            "sd-alg-top-level", "_sd_alg stands inside an object", also: ["S10.unreferenced"],
            .credential { $0.payload["x_inner"] = ["_sd_alg": "sha-256", "a": 1] }),
        .init(
            "disclosure-three", "an object disclosure has four items",
            .credential { draft in draft.disclose([draft.salt, "x_four", 1, 2]) }),
        .init(
            "disclosure-two", "an array disclosure has three items",
            .credential { draft in
                let text = Base64URL.encode(JSON.array([draft.salt, "name", "value"]).encoded().utf8)
                draft.disclosures.append(text)
                draft.payload["x_list"] = [["...": .string(draft.hash.text(of: text))]]
            }),
        .init(
            "disclosure-json", "a disclosure is not a JSON array",
            .credential { draft in
                let text = Base64URL.encode(Array("{\"salt\": 1}".utf8))
                draft.disclosures.append(text)
                draft.addDigest(draft.hash.text(of: text))
            }),
        .init("salt-length", "a salt of 32 bits", .credential { $0.disclose(["c2FsdA", "x_short", true]) }),
        .init(
            "disclosure-reserved-name", "a claim is named ...",
            .credential { draft in draft.disclose([draft.salt, "...", "value"]) }),
        .init(
            "disclosure-name-clash", "a disclosure repeats a claim that stands open",
            .credential { draft in
                draft.payload["x_open"] = 1
                draft.disclose([draft.salt, "x_open", 2])
            }),
        .init(
            "digest-duplicate", "a digest occurs twice",
            .credential { draft in
                guard let first = draft.payload["_sd"]?.arrayValue?.first?.stringValue else {
                    throw TamperingError.needs("a selectively disclosable claim", fault: "digest-duplicate")
                }
                draft.addDigest(first)
            }),
        .init(
            "sd-array-shape", "_sd inside an object is no array of strings",
            .credential { $0.payload["x_inner"] = ["_sd": [1, 2]] }),
        .init(
            "placeholder-shape", "a placeholder of an array has a second key",
            .credential { $0.payload["x_list"] = [["...": "abc", "other": 1]] }),
        .init(
            "never-disclosable", "nbf comes in a disclosure",
            .credential { draft in
                let value = draft.payload["nbf"] ?? .integer(draft.time.secondsSince1970)
                draft.payload["nbf"] = nil
                draft.disclose([draft.salt, "nbf", value])
            }),
    ]

    private static let tokenClaimFaults: [ContentFault] = [
        .init("required-claims", "vct is missing", also: ["S14.vct"], .credential { $0.payload["vct"] = nil }),
        .init(
            "sd-jwt-expired", "exp is yesterday",
            .credential { draft in draft.payload["exp"] = .integer(draft.time.adding(days: -1).secondsSince1970) }),
        .init(
            "sd-jwt-not-yet-valid", "nbf is tomorrow",
            .credential { draft in draft.payload["nbf"] = .integer(draft.time.adding(days: 1).secondsSince1970) }),
        .init(
            "sd-jwt-iat-future", "iat is tomorrow",
            .credential { draft in draft.payload["iat"] = .integer(draft.time.adding(days: 1).secondsSince1970) }),
        .init(
            "kb-cnf", "cnf holds no usable jwk", also: ["S16.signature"],
            .credential { $0.payload["cnf"] = ["kid": "somewhere"] }),
        .init(
            "sd-jwt-status-member", "status has no status_list",
            .credential { $0.payload["status"] = ["x_other": ["uri": "https://status.example/1"]] }),
    ]

    private static let tokenTypeFaults: [ContentFault] = [
        .init(
            "vct-asked", "vct is of another type", also: ["VV8.type"], .credential { $0.payload["vct"] = "urn:walletbench:other" }),
        .init("vct-form", "vct is a number", also: ["S14.vct", "S12.required", "VV8.type"], .credential { $0.payload["vct"] = 7 }),
        .init(
            "aka-vcts", "aka_vcts repeats vct",
            .credential { draft in draft.payload["aka_vcts"] = .array([draft.payload["vct"] ?? "urn:x"]) }),
        .init(
            "vct-integrity", "vct#integrity is of another document",
            .credential { draft in
                draft.payload["vct#integrity"] = .string("sha256-" + Base64.encode(HashAlgorithm.sha256.digest([0])))
            }),
        .init(
            "type-metadata", "vct is a type without metadata", also: ["S14.vct"],
            .credential { $0.payload["vct"] = "urn:walletbench:no-metadata" }),
        .init(
            "type-metadata-claims", "a claim that the type wants is not there", also: ["S10.unreferenced"],
            .credential { draft in draft.payload["_sd"] = [] }),
    ]
}
