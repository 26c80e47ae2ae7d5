/// The named faults of engagement, session and transport (`--fault`): what a role does wrong on purpose, and the checks that must see it.
public enum SessionFault: String, Sendable, Hashable, CaseIterable {
    // Engagement, made by the mdoc.
    case qrScheme = "qr-scheme"
    case qrBase64url = "qr-base64url"
    case engagementCBOR = "engagement-cbor"
    case engagementShape = "engagement-shape"
    case engagementMajor = "engagement-major"
    case engagementMinor = "engagement-minor"
    case cipherSuite = "cipher-suite"
    case deviceKeyTag = "device-ekey-tag24"
    case deviceKeyCurve = "device-ekey-curve"
    case deviceKeyPoint = "device-ekey-point"
    case engagementReplayed = "engagement-replayed"
    case retrievalPresent = "retrieval-present"
    case retrievalKnown = "retrieval-known"
    case retrievalDuplicate = "retrieval-duplicate"
    case bleUUIDMissing = "ble-uuid-missing"
    case bleUUIDSurplus = "ble-uuid-surplus"
    case bleUUIDLength = "ble-uuid-length"
    case bleUUIDDistinct = "ble-uuid-distinct"
    case bleUUIDFresh = "ble-uuid-fresh"
    case bleOptionsPeripheral = "ble-options-peripheral"
    case capabilitiesNeedOrigins = "capabilities-need-origins"
    case capabilityTrue = "capability-true"
    // Session, mdoc.
    case sessionDataTruncated = "session-data-truncated"
    case sessionDataAsArray = "session-data-as-array"
    case sessionDataBitflip = "session-data-bitflip"
    case sendStatus10 = "send-status-10"
    case statusUnknown = "peer-status-unknown"
    case statusWithData = "peer-status-with-data"
    case closeBeforeResponse = "close-before-response"
    case closeAfterResponse = "close-after-response"
    case status20Early = "status-20-early"
    case silentDrop = "silent-drop"
    case singleKeyUse = "single-key-use"
    // Session, reader.
    case establishmentTruncated = "establishment-truncated"
    case snakeCaseKey = "e-reader-key-snake-case"
    case readerKeyCurve = "reader-key-curve"
    case readerKeyPoint = "reader-key-point"
    case readerKeyCompressed = "reader-key-uncompressed"
    case requestBitflip = "request-bitflip"
    case requestCounterReused = "request-counter-reused"
    case firstMessage = "first-message"
    case readerNoTermination = "reader-no-termination"
    case engagementTimeout = "engagement-timeout"
    case idleTimeout = "idle-timeout"
    // Either.
    case counterReused = "counter-reused"
    case ivSwapped = "iv-swapped"
    case dataAfterTermination = "data-after-termination"
    case indefiniteMap = "indefinite-map"
    case duplicateMapKey = "duplicate-map-key"
    case partByte02 = "part-byte-02"
    case partTooLong = "part-too-long"
    case partEmpty = "part-empty"
    case disconnectAfterPart = "disconnect-after-part"
    // Bluetooth, whoever is GATT server.
    case noAdvertisement = "no-advertisement"
    case gattCharacteristic = "gatt-characteristic"
    case gattProperty = "gatt-property"
    case gattDescriptor = "gatt-cccd"
    case l2capPSM = "l2cap-psm"
    // Bluetooth, whoever is GATT client.
    case subscribedFirst = "subscribed-first"
    case clientDisconnects = "client-disconnects"
    case resumeAfterStart = "resume-after-start"
    case secondCentral = "second-central"
    // Transfer, either.
    case noStateStart = "no-state-start"
    case stateUnknown = "state-unknown"
    case l2capLength = "l2cap-length"
    // Transfer, reader.
    case identLength = "ident-length"
    case identOtherSession = "ident-other-session"
    case noStateEnd = "no-state-end"
    case modePreference = "mode-preference"

