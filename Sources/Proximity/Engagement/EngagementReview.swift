import Codec
public import Credentials
public import Crypto
public import Ports

/// What a reader has met before, so that a copied engagement does not pass as a new one.
public struct EngagementHistory: Sendable, Hashable {
    /// Service UUIDs of earlier transactions, 16 bytes each.
    public var serviceUUIDs: Set<[UInt8]>
    /// EDeviceKeyBytes of earlier transactions.
    public var eDeviceKeys: Set<[UInt8]>

    /// By default nothing was met before.
    public init(serviceUUIDs: Set<[UInt8]> = [], eDeviceKeys: Set<[UInt8]> = []) {
        (self.serviceUUIDs, self.eDeviceKeys) = (serviceUUIDs, eDeviceKeys)
    }
}

/// An engagement as a reader judges it: checks P1–P14.
public struct EngagementReview: Sendable {
    /// Nil when the text or its bytes cannot be read.
    public private(set) var engagement: DeviceEngagement?
    /// The mdoc's key; nil when it cannot be used. A session needs it.
    public private(set) var eDeviceKey: PublicKey?
    /// One row for each of P1–P14.
    public private(set) var checks: CheckList

    private static let subject = "engagement"
    private let edition: Edition

    /// Reviews the text of a QR code.
    public init(text: String, edition: Edition, history: EngagementHistory = EngagementHistory()) {
        self.init(edition: edition)
        do throws(EngagementText.Refusal) {
            let bytes = try EngagementText.decode(text)
            pass("P1.scheme", "P1.base64url")
            review(bytes, isFromQR: true, history)
        } catch {
            refuse(error)
        }
    }

    /// Reviews an engagement that came by other ways than a QR code.
    /// - Parameter bytes: a DeviceEngagement without tag.
    public init(bytes: [UInt8], edition: Edition, history: EngagementHistory = EngagementHistory()) {
        self.init(edition: edition)
        notRun(["P1.scheme", "P1.base64url"], .notPresent)
        review(bytes, isFromQR: false, history)
    }

    private init(edition: Edition) {
        self.edition = edition
        checks = CheckList(edition: edition)
    }

    /// Whether a session can be tried: the key is usable and neither version nor suite is of another world.
    public var isUsable: Bool {
        eDeviceKey != nil && checks.checks.allSatisfy { !["P3.major", "P4"].contains($0.id) || $0.outcome != .fail }
    }

    private static let afterText = ["P1.base64url", "P2.cbor"] + afterCBOR
    private static let afterCBOR = ["P13", "P14", "P2.shape"] + afterShape
    private static let afterShape = [
        "P3.major", "P3.minor", "P4", "P5.tag", "P5.curve", "P5.point", "P6.present", "P6.known", "P7", "P8.missing", "P8.surplus",
        "P8.length", "P10", "P9.distinct", "P9.fresh", "P11", "P12.origins", "P12.true",
    ]

    private mutating func pass(_ ids: String...) {
        for id in ids { checks.pass(id, Self.subject) }
    }

    private mutating func notRun(_ ids: [String], _ why: NotRunReason) {
        for id in ids { checks.notRun(id, Self.subject, why) }
    }

    private mutating func check(_ id: String, _ isRight: Bool, _ values: @autoclosure () -> [String]) {
        if isRight { checks.pass(id, Self.subject) } else { checks.fail(id, Self.subject, values: values()) }
    }

    private mutating func refuse(_ refusal: EngagementText.Refusal) {
        switch refusal {
        case .scheme(let found):
            checks.fail("P1.scheme", Self.subject, "not `mdoc:` but \(found)")
            notRun(Self.afterText, .needs("P1.scheme"))
        case .base64url(let what):
            pass("P1.scheme")
            checks.fail("P1.base64url", Self.subject, what)
            notRun(Array(Self.afterText.dropFirst()), .needs("P1.base64url"))
        }
    }

    private mutating func review(_ bytes: [UInt8], isFromQR: Bool, _ history: EngagementHistory) {
        guard let cbor = decode(bytes) else { return }
        do {
            let engagement = try DeviceEngagement(cbor)
            pass("P2.shape")
            self.engagement = engagement
            reviewSecurity(engagement, history)
            reviewMethods(engagement, isFromQR: isFromQR, history)
            reviewCapabilities(engagement)
        } catch {
            checks.fail("P2.shape", Self.subject, error.description)
            notRun(Self.afterShape, .needs("P2.shape"))
        }
    }

    private mutating func decode(_ bytes: [UInt8]) -> CBOR? {
        do {
            let cbor = try CBOR(decoding: bytes)
            pass("P2.cbor", "P14")
            check("P13", cbor.usesPreferredEncoding, ["engagement", cbor.firstNonPreferredOffset.map(String.init) ?? ""])
            return cbor
        } catch {
            if case .duplicateKey(let key) = error.reason {
                checks.fail("P14", Self.subject, values: ["engagement", key])
                notRun(["P2.cbor", "P13", "P2.shape"] + Self.afterShape, .needs("P14"))
            } else {
                checks.fail("P2.cbor", Self.subject, values: ["\(error.path)"], detail: error.description)
                notRun(Self.afterCBOR, .needs("P2.cbor"))
            }
            return nil
        }
    }

