import Codec

/// The structures of ISO/IEC 18013-5 by the names of the standard.
extension Structure {
    // MARK: engagement

    static let deviceEngagement = Structure(
        "DeviceEngagement", "ISO/IEC 18013-5:2021 8.2.1.1",
        [
            .number(0, "version"), .number(1, "security", .structure(security)),
            .number(2, "device retrieval methods", .list(.structure(retrievalMethod))),
            .number(3, "server retrieval methods (1st edition)", .any), .number(4, "protocol info", .any),
            .number(5, "origin infos", .any),
            .number(6, "capabilities", .structure(capabilities)),
        ])

    private static let security = Structure(
        "Security", nil,
        Member.positions([("cipher suite", Meanings.cipherSuite), ("EDeviceKeyBytes", .embedded(.structure(coseKey)))]))

    private static let capabilities = Structure(
        "Capabilities", "WD2 9.1.2.5",
        [
            .number(2, "handover session establishment"), .number(3, "reader authentication of all requests"),
            .number(4, "extended requests"),
        ])

    private static let retrievalMethod = Structure(
        "DeviceRetrievalMethod", "8.2.1.1",
        Member.positions([
            (
                "type",
                Meanings.names([
                    1: "NFC", 2: "Bluetooth low energy", 3: "Wi-Fi Aware", 0x01_7762: "a stream, private to this product",
                ])
            ),
            ("version", .plain),
            ("options", .plain),
        ]),
        summary: methodSummary)

    /// Names the options by the type beside them.
    static func retrievalMethod(of item: CBOR) -> Structure {
        let options: Structure? =
            switch try? item[0].int() {
            case 1:
                Structure(
                    "NfcOptions", nil, [.number(0, "maximum command data length"), .number(1, "maximum response data length")])
            case 2: bleOptions
            case 3:
                Structure(
                    "WifiOptions", nil,
                    [
                        .number(0, "passphrase"), .number(1, "operating class"), .number(2, "channel number"),
                        .number(3, "supported bands"),
                    ])
            case 0x01_7762:
                Structure(
                    "StreamOptions", nil,
                    [.number(0, "peripheral server mode"), .number(1, "central client mode"), .number(2, "address")])
            default: nil
            }
        guard let options else { return retrievalMethod }
        let members = retrievalMethod.members.map { $0.name == "options" ? .number(2, "options", .structure(options)) : $0 }
        return Structure(retrievalMethod.name, retrievalMethod.clause, members, summary: methodSummary)
    }

    private static let bleOptions = Structure(
        "BleOptions", "8.2.1.1, table 1",
        [
            .number(0, "peripheral server mode"), .number(1, "central client mode"),
            .number(10, "UUID of peripheral server mode", Meanings.uuid),
            .number(11, "UUID of central client mode", Meanings.uuid), .number(20, "device address"), .number(21, "L2CAP PSM"),
        ])

    private static let methodSummary: @Sendable (CBOR) -> String? = { item in
        guard (try? item[0].int()) == 2, let options = try? item[2] else { return nil }
        let modes = [(0, "peripheral server mode"), (1, "central client mode")].filter { (try? options[$0.0].bool()) == true }.map(
            \.1)
        return "Bluetooth low energy, " + (modes.isEmpty ? "no mode" : "mdoc " + modes.joined(separator: " and "))
    }

    // MARK: session

    static let sessionEstablishment = Structure(
        "SessionEstablishment", "ISO/IEC 18013-5:2021 9.1.1.4",
        [.text("eReaderKey", .embedded(.structure(coseKey))), .text("data", .value { _ in "encrypted with SKReader" })])

    static let sessionData = Structure(
        "SessionData", "ISO/IEC 18013-5:2021 9.1.1.4",
        [.text("data", .value { _ in "encrypted with the sender's session key" }), .text("status", Meanings.sessionStatus)])

    static let sessionTranscript = Structure(
        "SessionTranscript", "ISO/IEC 18013-5:2021 9.1.5.1",
        Member.positions([
            ("DeviceEngagementBytes", .embedded(.structure(deviceEngagement))), ("EReaderKeyBytes", .embedded(.structure(coseKey))),
            ("Handover", .choice(handover)),
        ]))

    @Sendable private static func handover(_ item: CBOR) -> Shape {
        switch (item.kind, try? item[0].kind) {
        case (.null, _): .value { _ in "QR handover" }
        case (.array, .bytes):
            .structure(
                Structure(
                    "NFCHandover", "9.1.5.1",
                    Member.positions([
                        ("handover select message", .handoverMessage), ("handover request message", .handoverMessage),
                    ])))
        case (.array, .text):
            .structure(
                Structure(
                    (try? item[0].text()) ?? "Handover", "OpenID4VP 1.0 B.2.6",
                    [.number(0, "identifier"), .number(1, "digest of the handover info")]))
        default: .any
        }
    }

    // MARK: request

    static let deviceRequest = Structure(
        "DeviceRequest", "ISO/IEC 18013-5:2021 8.3.2.1.2.1",
        [
            .text("version"), .text("docRequests", .list(.structure(docRequest))),
            .text("deviceRequestInfo", .embedded(.structure(deviceRequestInfo))),
            .text("readerAuthAll", .list(.structure(coseSign1))),
        ])