    /// Who can do it.
    public var roles: Set<MdocRole> {
        switch self {
        case .establishmentTruncated, .snakeCaseKey, .readerKeyCurve, .readerKeyPoint, .readerKeyCompressed, .requestBitflip,
            .requestCounterReused, .firstMessage, .readerNoTermination, .engagementTimeout, .idleTimeout, .identLength,
            .identOtherSession, .noStateStart, .noStateEnd, .modePreference:
            // Who is client and speaks first is the reader in peripheral mode.
            [.reader]
        case .counterReused, .ivSwapped, .dataAfterTermination, .indefiniteMap, .duplicateMapKey, .partByte02, .partTooLong,
            .partEmpty, .disconnectAfterPart, .noAdvertisement, .gattCharacteristic, .gattProperty, .gattDescriptor, .l2capPSM,
            .subscribedFirst, .clientDisconnects, .resumeAfterStart, .secondCentral, .stateUnknown, .l2capLength:
            [.mdoc, .reader]
        default:
            [.mdoc]
        }
    }

    /// Checks that may fail or warn along with those that the catalogue names, on either side: what the message is then unfit for, and
    /// what the role that made the mistake hears of it from its peer.
    public var also: [String] {
        switch self {
        case .sessionDataTruncated, .sessionDataAsArray, .sessionDataBitflip, .sendStatus10, .silentDrop, .idleTimeout, .partByte02,
            .disconnectAfterPart, .noStateStart, .l2capLength:
            ["R4.before"]
        case .stateUnknown: ["R4.before", "P48.engagement"]
        case .identLength: ["H1"]
        case .resumeAfterStart: ["P48.engagement", "P48.idle", "P46", "R4.before"]
        case .statusWithData, .establishmentTruncated, .snakeCaseKey, .readerKeyCurve, .readerKeyPoint, .requestBitflip:
            ["R3.error", "R4.before"]
        case .firstMessage: ["H2.shape", "R3.error", "R4.before"]
        case .requestCounterReused: ["H3", "P41", "R3.error"]
        case .counterReused: ["H3", "H15", "R2", "R3.error", "R4.before"]
        case .ivSwapped: ["H3", "R2", "R3.error", "R4.before"]
        case .duplicateMapKey: ["H2.cbor", "R1.cbor", "R3.error", "R4.before"]
        default: []
        }
    }

    /// Whether a number has to follow its name.
    public var takesNumber: Bool { self == .disconnectAfterPart }

