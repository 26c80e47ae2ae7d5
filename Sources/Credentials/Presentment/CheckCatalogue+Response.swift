extension CheckCatalogue {
    /// What a reader checks on a response: R1–R31.
    static let response: [CheckDefinition] = [
        .init(
            "R1.cbor", "session-data-cbor", .fail, .reader, "9.1.1.4", "12.2.4", .core,
            "session data is not valid CBOR; status 11 sent", ["session-data-truncated"]),
        .init(
            "R1.shape", "session-data-shape", .fail, .reader, "9.1.1.4", "12.2.4", .core,
            "session data: `<key>` has the wrong type or is missing", ["session-data-as-array"]),
        .init(
            "R2", "session-data-decrypts", .fail, .reader, "9.1.1.5", "12.2.5", .core,
            "decryption failed at message <n>; status 10 sent", ["session-data-bitflip"]),
        .init(
            "R3.error", "peer-status-error", .fail, .reader, "9.1.1.4", "12.2.4, Table 15", .core, "peer sent status <10, 11>",
            ["send-status-10"]),
        .init(
            "R3.unknown", "peer-status-unknown", .warn, .reader, "9.1.1.4", "12.2.4, Table 15", .core,
            "peer sent unknown status <n>", ["peer-status-unknown"]),
        .init(
            "R3.data", "peer-status-with-data", .fail, .reader, "9.1.1.4", "12.2.4, Table 15", .core,
            "data present with status <n>", ["peer-status-with-data"]),
        .init(
            "R4.before", "closed-before-response", .fail, .reader, "9.1.1.4", "12.2.4", .core,
            "connection closed before a response", ["close-before-response"]),
        .init(
            "R4.after", "closed-without-termination", .warn, .reader, "9.1.1.4", "12.2.4", .core,
            "connection closed without termination, response was delivered", ["close-after-response"]),
        .init(
            "R5", "response-version", .fail, .reader, "8.1", "8.3", .core, "DeviceResponse major version <x> not supported",
            ["response-version"]),
        .init(
            "R6.status", "response-status", .fail, .reader, "Table 8", "10.3.6", .core, "response status <n>", ["response-status"]),
        .init(
            "R6.value", "response-status-known", .warn, .reader, "Table 8", "10.3.6", .core, "response status <n> is not defined",
            ["response-status-known"]),
        .init(
            "R6.documents", "documents-with-error-status", .fail, .reader, "Table 8", "10.3.6", .core,
            "documents present although status <n>", ["documents-with-error-status"]),
        .init(
            "R7", "doctype-requested", .fail, .reader, nil, "10.3.3", .core, "document <t> returned but not requested",
            ["doctype-requested"]),
        .init(
            "R8", "doctype-equal", .fail, .reader, "9.1.2.4, 9.3.1", "12.8.1-4", .core, "docType mismatch: document <a>, MSO <b>",
            ["doctype-equal"]),
        .init(
            "R9.protected", "issuer-alg-protected", .fail, .reader, "9.1.2.4", "12.3.4", .core,
            "issuerAuth algorithm missing from the protected header", ["issuer-alg-protected"]),
        .init(
            "R9.alg", "issuer-alg-allowed", .fail, .reader, "9.1.2.4", "12.3.4", .core, "issuerAuth algorithm <n> not allowed",
            ["issuer-alg-allowed"]),
        .init(
            "R9.curve", "issuer-alg-curve", .fail, .reader, "9.1.2.4", "12.3.4", .core, "algorithm <n> not allowed with curve <c>",
            ["issuer-alg-curve"]),
        .init(
            "R9.fully-specified", "issuer-alg-fully-specified", .warn, .reader, "9.1.2.4", "12.3.4", .core,
            "issuerAuth uses <n>, not among the algorithms of ISO/IEC 18013-5", ["issuer-alg-fully-specified"]),
        .init(
            "R10.present", "x5chain-present", .fail, .reader, "9.1.2.4", "12.3.4", .core, "issuer certificate chain missing",
            ["x5chain-present"]),
        .init(
            "R10.encoding", "x5chain-encoding", .fail, .reader, "9.1.2.4", "12.3.4", other: "RFC 9360 2", .core,
            "x5chain is neither bstr nor array", ["x5chain-encoding"]),
        .init(
            "R10.single-array", "x5chain-single-array", .warn, .reader, "9.1.2.4", "12.3.4", .core,
            "one certificate wrapped in an array", ["x5chain-single-array"]),
        .init(
            "R10.root", "root-in-x5chain", .fail, .reader, "B.1.1", "B.1.1", .core, "IACA root inside x5chain", ["root-in-x5chain"]),
        .init(
            "R10.protected", "x5chain-protected", .warn, .reader, "9.1.2.4", "12.3.4", .core, "x5chain in the protected header",
            ["x5chain-protected"]),
        .init(
            "R10.x5t", "x5t-matches", .warnFromEdition2, .reader, nil, "12.3.4", .core,
            "x5t is not the SHA-256 of the first certificate", ["x5t-matches"]),
        .init(
            "R11.path", "issuer-path", .fail, .reader, nil, "12.8.3", other: "RFC 5280 6.1", .core,
            "no path to a trusted IACA; authority key id <hex>", ["ds-from-unknown-root"]),
        .init(
            "R11.signature", "issuer-chain-signature", .fail, .reader, nil, "12.8.3", other: "RFC 5280 6.1", .core,
            "signature of certificate <n> invalid", ["ds-signature-broken"]),
        .init(
            "R11.validity", "issuer-chain-validity", .fail, .reader, nil, "12.8.3", other: "RFC 5280 6.1", .core,
            "certificate <n> not valid at <t>", ["ds-expired"]),
        .init(
            "R11.critical", "issuer-chain-critical", .fail, .reader, nil, "12.8.3", other: "RFC 5280 6.1", .core,
            "unknown critical extension <oid>", ["ds-unknown-critical"]),
        .init(
            "R11.revoked", "issuer-chain-revoked", .fail, .reader, nil, "B.3.2", .trust, "document signer revoked at <t>, CRL <n>",
            ["ds-revoked"]),
        .init(
            "R12.*", "ds-profile", .fail, .reader, "B.1.4", "B.1.4", .core, "DS certificate breaks rule ds.<rule>",
            ["ds-break:<rule>"]),
        .init(
            "R13.country", "country-equal", .fail, .reader, nil, "12.8.3", .core, "country of DS <a> differs from IACA <b>",
            ["country-equal"]),
        .init(
            "R13.state", "state-equal", .fail, .reader, nil, "12.8.3", .core, "state of DS <a> differs from IACA <b>",
            ["state-equal"]),
        .init(
            "R14", "issuer-signature", .fail, .reader, "9.3.1", "12.8.1-2", .core, "issuer signature invalid", ["issuer-signature"]),
        .init(
            "R15.payload", "mso-shape", .fail, .reader, "9.1.2.4", "12.3.4", .core, "MSO is not tag 24 or lacks <member>",
            ["mso-shape"]),
        .init(
            "R15.version", "mso-version", .fail, .reader, "9.1.2.4", "12.3.4", .core, "MSO version <v> unsupported", ["mso-version"]
        ),
        .init(
            "R15.digest-algorithm", "mso-digest-algorithm", .fail, .reader, "9.1.2.5", "12.3.5", .core,
            "digest algorithm <a> unsupported", ["mso-digest-algorithm"]),
        .init(
            "R16", "digest-exists", .fail, .reader, "9.1.2.5", "12.3.5", .core, "no digest for <ns>/<digestID>", ["digest-exists"]),
        .init(
            "R17", "digest-equal", .fail, .reader, "9.3.1", "12.8.1-3", .core, "digest mismatch <ns>/<element>",
            ["digest-wrong", "item-reencoded"]),
        .init(
            "R18.random", "random-length", .fail, .reader, "9.1.2.5", "12.3.5", .core,
            "random of <ns>/<element> has <n> bytes, 16 needed", ["random-short"]),
        .init(
            "R18.random-reused", "random-reused", .warn, .reader, "9.1.2.5", "12.3.5", .core, "two items share one random",
            ["random-reused"]),
        .init(
            "R18.element", "duplicate-element", .fail, .reader, "8.3.2.1.2.2", "10.3.3", .core, "duplicate element <ns>/<element>",
            ["duplicate-element"]),
        .init(
            "R18.digest-id", "duplicate-digest-id", .fail, .reader, "9.1.2.4", "12.3.4", .core, "duplicate digestID <n> in <ns>",
            ["duplicate-digest-id"]),
        .init(
            "R18.range", "digest-id-range", .fail, .reader, "9.1.2.4", "12.3.4", .core, "digestID <n> ≥ 2^31", ["digest-id-range"]),
        .init(
            "R19", "signed-in-ds-validity", .fail, .reader, "9.3.1", "12.8.1-5", .core,
            "MSO signed at <t>, outside DS certificate validity", ["mso-signed-too-early"]),
        .init(
            "R20.now", "valid-from", .fail, .reader, "9.3.1", "12.8.1-5", .core, "not yet valid, from <t>", ["mso-not-yet-valid"]),
        .init(
            "R20.order", "valid-from-order", .fail, .reader, "9.1.2.4", "12.3.4", .core, "validFrom <a> before signed <b>",
            ["valid-from-order"]),
        .init("R21.now", "valid-until", .fail, .reader, "9.3.1", "12.8.1-5", .core, "expired at <t>", ["mso-expired"]),
        .init(
            "R21.order", "valid-until-order", .fail, .reader, "9.1.2.4", "12.3.4", .core, "validUntil not after validFrom",
            ["valid-until-order"]),
        .init(
            "R21.outlives", "outlives-signer", .warn, .reader, "9.1.2.4", "12.3.4", .core,
            "MSO outlives its signer certificate, <t>", ["outlives-signer"]),
        .init(
            "R22.mso", "mso-time-form", .fail, .reader, "9.1.2.4", "12.3.4", .core, "<member> has fraction or offset",
            ["mso-fraction"]),
        .init(
            "R22.element", "element-date-form", .fail, .reader, "7.2.1", "13.4.2", .core,
            "<element> is not tdate / full-date as its definition asks", ["full-date-untagged"]),
        .init(
            "R23.curve", "device-key-curve", .fail, .reader, "9.1.5.2", "12.7.2", .core,
            "device key curve <c> or algorithm not usable", ["device-key-curve"]),
        .init(
            "R23.point", "device-key-point", .fail, .reader, "9.1.3.4", "12.4.4", .core, "device key is not a point of <c>",
            ["device-key-point"]),
        .init(
            "R24.form", "device-auth-form", .fail, .reader, "9.1.3.4", "12.4.4", .core,
            "not exactly one of deviceSignature, deviceMac", ["device-auth-form"]),
        .init(
            "R24.alg", "device-auth-alg", .fail, .reader, "9.1.3.5–6", "12.4.5–6", .core,
            "algorithm <n> not protected or not allowed with <c>", ["device-auth-alg"]),
        .init(
            "R24.payload", "device-auth-detached", .fail, .reader, "9.1.3.5–6", "12.4.5–6", .core, "payload not null",
            ["device-auth-detached"]),
        .init(
            "R24.signature", "device-signature", .fail, .reader, "9.1.3.6", "12.8.2-2", .core,
            "device signature invalid; transcript hash <hex>[; verifies with <variant>]",
            ["device-signature-wrong", "transcript-other"]),
        .init(
            "R24.mac", "device-mac", .fail, .reader, "9.1.3.5", "12.8.2-2", .core, "device MAC invalid; transcript hash <hex>[; …]",
            ["mac-wrong-key"]),
        .init(
            "R24.mac-curve", "device-mac-curve", .fail, .reader, "9.1.3.5", "12.4.5", .core,
            "MAC with device key on <a>, session on <b>", ["device-mac-curve"]),
        .init(
            "R25.authorised", "device-signed-authorised", .fail, .reader, "9.1.3.4", "12.8.2-1", .core,
            "device-signed <ns>/<id> not authorised", ["device-signed-authorised"]),
        .init(
            "R25.table", "device-signed-mdl-element", .failInEdition1, .reader, "9.1.3.4", "13.4.2", .core,
            "<id> of the mDL table is device-signed", ["device-signed-mdl-element"]),
        .init("R26.missing", "requested-returned", .warn, .reader, nil, "10.2.8", .core, "missing: <list>", ["withhold-element"]),
        .init("R26.extra", "nothing-extra", .fail, .reader, nil, "10.3.3", .core, "not requested: <list>", ["extra-element"]),
        .init(
            "R27.country", "issuing-country", .fail, .reader, "7.2.1", "13.4.2", .core, "issuing_country <a>, DS certificate <b>",
            ["issuing-country"]),
        .init(
            "R27.jurisdiction", "issuing-jurisdiction", .fail, .reader, "7.2.1", "13.4.2", .core,
            "issuing_jurisdiction <a>, DS certificate <b>", ["issuing-jurisdiction"]),
        .init(
            "R28.status", "mso-status", .fail, .reader, nil, "12.3.6", .trust, "revoked / suspended / application-specific <n>",
            ["revoked", "suspended"]),
        .init(
            "R28.mdl-values", "mso-status-values", .fail, .reader, nil, "12.3.6", .trust,
            "mDL list uses bits <n> or a value other than 0, 1", ["status-bits-2"]),
        .init(
            "R29", "portrait-returned", .fail, .reader, "7.2.1", "13.4.2", .core,
            "portrait asked and withheld while <n> elements were returned", ["portrait-withheld"]),
        .init(
            "R30.nearest", "age-nearest", .fail, .reader, "7.2.5", "13.4.6", .core,
            "age_over_<nn>=<v> does not answer age_over_<NN>", ["age-wrong-direction"]),
        .init(
            "R30.count", "age-count", .warn, .reader, "7.2.5", "13.4.6", .core, "<n> age statements returned, 2 allowed",
            ["age-three"]),
        .init("R31", "mso-reused", .warn, .reader, nil, nil, .core, "MSO <hash> was seen before", ["mso-reuse"]),
    ]
}