    static let docRequest = Structure(
        "DocRequest", "8.3.2.1.2.1",
        [.text("itemsRequest", .embedded(.structure(itemsRequest))), .text("readerAuth", .structure(coseSign1))],
        summary: { try? $0["itemsRequest"].embedded()["docType"].text() })

    static let itemsRequest = Structure(
        "ItemsRequest", "8.3.2.1.2.1",
        [
            .text("docType"), .text("nameSpaces", .dictionary("name space", .dictionary("element", Meanings.intentToRetain))),
            .text("requestInfo", .any),
        ])

    private static let deviceRequestInfo = Structure(
        "DeviceRequestInfo", "WD2 10.2.5",
        [
            .text(
                "useCases",
                .list(
                    .structure(
                        Structure(
                            "UseCase", nil,
                            [
                                .text("mandatory"), .text("documentSets", .any),
                                .text("purposeHints", .dictionary("controller", Meanings.purpose)),
                            ]))))
        ])

    // MARK: response

    static let deviceResponse = Structure(
        "DeviceResponse", "ISO/IEC 18013-5:2021 8.3.2.1.2.2",
        [
            .text("version"), .text("documents", .list(.structure(document))), .text("zkDocuments", .any),
            .text("documentErrors", .list(.dictionary("document type", Meanings.errorCode))),
            .text("status", Meanings.responseStatus),
        ])

    static let document = Structure(
        "Document", "8.3.2.1.2.2",
        [
            .text("docType"), .text("issuerSigned", .structure(issuerSigned)), .text("deviceSigned", .structure(deviceSigned)),
            .text("errors", .dictionary("name space", .dictionary("element", Meanings.errorCode))),
        ],
        summary: { try? $0["docType"].text() })

    static let issuerSigned = Structure(
        "IssuerSigned", "8.3.2.1.2.2",
        [
            .text("nameSpaces", .dictionary("name space", .list(.embedded(.structure(issuerSignedItem))))),
            .text("issuerAuth", .structure(coseSign1)),
        ])

    static let issuerSignedItem = Structure(
        "IssuerSignedItem", "8.3.2.1.2.2",
        [.text("digestID"), .text("random"), .text("elementIdentifier"), .text("elementValue", .any)],
        summary: { try? $0["elementIdentifier"].text() })

    static let deviceSigned = Structure(
        "DeviceSigned", "8.3.2.1.2.2",
        [
            .text("nameSpaces", .embedded(.dictionary("name space", .dictionary("element", .any)))),
            .text("deviceAuth", .structure(deviceAuth)),
        ])

    static let deviceAuth = Structure(
        "DeviceAuth", "ISO/IEC 18013-5:2021 9.1.3",
        [.text("deviceSignature", .structure(coseSign1)), .text("deviceMac", .structure(coseMac0))])

    static let mobileSecurityObject = Structure(
        "MobileSecurityObject", "ISO/IEC 18013-5:2021 9.1.2.4",
        [
            .text("version"), .text("digestAlgorithm"),
            .text("valueDigests", .dictionary("name space", .dictionary("digestID", .plain))),
            .text(
                "deviceKeyInfo",
                .structure(
                    Structure(
                        "DeviceKeyInfo", nil,
                        [.text("deviceKey", .structure(coseKey)), .text("keyAuthorizations", .any), .text("keyInfo", .any)]))),
            .text("docType"),
            .text(
                "validityInfo",
                .structure(
                    Structure(
                        "ValidityInfo", nil, [.text("signed"), .text("validFrom"), .text("validUntil"), .text("expectedUpdate")]))),
            .text("status", .structure(status)),
        ],
        summary: { try? $0["docType"].text() })

    /// How to learn whether the document was revoked.
    static let status = Structure(
        "Status", "WD2 12.3.6",
        [
            .text(
                "status_list",
                .structure(
                    Structure(
                        "StatusListInfo", "Token Status List 6.3",
                        [.text("idx"), .text("uri"), .text("certificate", .certificates)]))),
            .text(
                "identifier_list",
                .structure(
                    Structure(
                        "IdentifierListInfo", "WD2 12.3.6.3", [.text("id"), .text("uri"), .text("certificate", .certificates)]))),
        ])

    // MARK: what is signed

    static let deviceAuthentication = Structure(
        "DeviceAuthentication", "ISO/IEC 18013-5:2021 9.1.3.4",
        Member.positions([
            ("context", .plain), ("SessionTranscript", .structure(sessionTranscript)), ("DocType", .plain),
            ("DeviceNameSpacesBytes", .embedded(.dictionary("name space", .dictionary("element", .any)))),
        ]))

    static let readerAuthentication = Structure(
        "ReaderAuthentication", "ISO/IEC 18013-5:2021 9.1.4.4",
        Member.positions([
            ("context", .plain), ("SessionTranscript", .structure(sessionTranscript)),
            ("ItemsRequestBytes", .embedded(.structure(itemsRequest))),
        ]))

    static let readerAuthenticationAll = Structure(
        "ReaderAuthenticationAll", "WD2 12.6.3",
        Member.positions([
            ("context", .plain), ("SessionTranscript", .structure(sessionTranscript)),
            ("ItemsRequestBytesAll", .list(.embedded(.structure(itemsRequest)))),
            ("DeviceRequestInfoBytes", .any),
        ]))
}