    /// What it does, in a few words.
    public var summary: String {
        switch self {
        case .qrScheme: "QR text begins with mdoc://"
        case .qrBase64url: "QR text ends in padding"
        case .engagementCBOR: "the engagement lacks its last byte"
        case .engagementShape: "the engagement has no Security"
        case .engagementMajor: "engagement version 2.0"
        case .engagementMinor: "an engagement version that does not fit keys 5 and 6"
        case .cipherSuite: "cipher suite 2"
        case .deviceKeyTag: "EDeviceKey in a plain byte string"
        case .deviceKeyCurve: "EDeviceKey on a curve for signatures"
        case .deviceKeyPoint: "EDeviceKey is no point"
        case .engagementReplayed: "the same EDeviceKey every time"
        case .retrievalPresent: "no retrieval method"
        case .retrievalKnown: "only a retrieval method of type 99"
        case .retrievalDuplicate: "every retrieval method twice"
        case .bleUUIDMissing: "a BLE method without the UUID of its mode"
        case .bleUUIDSurplus: "a BLE method with a UUID of a mode it does not support"
        case .bleUUIDLength: "a BLE UUID of 15 bytes"
        case .bleUUIDDistinct: "one UUID for both BLE modes"
        case .bleUUIDFresh: "the same BLE UUID every time"
        case .bleOptionsPeripheral: "a PSM without peripheral mode"
        case .capabilitiesNeedOrigins: "capabilities without origin infos"
        case .capabilityTrue: "a capability that is false"
        case .sessionDataTruncated: "the response message lacks its last bytes"
        case .sessionDataAsArray: "the response message is an array"
        case .sessionDataBitflip: "one bit of the response's tag is wrong"
        case .sendStatus10: "status 10 instead of a response"
        case .statusUnknown: "status 42 with the response"
        case .statusWithData: "status 10 with the response"
        case .closeBeforeResponse: "disconnects instead of answering"
        case .closeAfterResponse: "disconnects right after the response"
        case .status20Early: "ends the session with the first response"
        case .silentDrop: "drops a bad establishment without a status"
        case .singleKeyUse: "one device key signs one response and authenticates the next by MAC"
        case .establishmentTruncated: "the establishment lacks its last bytes"
        case .snakeCaseKey: "e_reader_key instead of eReaderKey"
        case .readerKeyCurve: "EReaderKey on another curve"
        case .readerKeyPoint: "EReaderKey is no point"
        case .readerKeyCompressed: "EReaderKey is compressed"
        case .requestBitflip: "one bit of the request's tag is wrong"
        case .requestCounterReused: "further requests reuse the first one's counter"
        case .firstMessage: "begins with SessionData"
        case .readerNoTermination: "disconnects without a word after the response"
        case .engagementTimeout: "gives up right after connecting"
        case .idleTimeout: "gives up right after asking"
        case .counterReused: "the counter does not advance"
        case .ivSwapped: "messages carry the other role's IV identifier"
        case .dataAfterTermination: "sends a message after ending the session"
        case .indefiniteMap: "session messages are indefinite-length maps"
        case .duplicateMapKey: "session messages have a key twice"
        case .partByte02: "the first part starts with 0x02"
        case .partTooLong: "the first two parts come in one"
        case .partEmpty: "an empty part before the first"
        case .disconnectAfterPart: "disconnects after part ARG of its messages"
        case .noAdvertisement: "offers the service and does not advertise it"
        case .gattCharacteristic: "the service has no Server2Client"
        case .gattProperty: "Client2Server lacks write without response"
        case .gattDescriptor: "no descriptor 0x2902 (BlueZ adds it by itself: only between radios in memory)"
        case .l2capPSM: "the L2CAP characteristic names a PSM that nobody listens on"
        case .subscribedFirst: "writes State 0x01 before it subscribes"
        case .clientDisconnects: "stays connected after the end"
        case .resumeAfterStart: "disconnects after State 0x01 and comes back into the same transaction"
        case .secondCentral: "another central writes while one is served (only between radios in memory)"
        case .noStateStart: "sends data with no State 0x01"
        case .stateUnknown: "State 0x07"
        case .l2capLength: "a message on the L2CAP channel is longer than its header says"
        case .identLength: "Ident of 15 bytes"
        case .identOtherSession: "Ident of another session"
        case .noStateEnd: "status 20 with no State 0x02 after it"
        case .modePreference: "takes peripheral mode although both are offered"
        }
    }
}

/// Faults switched on, with their arguments.
public struct FaultSet: Sendable, Hashable {
    private let arguments: [SessionFault: String]

    /// Each fault with what stood behind its colon, empty for nothing.
    public init(_ faults: [SessionFault: String] = [:]) { arguments = faults }

    /// Whether the fault is switched on.
    public func contains(_ fault: SessionFault) -> Bool { arguments[fault] != nil }
    /// The number behind the colon, where there is one.
    public func number(of fault: SessionFault) -> Int? { arguments[fault].flatMap { Int($0) } }
    /// In the order of the table.
    public var names: [String] { SessionFault.allCases.filter(contains).map(\.rawValue) }
    /// Whether everything goes right.
    public var isEmpty: Bool { arguments.isEmpty }

    /// The mistake to make when sealing message `ordinal` of this role, from 1.
    func misuse(role: MdocRole, ordinal: Int) -> SessionCipher.Misuse? {
        if contains(.ivSwapped) { return .swappedIdentifier }
        if contains(.counterReused) || (role == .reader && ordinal > 1 && contains(.requestCounterReused)) {
            return .repeatedCounter
        }
        return nil
    }
}
