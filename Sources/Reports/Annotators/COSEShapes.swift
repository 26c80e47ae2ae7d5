import Codec

/// COSE (RFC 9052), CWT (RFC 8392), status lists and VICALs.
extension Structure {
    static let coseKey = Structure(
        "COSE_Key", "RFC 9052 7",
        [
            .number(1, "kty", Meanings.keyType), .number(2, "kid"), .number(3, "alg", Meanings.algorithm),
            .number(4, "key_ops", .any),
            .number(-1, "crv", Meanings.curve), .number(-2, "x"),
            .number(-3, "y", .value { $0.kind == .bool ? "compressed: whether y is odd" : nil }),
            .number(-4, "d", .secret),
        ],
        summary: Meanings.coseKey)

    static let coseSign1 = Structure(
        "COSE_Sign1", "RFC 9052 4.2",
        Member.positions([
            ("protected", .wrapped(.structure(headers))), ("unprotected", .structure(headers)), ("payload", payload),
            ("signature", .plain),
        ]),
        summary: { (try? $0[2].isNull) == true ? "detached payload" : nil })

    static let coseMac0 = Structure(
        "COSE_Mac0", "RFC 9052 6.2",
        Member.positions([
            ("protected", .wrapped(.structure(headers))), ("unprotected", .structure(headers)), ("payload", payload),
            ("tag", .plain),
        ]),
        summary: { (try? $0[2].isNull) == true ? "detached payload" : nil })

    private static let payload = Shape.choice { $0.isNull ? .value { _ in "detached" } : .wrapped(.any) }

    private static let headers = Structure(
        "headers", "RFC 9052 3.1",
        [
            .number(1, "alg", Meanings.algorithm), .number(2, "crit", .any), .number(3, "content type"), .number(4, "kid"),
            .number(5, "IV"),
            .number(15, "CWT claims", .structure(cwtClaims)), .number(16, "typ"), .number(33, "x5chain", .certificates),
            .number(34, "x5t", .any),
            .number(35, "x5u", .any),
        ])

    static let sigStructure = Structure(
        "Sig_structure", "RFC 9052 4.4",
        Member.positions([
            ("context", .plain), ("body_protected", .wrapped(.structure(headers))), ("external_aad", .plain),
            ("payload", .wrapped(.any)),
        ]))

    static let macStructure = Structure(
        "MAC_structure", "RFC 9052 6.3",
        Member.positions([
            ("context", .plain), ("protected", .wrapped(.structure(headers))), ("external_aad", .plain),
            ("payload", .wrapped(.any)),
        ]))

    static let cwtClaims = Structure(
        "CWT claims", "RFC 8392 3.1",
        [
            .number(1, "iss"), .number(2, "sub"), .number(3, "aud"), .number(4, "exp", Meanings.numericDate),
            .number(5, "nbf", Meanings.numericDate),
            .number(6, "iat", Meanings.numericDate), .number(7, "cti"), .number(8, "cnf", .any),
            .number(65533, "status_list", .structure(statusList)),
            .number(65534, "ttl", .value { item in (try? item.uint()).map { "\($0) seconds" } }),
            .number(65530, "identifier_list", .structure(identifierList)),
        ])

    static let statusList = Structure(
        "StatusList", "Token Status List 4.3",
        [
            .text("bits", .value { item in (try? item.uint()).map { "\($0) bits a document" } }), .text("lst", Meanings.statusBits),
            .text("aggregation_uri"),
        ])

    static let identifierList = Structure(
        "IdentifierList", "WD2 12.3.6.3", [.text("identifiers", .dictionary("identifier", .any)), .text("aggregation_uri")])

    // MARK: VICAL

    static let vical = Structure(
        "VICAL", "ISO/IEC 18013-5:2021 C.1.7",
        [
            .text("version"), .text("vicalProvider"), .text("date"), .text("vicalIssueID"), .text("nextUpdate"), .text("vicalUrl"),
            .text("certificateInfos", .list(.structure(certificateInfo))), .text("extensions", .any),
        ],
        summary: { item in
            guard let provider = try? item["vicalProvider"].text(), let infos = try? item["certificateInfos"] else { return nil }
            return "\(infos.count) certificates listed by \(provider)"
        })

    static let rical = Structure(
        "RICAL", "ISO/IEC WD 18013-5 F.3",
        [
            .text("version"), .text("provider"), .text("date"), .text("type"), .text("id"), .text("nextUpdate"),
            .text("certificateInfos", .list(.structure(certificateInfo))), .text("extensions", .any),
        ],
        summary: { item in
            guard let provider = try? item["provider"].text(), let infos = try? item["certificateInfos"] else { return nil }
            return "\(infos.count) certificates of authorities of readers listed by \(provider)"
        })

    // MARK: ETSI TS 119 475

    static let registration = Structure(
        "registration certificate", "ETSI TS 119 475 5.2",
        [
            .number(2, "sub"), .number(4, "exp", Meanings.numericDate), .number(6, "iat", Meanings.numericDate),
            .number(65535, "status", .any), .text("name"), .text("sub_ln"), .text("country"), .text("registry_uri"),
            .text("purpose", .any), .text("entitlements", .list(.plain)), .text("credentials", .any),
            .text("provides_attestations", .any), .text("privacy_policy"),
        ],
        summary: { item in
            guard let name = try? item["name"].text() else { return nil }
            return "\(name)\((try? item["country"].text()).map { " (\($0))" } ?? "")"
        })

    private static let certificateInfo = Structure(
        "CertificateInfo", "C.1.7",
        [
            .text("certificate", .certificates), .text("serialNumber"), .text("ski"), .text("docType", .list(.plain)),
            .text("certificateProfile", .list(.plain)),
            .text("issuingAuthority"), .text("issuingCountry"), .text("stateOrProvinceName"), .text("issuer", .name),
            .text("subject", .name),
            .text("notBefore"), .text("notAfter"), .text("extensions", .any),
        ],
        summary: CertificateAnnotator.subject)
}