    private mutating func reviewSecurity(_ engagement: DeviceEngagement, _ history: EngagementHistory) {
        if engagement.version.hasPrefix("1.") {
            pass("P3.major")
            let wanted = engagement.originInfos == nil && engagement.capabilities == nil ? "1.0" : "1.1"
            check("P3.minor", engagement.version == wanted, [engagement.version, wanted])
        } else {
            checks.fail("P3.major", Self.subject, values: [engagement.version])
            notRun(["P3.minor"], .needs("P3.major"))
        }
        check("P4", engagement.cipherSuite == 1, [String(engagement.cipherSuite)])
        check("P11", !history.eDeviceKeys.contains(engagement.eDeviceKeyBytes), [])
        reviewKey(engagement)
    }

    private mutating func reviewKey(_ engagement: DeviceEngagement) {
        guard let item = try? CBOR(decoding: engagement.eDeviceKeyBytes), let content = try? item.tagged(24), content.kind == .bytes
        else {
            checks.fail("P5.tag", Self.subject, values: [])
            return notRun(["P5.curve", "P5.point"], .needs("P5.tag"))
        }
        pass("P5.tag")
        do throws(EphemeralKeyBytes.Refusal) {
            eDeviceKey = try EphemeralKeyBytes(item).publicKey
            pass("P5.curve", "P5.point")
        } catch {
            refuse(error)
        }
    }

    private mutating func refuse(_ refusal: EphemeralKeyBytes.Refusal) {
        switch refusal {
        case .curve(let name):
            checks.fail("P5.curve", Self.subject, values: [name])
            notRun(["P5.point"], .needs("P5.curve"))
        case .point(let curve, let detail):
            pass("P5.curve")
            checks.fail("P5.point", Self.subject, values: [curve], detail: detail)
        case .shape(let what):
            checks.fail("P5.curve", Self.subject, "EDeviceKey is no COSE_Key: \(what)")
            notRun(["P5.point"], .needs("P5.curve"))
        }
    }

    private mutating func reviewMethods(_ engagement: DeviceEngagement, isFromQR: Bool, _ history: EngagementHistory) {
        let methods = engagement.retrievalMethods ?? []
        if !methods.isEmpty {
            pass("P6.present")
            let isKnown = methods.contains { if case .other = $0 { false } else { true } }
            check("P6.known", isKnown, [methods.map { String($0.type) }.joined(separator: ", ")])
        } else if isFromQR {
            checks.fail("P6.present", Self.subject, values: [])
            notRun(["P6.known"], .needs("P6.present"))
        } else {
            notRun(["P6.present", "P6.known"], .notPresent)
        }
        reviewDuplicates(methods)
        let options = methods.compactMap { if case .ble(let options) = $0 { options } else { nil } }
        guard !options.isEmpty else {
            return notRun(["P8.missing", "P8.surplus", "P8.length", "P10", "P9.distinct", "P9.fresh"], .notPresent)
        }
        reviewBLE(options, history)
    }

    private mutating func reviewDuplicates(_ methods: [RetrievalMethod]) {
        let kinds = methods.map { [$0.type, $0.version] }
        let twice = kinds.indices.first { kinds[..<$0].contains(kinds[$0]) }.map { kinds[$0] }
        check("P7", twice == nil, twice.map { $0.map(String.init) } ?? [])
    }

    private mutating func reviewBLE(_ options: [BLEOptions], _ history: EngagementHistory) {
        let modes = options.flatMap { option in
            [
                ("peripheral server mode", option.supportsPeripheralServer, option.peripheralServerUUID),
                ("central client mode", option.supportsCentralClient, option.centralClientUUID),
            ]
        }
        let missing = modes.first { $0.1 && $0.2 == nil }
        check("P8.missing", missing == nil, [missing?.0 ?? ""])
        let surplus = modes.first { !$0.1 && $0.2 != nil }
        check("P8.surplus", surplus == nil, [surplus?.0 ?? ""])
        let uuids = modes.compactMap(\.2)
        let odd = uuids.first { $0.count != 16 }
        check("P8.length", odd == nil, [String(odd?.count ?? 0)])
        check("P10", options.allSatisfy { $0.supportsPeripheralServer || ($0.deviceAddress == nil && $0.psm == nil) }, [])
        guard !uuids.isEmpty else { return notRun(["P9.distinct", "P9.fresh"], .needs("P8.missing")) }
        check("P9.distinct", Set(uuids).count == uuids.count, [])
        check("P9.fresh", history.serviceUUIDs.isDisjoint(with: uuids), [])
    }

    private mutating func reviewCapabilities(_ engagement: DeviceEngagement) {
        guard let capabilities = engagement.capabilities else { return notRun(["P12.origins", "P12.true"], .notPresent) }
        check("P12.origins", engagement.originInfos != nil, [])
        let stated = capabilities.filter { !$0.value }.keys.sorted().first
        check("P12.true", stated == nil, [stated.map(String.init) ?? ""])
    }
}
