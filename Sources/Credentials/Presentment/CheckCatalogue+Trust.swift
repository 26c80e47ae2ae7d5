extension CheckCatalogue {
    /// Trust lists, status, registration: T1–T68. They are reached from R11, R28, S15, H8, H10 and what the OpenID protocols have in
    /// their place.
    static let trust: [CheckDefinition] = lists + statusSteps + revocationSteps + registration

    private static let vical = "ISO/IEC WD 18013-5 C.1.8"
    private static let lote = "ETSI TS 119 602"

    private static let lists: [CheckDefinition] = [
        row("T1", "anchor-readable", .fail, nil, "<file> is not a certificate, or not for role <r>"),
        row("T2.signature", "vical-signature", .fail, vical, "VICAL signature invalid"),
        row("T2.path", "vical-path", .fail, vical, "signer not trusted"),
        row(
            "T2.signer", "vical-signer", .fail, "ISO/IEC WD 18013-5 C.1.7.2",
            "signer breaks a rule of vical.* (EKU 1.0.18013.5.1.8)"),
        row("T2.next-update", "vical-next-update", .warn, vical, "VICAL outdated since <t>"),
        row("T2.doctype", "vical-doctype", .fail, "ISO/IEC WD 18013-5 12.8.1", "IACA not listed for docType <t>"),
        row("T3.signature", "lote-signature", .fail, lote, "list signature invalid"),
        row("T3.path", "lote-path", .fail, lote, "list signer not trusted"),
        row("T3.shape", "lote-shape", .fail, lote, "<member> missing or mistyped"),
        row("T3.expired", "lote-next-update", .fail, lote, "list expired at <t>"),
        row("T3.pointer", "lote-pointer", .warn, lote, "pointer <uri> not reachable"),
        row("T3.type", "lote-type", .fail, lote, "list is for <a>, needed <b>"),
        row("T4", "fallback-used", .warn, nil, "first source had no context, <source> used", "source-down"),
        row("T5", "cache-age", .warn, nil, "cached copy is <age> old"),
    ]

    private static let statusSteps: [CheckDefinition] = [
        .init(
            "T10.fetch", "status-fetch", .init(first: .undetermined, second: .undetermined), .both, nil, nil,
            other: "Token Status List 8.1", .trust, "<uri> answered <n>", ["list-down", "list-endless", "list-redirect"]),
        row("T10.type", "status-content-type", .warn, "Token Status List 8.2", "content type <x>"),
        row(
            "T10.form", "status-form", .undetermined, "Token Status List 8.2",
            "JWT where CWT is due, or the reverse (mdoc: CWT; SD-JWT VC: JWT)", "status-jwt-for-mdoc"),
        row(
            "T11.typ", "status-typ", .undetermined, "Token Status List 5.1",
            "typ is not `statuslist+jwt` / `application/statuslist+cwt` / `application/identifierlist+cwt`"),
        row(
            "T11.short", "status-typ-short", .warn, "ISO/IEC WD 18013-5 12.3.6", "short form `statuslist+cwt`, `identifierlist+cwt`"
        ),
        row("T12.signature", "status-signature", .undetermined, "Token Status List 11.3", "signature invalid"),
        row("T12.alg", "status-alg", .undetermined, "ISO/IEC WD 18013-5 12.3.6.3", "algorithm not allowed (MAC too)"),
        row(
            "T12.chain", "status-x5chain", .undetermined, "ISO/IEC WD 18013-5 12.3.6.3",
            "chain missing (CWT: protected x5chain; HAIP: x5c without anchor, leaf not self-signed)"),
        row(
            "T13.signer", "status-signer", .undetermined, "ISO/IEC WD 18013-5 12.3.6.2",
            "top of the chain signed by neither the IACA of the DS nor the MSO's `certificate`; signed by the DS itself",
            "status-signed-by-ds"),
        row("T13.profile", "status-signer-profile", .warn, "ISO/IEC WD 18013-5 B.1.7", "signer breaks rule status.*"),
        row(
            "T14", "status-subject", .undetermined, "Token Status List 8.3-4a", "sub <a> is not the uri used <b>",
            "status-wrong-sub"),
        row("T15.iat", "status-iat", .undetermined, "Token Status List 8.3-4", "iat missing or in the future (skew 60 s)"),
        row("T15.exp", "status-expired", .undetermined, "Token Status List 8.3-4", "expired at <t>"),
        row("T15.exp-present", "status-exp-present", .warn, "ISO/IEC WD 18013-5 12.3.6.3", "exp missing"),
        row("T16", "status-ttl", .warn, "Token Status List 8.3-4d", "copy older than ttl and not refreshable"),
        row("T17.bits", "status-bits", .undetermined, "Token Status List 4", "bits <n>"),
        row("T17.zlib", "status-zlib", .undetermined, "Token Status List 8.3-5", "not a zlib stream"),
        row("T17.limit", "status-limit", .undetermined, "Token Status List 8.3-5", "inflates past <n> bytes"),
        row(
            "T18", "status-index", .fail, "Token Status List 8.3-6", "index <i> outside <n> entries: the document is rejected",
            "status-index-out"),
        .init(
            "T19.value", "status-value", .fail, .both, nil, nil, other: "Token Status List 7.1", .trust,
            "0x01 invalid, 0x02 suspended; 0x03 and 0x0C–0x0F application-specific", ["revoked", "suspended"]),
        row("T19.reserved", "status-reserved", .undetermined, "Token Status List 7.1", "reserved value <n>"),
        row("T20", "status-reference", .fail, "Token Status List 6.2", "status_list without idx or uri, or mistyped"),
        row(
            "T30", "identifier-claim", .undetermined, "ISO/IEC WD 18013-5 12.3.6.4", "claim 65530 missing or 65533 present"),
        row("T31", "identifier-info", .fail, "ISO/IEC WD 18013-5 12.3.6.4", "identifier_list without bstr id and uri"),
        row(
            "T32", "identifier-listed", .fail, "ISO/IEC WD 18013-5 12.3.6.4", "identifier is listed: revoked", "identifier-revoked"),
        row(
            "T33", "status-permanence", .warn, "ISO/IEC WD 18013-5 12.3.6.1", "list says valid, an earlier copy said revoked",
            "status-unrevoke"),
    ]

    private static let revocationSteps: [CheckDefinition] = [
        row("T40.fetch", "crl-fetch", .undetermined, "ISO/IEC WD 18013-5 B.2", "CRL not reachable"),
        row("T40.issuer", "crl-issuer", .undetermined, "RFC 5280 6.3", "issuer is not the certificate's issuer"),
        row("T40.signature", "crl-signature", .undetermined, "RFC 5280 6.3", "signature invalid"),
        row("T41.current", "crl-current", .undetermined, "RFC 5280 6.3", "nextUpdate <t> passed"),
        row("T41.number", "crl-number", .warn, "RFC 5280 5.2.3", "number went back from <a> to <b>"),
        row("T41.profile", "crl-profile", .warn, "ISO/IEC WD 18013-5 B.2", "CRL breaks a rule of crl.*"),
    ]

    private static let registration: [CheckDefinition] = [
        code("T50", "expired", "registration certificate expired at <t>", "wrprc-expired"),
        code("T51", "statusRevoked", "revoked", "wrprc-revoked"),
        code("T52", "statusSuspended", "suspended", "wrprc-suspended"),
        code("T53", "statusApplicationSpecific", "status <n>", "wrprc-status-3"),
        code("T54", "statusMissing", "no status in the registration certificate", "wrprc-no-status"),
        row(
            "T55", "statusRetrievalFailed", .undetermined, registrations, "status not retrievable: undetermined, never good",
            "wrprc-list-down"),
        code("T56", "trustError", "signer not trusted, signature or chain invalid", "wrprc-untrusted"),
        code("T57", "invalidType", "typ <x> is not the registration certificate type", "wrprc-typ"),
        code("T58", "payloadDecodingFailed", "payload unreadable at <path>", "wrprc-payload"),
        code("T59", "invalidCertificate", "not a JWT or CWT", "wrprc-garbage"),
        code("T60", "wrpacDecodingFailed", "access certificate unreadable", "wrpac-garbage"),
        code("T61", "accessCertificateUnavailable", "no access certificate to bind to", "wrpac-absent"),
        code(
            "T62", "notBoundToAccessCertificate", "subject of registration <a> is not that of access certificate <b>",
            "wrprc-not-bound"),
        code("T63", "overAskedClaims", "query <id> asks beyond registration: <paths>", "wrprc-over-asking"),
        code("T64", "wrprcNotRepeated", "missing in requestInfo of docRequest <n>", "wrprc-once"),
        code("T65", "wrprcMismatch", "differs in docRequest <n>", "wrprc-differs"),
        code("T66", "entitlementMissing", "entitlement <uri> missing", "wrprc-no-entitlement"),
        code("T67", "credentialNotCovered", "configuration <id> not among provides_attestations", "wrprc-not-covered"),
        code("T68", "registrationRequired", "no registration certificate", "wrprc-absent"),
    ]

    private static let registrations = "ETSI TS 119 475"

    private static func code(_ id: String, _ name: String, _ message: String, _ fault: String) -> CheckDefinition {
        row(id, name, .fail, registrations, message, fault)
    }

    private static func row(
        _ id: String, _ name: String, _ severity: CheckDefinition.Severity, _ source: String?, _ message: String,
        _ fault: String? = nil
    ) -> CheckDefinition {
        .init(
            id, name, .init(first: severity, second: severity), .both, nil, nil, other: source, .trust, message, [fault ?? name])
    }
}
