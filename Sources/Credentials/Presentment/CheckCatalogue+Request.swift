extension CheckCatalogue {
    /// What a holder checks on a request: H1–H15.
    static let request: [CheckDefinition] = [
        .init(
            "H1", "ident-equal", .fail, .mdoc, "8.3.3.1.1.3", "11.1.3.1", .ble, "Ident <a>, expected <b> (disconnects)",
            ["ident-other-session"]),
        .init(
            "H2.cbor", "establishment-cbor", .fail, .mdoc, "9.1.1.4", "12.2.4", .core,
            "session establishment is not valid CBOR (status 11)", ["establishment-truncated"]),
        .init(
            "H2.shape", "establishment-shape", .fail, .mdoc, "9.1.1.4", "12.2.4", .core,
            "`eReaderKey` or `data` missing or mistyped (status 11)", ["e-reader-key-snake-case"]),
        .init(
            "H2.curve", "reader-key-curve", .fail, .mdoc, "9.1.5.2", "12.7.2", .core,
            "eReaderKey on <a>, mdoc asked <b> (status 11)", ["reader-key-curve"]),
        .init(
            "H2.point", "reader-key-point", .fail, .mdoc, "9.1.5.2", "12.7.2", .core, "eReaderKey is no point of <c> (status 11)",
            ["reader-key-point"]),
        .init(
            "H2.form", "reader-key-uncompressed", .warn, .mdoc, "9.1.5.2", "12.2.4", .core, "eReaderKey is compressed",
            ["reader-key-uncompressed"]),
        .init(
            "H3", "request-decrypts", .fail, .mdoc, "9.1.1.5", "12.2.5", .core, "decryption failed at message <n> (status 10)",
            ["request-bitflip"]),
        .init(
            "H4.cbor", "request-cbor", .fail, .mdoc, "8.1", "8.3", .core, "request is not valid CBOR (response status 11)",
            ["request-cbor"]),
        .init(
            "H4.major", "request-major", .fail, .mdoc, "8.3.2.1.2.1", "10.2.2", .core,
            "DeviceRequest major version <x> (response status 10)", ["request-major"]),
        .init(
            "H4.minor", "request-minor", .warn, .mdoc, "8.3.2.1.2.1", "10.2.2", .core, "version <v> does not fit its members",
            ["request-minor"]),
        .init(
            "H5.tag", "items-request-tag24", .fail, .mdoc, "8.3.2.1.2.1", "10.2.3", .core, "itemsRequest is not tag 24 (status 12)",
            ["items-request-tag24"]),
        .init(
            "H5.shape", "items-request-shape", .fail, .mdoc, "8.3.2.1.2.1", "10.2.3", .core,
            "<member> missing or mistyped (status 12)", ["items-request-shape"]),
        .init(
            "H6", "doctype-held", .warn, .mdoc, nil, "10.3.7", .core, "no document <t> (documentErrors 0 or nothing)",
            ["request-unknown-doctype"]),
        .init(
            "H7.doc", "reader-signature", .fail, .mdoc, "9.1.4", "12.5.4", .core, "reader signature of docRequest <n> invalid",
            ["reader-signature-wrong"]),
        .init(
            "H7.all", "reader-signature-all", .failFromEdition2, .mdoc, "9.1.4", "12.5.4", .core, "readerAuthAll <n> invalid",
            ["reader-auth-all-wrong"]),
        .init(
            "H7.absent", "reader-auth-present", .warn, .mdoc, "9.1.4", "12.5.4", .core, "docRequest <n> is not signed",
            ["reader-auth-none"]),
        .init(
            "H7.alg", "reader-auth-alg", .fail, .mdoc, "9.1.4", "12.5.4", .core,
            "reader algorithm <n> not protected or not allowed with <c>", ["reader-auth-alg"]),
        .init(
            "H8.*", "reader-profile", .warn, .mdoc, "B.1.7", "B.1.5", .core, "reader certificate breaks rule reader.<rule>",
            ["reader-break:<rule>"]),
        .init(
            "H8.path", "reader-path", .fail, .mdoc, nil, "12.8.3", .core, "no path to a trusted reader CA",
            ["reader-from-unknown-ca"]),
        .init(
            "H8.validity", "reader-chain-validity", .fail, .mdoc, nil, "12.8.3", .core, "certificate <n> not valid at <t>",
            ["reader-expired"]),
        .init(
            "H8.critical", "reader-chain-critical", .fail, .mdoc, nil, "12.8.3", .core, "unknown critical extension <oid>",
            ["reader-unknown-critical"]),
        .init(
            "H8.revoked", "reader-revoked", .fail, .mdoc, nil, "B.3.2", .trust, "reader certificate revoked at <t>",
            ["reader-revoked"]),
        .init(
            "H9", "mandatory-not-conditional", .fail, .mdoc, "7.2.1", "13.4.2", .core,
            "policy would ask reader authentication for mandatory mDL element <id> (own policy)", ["mandatory-behind-reader-auth"]),
        .init(
            "H10.*", "registration", .fail, .mdoc, nil, nil, other: "ETSI TS 119 475", .trust, "see T50–T68",
            ["wrprc-expired", "wrprc-revoked", "wrprc-suspended", "wrprc-not-bound", "wrprc-over-asking"]),
        .init(
            "H11", "age-requested-count", .warn, .mdoc, "7.2.5", "13.4.6", .core,
            "<n> age_over elements requested, 2 allowed (answers ≤ 2)", ["request-three-ages"]),
        .init(
            "H12.shape", "use-cases-shape", .fail, .mdoc, nil, "10.2.5", .core,
            "useCases refers to docRequest <n> that is not there (status 12)", ["use-cases-shape"]),
        .init(
            "H12.satisfiable", "use-cases-satisfiable", .warnFromEdition2, .mdoc, nil, "10.2.8", .core,
            "mandatory use case <n> unsatisfiable (no document)", ["use-cases-satisfiable"]),
        .init(
            "H13", "maximum-response-size", .failFromEdition2, .mdoc, nil, "10.2.4", .core,
            "response of <n> bytes exceeds <max> (own conduct)", ["ignore-maximum-size"]),
        .init(
            "H14", "consent-recorded", .fail, .mdoc, nil, nil, .core,
            "<element> would leave without recorded consent (own conduct; blocks)", ["skip-consent"]),
        .init(
            "H15", "next-request", .fail, .mdoc, "9.1.1.5", "12.2.5", .core, "request <n> not under counter <n>",
            ["request-counter-reused"]),
    ]
}
