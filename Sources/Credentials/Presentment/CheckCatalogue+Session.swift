extension CheckCatalogue {
    /// What either role sees of engagement, session and transport: P1–P52.
    static let session: [CheckDefinition] = [
        .init(
            "P1.scheme", "qr-scheme", .fail, .reader, "8.2.2.3", "9.3", .core, "not `mdoc:` (`mdoc://` and other schemes refused)",
            ["qr-scheme"]),
        .init(
            "P1.base64url", "qr-base64url", .fail, .reader, "8.2.2.3", "9.3", .core, "padding or foreign characters",
            ["qr-base64url"]),
        .init(
            "P2.cbor", "engagement-cbor", .fail, .reader, "8.2.1.1", "9.1", .core, "engagement is not valid CBOR at <path>",
            ["engagement-cbor"]),
        .init(
            "P2.shape", "engagement-shape", .fail, .reader, "8.2.1.1", "9.1", .core, "<key> missing or mistyped",
            ["engagement-shape"]),
        .init(
            "P3.major", "engagement-major", .fail, .reader, "8.2.1.1", "9.1", .core, "engagement major version <x>",
            ["engagement-major"]),
        .init(
            "P3.minor", "engagement-minor", .warnFromEdition2, .reader, "8.2.1.1", "9.1", .core,
            "version <v>, but keys 5/6 say <w>", ["engagement-minor"]),
        .init("P4", "cipher-suite", .fail, .reader, "9.1.5.2", "12.7.2", .core, "cipher suite <n> unknown", ["cipher-suite"]),
        .init(
            "P5.tag", "device-ekey-tag24", .fail, .reader, "9.1.1.4", "12.2.4", .core, "EDeviceKey is not tag 24",
            ["device-ekey-tag24"]),
        .init(
            "P5.curve", "device-ekey-curve", .fail, .reader, "9.1.1.4", "12.2.4", .core, "curve <c> not for ECDH",
            ["device-ekey-curve"]),
        .init(
            "P5.point", "device-ekey-point", .fail, .reader, "9.1.1.4", "12.2.4", .core, "not a point of <c>", ["device-ekey-point"]
        ),
        .init(
            "P6.present", "retrieval-present", .fail, .reader, "8.2.1.1", "9.1", .core, "no retrieval method in the QR",
            ["retrieval-present"]),
        .init(
            "P6.known", "retrieval-known", .fail, .reader, "8.2.1.1", "9.1", .core, "no retrieval method known here: <types>",
            ["retrieval-known"]),
        .init(
            "P7", "retrieval-duplicate", .fail, .reader, "8.2.1.1", "9.1", .core, "type <t> version <v> twice",
            ["retrieval-duplicate"]),
        .init(
            "P8.missing", "ble-uuid-missing", .fail, .reader, "8.3.3.1.1.2", "11.1.2", .core, "UUID of <mode> missing",
            ["ble-uuid-missing"]),
        .init(
            "P8.surplus", "ble-uuid-surplus", .fail, .reader, "8.3.3.1.1.2", "11.1.2", .core, "UUID of unsupported <mode>",
            ["ble-uuid-surplus"]),
        .init(
            "P8.length", "ble-uuid-length", .fail, .reader, "8.3.3.1.1.2", "11.1.2", .core, "UUID has <n> bytes",
            ["ble-uuid-length"]),
        .init(
            "P10", "ble-options-peripheral", .fail, .reader, "8.3.3.1.1.2", "11.1.2", .core,
            "address or PSM without peripheral mode", ["ble-options-peripheral"]),
        .init(
            "P9.distinct", "ble-uuid-distinct", .warn, .reader, nil, "11.1.3.1", .core, "both modes share one UUID",
            ["ble-uuid-distinct"]),
        .init(
            "P9.fresh", "ble-uuid-fresh", .fail, .reader, nil, "11.1.3.1", .core, "UUID was used in an earlier transaction",
            ["ble-uuid-fresh"]),
        .init(
            "P11", "device-ekey-fresh", .fail, .reader, "9.1.1.4", "12.2.4", .core, "EDeviceKey was seen before",
            ["engagement-replayed"]),
        .init(
            "P12.origins", "capabilities-need-origins", .failFromEdition2, .reader, nil, "9.1", .core, "key 6 without key 5",
            ["capabilities-need-origins"]),
        .init(
            "P12.true", "capability-true", .failFromEdition2, .reader, nil, "9.1", .core, "capability <n> present but false",
            ["capability-true"]),
        .init(
            "P13", "preferred-encoding", .warn, .both, "8.1", "8.3", .core,
            "<structure>: indefinite length or long head at <offset>", ["indefinite-map"]),
        .init("P14", "duplicate-map-key", .fail, .both, "8.1", "8.3", .core, "<structure>: key <k> twice", ["duplicate-map-key"]),
        .init(
            "P20", "service-advertised", .fail, .both, "8.3.3.1.1.3", "11.1.3.1", .ble, "no advertisement of <uuid> in <s> s",
            ["no-advertisement"]),
        .init(
            "P21.characteristic", "gatt-characteristic", .fail, .both, "8.3.3.1.1.4", "11.1.3.2", .ble, "<name> missing",
            ["gatt-characteristic"]),
        .init(
            "P21.property", "gatt-property", .fail, .both, "8.3.3.1.1.4", "11.1.3.2", .ble, "<name> lacks <property>",
            ["gatt-property"]),
        .init("P21.cccd", "gatt-cccd", .fail, .both, "8.3.3.1.1.4", "11.1.3.2", .ble, "descriptor 0x2902 missing", ["gatt-cccd"]),
        .init(
            "P22.start", "state-start", .fail, .both, "8.3.3.1.1.5", "11.1.3.3", .ble, "data before State 0x01", ["no-state-start"]),
        .init("P22.value", "state-value", .fail, .both, "8.3.3.1.1.5", "11.1.3.3", .ble, "unknown State <x>", ["state-unknown"]),
        .init(
            "P23", "subscribed-first", .warn, .both, "8.3.3.1.1.5", "11.1.3.3", .ble,
            "Start before subscription to State and Server2Client", ["subscribed-first"]),
        .init(
            "P25", "ident-length", .fail, .mdoc, "8.3.3.1.1.3", "11.1.3.1", .ble, "Ident has <n> bytes, 16 expected (absent: P21)",
            ["ident-length"]),
        .init(
            "P26.first", "part-first-byte", .fail, .both, "8.3.3.1.1.6", "11.1.3.4", .core, "part starts with <x>", ["part-byte-02"]
        ),
        .init(
            "P26.size", "part-size", .warn, .both, "8.3.3.1.1.6", "11.1.3.4", .core, "part of <n> bytes, allowed <m>",
            ["part-too-long"]),
        .init("P26.empty", "part-empty", .warn, .both, "8.3.3.1.1.6", "11.1.3.4", .core, "part without payload", ["part-empty"]),
        .init(
            "P27", "message-complete", .fail, .both, "8.3.3.1.1.8", "11.1.3.6", .core,
            "link lost after part <n> of an unfinished message", ["disconnect-after-part:<n>"]),
        .init(
            "P28", "transfer-end", .warn, .mdoc, "8.3.3.1.1.5", "11.1.3.3", .ble,
            "no State 0x02 at the end of data retrieval (status 20 only)", ["no-state-end"]),
        .init(
            "P29", "client-disconnects", .warn, .both, "8.3.3.1.1.7", "11.1.3.5", .ble,
            "GATT client stayed connected <s> s after the end", ["client-disconnects"]),
        .init(
            "P30", "no-resume", .fail, .both, "8.3.3.1.1.8", "11.1.3.6", .ble, "reconnected after Start into the old transaction",
            ["resume-after-start"]),
        .init(
            "P31", "second-peer", .warn, .both, nil, nil, .ble, "another central connected while one is served (refused)",
            ["second-central"]),
        .init(
            "P32", "mode-preference", .warn, .mdoc, nil, "11.1.3.1", .ble, "reader took peripheral mode although both were offered",
            ["mode-preference"]),
        .init(
            "P33.length", "l2cap-length", .fail, .both, nil, "11.1.4", .ble, "length header <n>, <m> bytes came", ["l2cap-length"]),
        .init("P33.psm", "l2cap-psm", .warn, .both, nil, "11.1.4", .ble, "PSM <n> not reachable, GATT used", ["l2cap-psm"]),
        .init(
            "P41", "counter-advances", .fail, .both, "9.1.1.5", "12.2.5", .core,
            "message <n> opens with counter <m>: counter not advanced", ["counter-reused"]),
        .init(
            "P42", "iv-identifier", .fail, .both, "9.1.1.5", "12.2.5", .core, "opens only with the other role's IV identifier",
            ["iv-swapped"]),
        .init(
            "P43", "error-answered", .fail, .reader, "9.1.1.4", "12.2.4", .core,
            "bad establishment met with silence, status 10 or 11 expected", ["silent-drop"]),
        .init(
            "P44", "first-message", .fail, .mdoc, "9.1.1.4", "12.2.4", .core,
            "first message is not a session establishment, or a second one came", ["first-message"]),
        .init(
            "P45", "nothing-after-end", .fail, .both, "9.1.1.4", "12.2.4", .core, "data after session termination",
            ["data-after-termination"]),
        .init(
            "P46", "reader-answers", .fail, .mdoc, "9.1.1.4", "12.2.4", .core,
            "reader closed without status, State 0x02 or new request; response delivered", ["reader-no-termination"]),
        .init(
            "P47", "early-termination", .warn, .reader, "9.1.1.4", "12.2.4", .core,
            "status 20 came with response <n> while more requests were planned", ["status-20-early"]),
        .init(
            "P48.engagement", "engagement-timeout", .warn, .both, nil, "9.4", .core, "peer gave up after <s> s (≥ 30 s)",
            ["engagement-timeout"]),
        .init(
            "P48.idle", "idle-timeout", .warn, .both, nil, "12.2.4", .core, "peer gave up after <s> s idle (≥ 300 s)",
            ["idle-timeout"]),
        .init(
            "P49", "single-key-use", .fail, .both, "9.1.3.4", "12.4.4", .core, "one device key made both MAC and signature",
            ["single-key-use"]),
        .init(
            "P50", "nfc-handover-decodes", .fail, .reader, "8.2.2.1", "9.2", .core, "handover message malformed",
            ["nfc-handover-decodes"]),
        .init("P51", "nfc-record-types", .fail, .reader, "8.2.2.1", "9.2", .core, "record <type> missing", ["nfc-record-types"]),
        .init("P52", "nfc-uuid-order", .fail, .reader, "8.2.2.2", "9.2", .core, "OOB UUID is big-endian", ["nfc-uuid-order"]),
    ]
}
