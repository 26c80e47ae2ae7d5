extension CheckCatalogue {
    /// What a wallet on issuance and a verifier on presentation check on an SD-JWT VC: S1–S17.
    static let sdJWT: [CheckDefinition] = form + issuer + disclosures + claims + binding

    private static let form: [CheckDefinition] = [
        row("S1.form", "sd-jwt-form", "RFC 9901 4", "not `JWT~(disclosure~)*[key binding]`: <how>"),
        row("S1.base64url", "sd-jwt-base64url", "RFC 9901 4", "part <n> is not canonical base64url"),
        row("S1.json", "sd-jwt-json-form", "RFC 9901 8", "JSON serialisation: <member> missing or mistyped"),
        row("S2.typ", "sd-jwt-typ", "SD-JWT VC JOSE Header", "typ <x>, `dc+sd-jwt` expected"),
        row(
            "S2.legacy", "sd-jwt-typ-legacy", .warn, "SD-JWT VC JOSE Header",
            "typ is the former `vc+sd-jwt` (OpenID4VP/VCI: format `dc+sd-jwt`)"),
        row("S3.alg", "sd-jwt-alg", "RFC 9901 7.1-2a", "alg <a>: none, symmetric or unknown", fault: "alg-none"),
        row("S3.crit", "sd-jwt-crit", "RFC 8725", "crit <h> not understood"),
        row("S3.curve", "sd-jwt-curve", "RFC 8725", "alg <a> with key <c>"),
    ]

    private static let issuer: [CheckDefinition] = [
        row(
            "S4.key", "sd-jwt-key-found", "SD-JWT VC Issuer Verification Key Discovery",
            "no x5c and no other permitted key source"),
        row(
            "S4.path", "sd-jwt-path", "SD-JWT VC Issuer Verification Key Discovery", "no path from <subject> to an anchor",
            fault: "sd-jwt-unknown-root"),
        row(
            "S4.validity", "sd-jwt-chain-validity", "SD-JWT VC Issuer Verification Key Discovery",
            "certificate <n> not valid at <t>"),
        row(
            "S4.iss", "iss-consistent", .warn, "SD-JWT VC Issuer Verification Key Discovery",
            "iss <a> is not a name of the leaf certificate"),
        row("S4.self-signed", "leaf-self-signed", .warn, "HAIP 6.1.1", "signing certificate is self-signed"),
        row("S4.anchor", "anchor-in-x5c", .warn, "HAIP 6.1.1", "trust anchor is in x5c"),
        row("S5", "sd-jwt-signature", "RFC 9901 7.1-2b", "issuer signature invalid", fault: "sd-jwt-signature-wrong"),
    ]

    private static let disclosures: [CheckDefinition] = [
        row("S6.known", "sd-alg-known", "RFC 9901 4.1.1", "_sd_alg <a> unknown (absent = sha-256)"),
        row("S6.place", "sd-alg-top-level", "RFC 9901 4.1.1", "_sd_alg inside an object"),
        row(
            "S7", "digest-over-received", "RFC 9901 4.2.3", "disclosure <n> matches only after re-encoding",
            fault: "disclosure-reencoded"),
        row("S8.object", "disclosure-three", "RFC 9901 7.1-3c", "object disclosure <n> has <k> items"),
        row("S8.array", "disclosure-two", "RFC 9901 7.1-3c", "array disclosure <n> has <k> items"),
        row("S8.json", "disclosure-json", "RFC 9901 7.1-3c", "disclosure <n> is not a JSON array"),
        row("S8.salt", "salt-length", .warn, "RFC 9901 9.3", "salt of disclosure <n> below 128 bits"),
        row("S9.reserved", "disclosure-reserved-name", "RFC 9901 7.1-3c", "claim name `_sd` or `...`"),
        row("S9.clash", "disclosure-name-clash", "RFC 9901 7.1-3c", "claim <name> exists already at that level"),
        row("S10.duplicate", "digest-duplicate", "RFC 9901 7.1-4", "digest <d> occurs twice"),
        row(
            "S10.unreferenced", "disclosure-unreferenced", "RFC 9901 7.1-5",
            "disclosure <n> (<name>) is referenced by no digest", fault: "disclosure-foreign"),
        row("S11.sd", "sd-array-shape", "RFC 9901 7.1-3b", "`_sd` is not an array of strings"),
        row("S11.placeholder", "placeholder-shape", "RFC 9901 4.2.4", "`...` object has other keys or no string"),
    ]

    private static let claims: [CheckDefinition] = [
        row("S12.disclosed", "never-disclosable", "SD-JWT VC Registered JWT Claims", "<claim> arrived in a disclosure"),
        row("S12.required", "required-claims", "SD-JWT VC Registered JWT Claims", "<claim> missing"),
        row("S13.exp", "sd-jwt-exp", "RFC 9901 7.1-6", "expired at <t> (skew <s> s)", fault: "sd-jwt-expired"),
        row("S13.nbf", "sd-jwt-nbf", "RFC 9901 7.1-6", "not before <t>", fault: "sd-jwt-not-yet-valid"),
        row("S13.iat", "sd-jwt-iat-future", .warn, "RFC 9901 7.1-6", "issued in the future"),
        row("S14.vct", "vct-asked", "OpenID4VP 1.0 B.3.5", "vct <a> not among <list> (nor aka_vcts, nor by extends)"),
        row("S14.form", "vct-form", "SD-JWT VC vct Claim", "vct is not a string"),
        row("S14.aka", "aka-vcts", "SD-JWT VC aka_vcts Claim", "aka_vcts empty, not strings, or repeats vct"),
        row(
            "S14.integrity", "vct-integrity", "SD-JWT VC Integrity of Referenced Documents",
            "document of <vct> does not match vct#integrity"),
        row(
            "S14.metadata", "type-metadata", .warn, "SD-JWT VC Type Metadata",
            "type metadata unavailable or `extends` circular"),
        row(
            "S14.claims", "type-metadata-claims", "SD-JWT VC Claim Metadata", "claim <path> breaks mandatory / sd rule"),
        row("S15.status", "sd-jwt-status", "SD-JWT VC Registered JWT Claims", "revoked / suspended / <n>", fault: "revoked"),
        row(
            "S15.format", "sd-jwt-status-form", "SD-JWT VC Registered JWT Claims",
            "status list of an SD-JWT VC is not a JWT", fault: "status-cwt"),
        row("S15.member", "sd-jwt-status-member", "HAIP 6.1", "status has no status_list"),
    ]

    private static let binding: [CheckDefinition] = [
        row("S16.present", "kb-present", "RFC 9901 7.3-2", "key binding required, none given", fault: "kb-omitted"),
        row("S16.at-issuance", "kb-at-issuance", "RFC 9901 7.2", "issuer sent an SD-JWT with key binding"),
        row("S16.cnf", "kb-cnf", "RFC 9901 7.3-5a", "no usable cnf.jwk (kid, use, alg not needed)"),
        row("S16.typ", "kb-typ", "RFC 9901 7.3-5d", "typ <x>"),
        row("S16.alg", "kb-alg", "RFC 9901 7.3-5b", "alg <a> not allowed"),
        row("S16.signature", "kb-signature", "RFC 9901 7.3-5c", "not signed by cnf.jwk", fault: "kb-signature-wrong"),
        row(
            "S16.aud", "kb-aud", "RFC 9901 7.3-5f; OpenID4VP 1.0 14.1.2", "aud <a>, expected full client_id <b>",
            fault: "kb-aud-wrong"),
        row(
            "S16.nonce", "kb-nonce", "RFC 9901 7.3-5f; OpenID4VP 1.0 14.1.2", "nonce differs", fault: "kb-nonce-wrong"),
        row(
            "S16.sd-hash", "kb-sd-hash", "RFC 9901 7.3-5g", "sd_hash differs[; matches without last `~`]",
            fault: "kb-sd-hash-wrong"),
        row("S16.past", "kb-iat-past", "RFC 9901 7.3-5e", "iat <t> older than the window"),
        row("S16.future", "kb-iat-future", "RFC 9901 7.3-5e", "iat <t> in the future"),
        row("S16.claims", "kb-claims", "RFC 9901 7.3-5h", "<claim> missing, mistyped, or exp/nbf violated"),
        row("S17.present", "tx-hashes-present", "OpenID4VP 1.0 8.4", "transaction_data_hashes missing"),
        row(
            "S17.hashes", "tx-hashes-equal", "OpenID4VP 1.0 B.3.3.1", "hash <n> is not that of string <n> as received"),
        row(
            "S17.alg", "tx-hashes-alg", "OpenID4VP 1.0 B.3.3.1",
            "hash algorithm <a> not among <list>, or not stated though listed"),
        row("S17.unasked", "tx-hashes-unasked", .warn, "OpenID4VP 1.0 8.4", "hashes without transaction_data"),
    ]

    /// A row of this part whose violation fails; its fault has the check's own name where none is given.
    private static func row(
        _ id: String, _ name: String, _ source: String, _ message: String, fault: String? = nil
    ) -> CheckDefinition {
        .init(id, name, .fail, .both, nil, nil, other: source, .vp, message, [fault ?? name])
    }

    /// A row whose violation is worth what `level` says.
    private static func row(
        _ id: String, _ name: String, _ level: CheckDefinition.Level, _ source: String, _ message: String
    ) -> CheckDefinition {
        .init(id, name, level, .both, nil, nil, other: source, .vp, message, [name])
    }
}
