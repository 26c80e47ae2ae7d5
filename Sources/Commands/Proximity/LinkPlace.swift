import BlueZ
import Ports
import Proximity

/// A place where a session is held, ready to be opened.
struct LinkPlace: Sendable {
    let endpoint: any LinkEndpoint
    /// For people: an address, or the adapter and the mode.
    let description: String
    /// What may go wrong there by the machine's settings; nil when nothing.
    let caveat: String?

    static let mend = "walletbench doctor shows the lines of main.conf that are missing"

    /// Whether a transfer that was not kept in order, or lost parts, can show so.
    static func mayExplain(_ failure: any Error) -> Bool {
        switch failure {
        case let error as SessionError:
            switch error.reason {
            case .cbor, .shape, .decryption, .notEstablishment: true
            default: false
            }
        case LinkError.partFirstByte, LinkError.timedOut, LinkError.lost(.afterPart), LinkError.messageTooLong: true
        default: false
        }
    }

    /// How the two ends go about Bluetooth.
    struct Bluetooth: Sendable {
        /// `peripheral`, `central`, `both`; nil lets this end choose.
        var mode: String?
        var channels = ChannelUse.preferred
        /// How long to wait or look for the peer; nil does so for ever.
        var seconds: Int?
        /// Whether the engagement names the PSM (2nd edition).
        var namesPSM = false
    }

    /// Where an mdoc waits for its reader.
    /// - Parameter wishes: no mode is peripheral; over Bluetooth both where the machine does not serve long messages well.
    static func holder(
        _ choice: LinkChoice, _ wishes: Bluetooth, random: any RandomSource, fitting: LinkFitting
    ) async throws(LinkError) -> LinkPlace {
        switch choice {
        case .stream(let address):
            let listener = try await SocketListener(
                address, mode: wishes.mode.flatMap(GATTMode.init) ?? .peripheral, engagementSeconds: wishes.seconds,
                fitting: fitting)
            return LinkPlace(endpoint: listener, description: listener.address.description, caveat: nil)
        case .bluetooth(let adapter):
            let radio = try await RadioSource.open(adapter, needsAdvertising: wishes.mode != GATTMode.central.rawValue)
            let mode = wishes.mode ?? (radio.servesLongMessages ? GATTMode.peripheral.rawValue : "both")
            let isServer = mode != GATTMode.central.rawValue
            return LinkPlace(
                endpoint: try await holder(radio, mode, wishes, random, fitting),
                description: "\(radio.name), Bluetooth mode \(mode)",
                caveat: wishes.channels == .only ? nil : radio.caveat(isServer: isServer))
        }
    }

    private static func holder(
        _ radio: any BluetoothRadio, _ mode: String, _ wishes: Bluetooth, _ random: any RandomSource, _ fitting: LinkFitting
    ) async throws(LinkError) -> any LinkEndpoint {
        let central = CentralEndpoint(
            radio, mode: .central, uuid: BluetoothUUID(random: random), seconds: wishes.seconds, channels: wishes.channels,
            fitting: fitting)
        guard mode != GATTMode.central.rawValue else { return central }
        let peripheral = try await PeripheralEndpoint(
            radio, mode: .peripheral, uuid: BluetoothUUID(random: random), seconds: wishes.seconds, channels: wishes.channels,
            namesPSM: wishes.namesPSM, fitting: fitting)
        return mode == GATTMode.peripheral.rawValue ? peripheral : BothModesEndpoint(peripheral, central)
    }

    /// Where a reader meets an mdoc by Bluetooth.
    /// - Parameter wishes: of two offered modes, no mode is central, as the 2nd edition advises.
    static func reader(
        _ adapter: AdapterChoice, _ options: BLEOptions, _ wishes: Bluetooth, fitting: LinkFitting
    ) async throws(CommandError) -> LinkPlace {
        let mode = wishes.mode.flatMap(GATTMode.init)
        let offered = [
            options.supportsCentralClient ? options.centralClientUUID.map { (GATTMode.central, $0) } : nil,
            options.supportsPeripheralServer ? options.peripheralServerUUID.map { (GATTMode.peripheral, $0) } : nil,
        ].compactMap { $0 }
        // The fault is to take the other one.
        let ordered = fitting.prefersPeripheral ? offered.reversed() : offered
        guard let (mode, bytes) = ordered.first(where: { mode == nil || $0.0 == mode }) else {
            throw .refused("the engagement does not offer Bluetooth\(mode.map { " in \($0.rawValue) mode" } ?? " in any mode")")
        }
        guard let uuid = BluetoothUUID(bytes: bytes) else {
            throw .refused("the Bluetooth UUID of the engagement has \(bytes.count) bytes, 16 are a UUID")
        }
        let isServer = mode.server == .reader
        let radio: any BluetoothRadio
        let endpoint: any LinkEndpoint
        do throws(LinkError) {
            radio = try await RadioSource.open(adapter, needsAdvertising: isServer)
            endpoint =
                isServer
                ? try await PeripheralEndpoint(
                    radio, mode: mode, uuid: uuid, seconds: wishes.seconds, channels: wishes.channels, fitting: fitting)
                : CentralEndpoint(
                    radio, mode: mode, uuid: uuid, psm: options.psm.flatMap { Int(exactly: $0) }, seconds: wishes.seconds,
                    channels: wishes.channels, fitting: fitting)
        } catch { throw CommandError(error) }
        return LinkPlace(
            endpoint: endpoint, description: "\(radio.name), Bluetooth mode \(mode.rawValue)",
            caveat: wishes.channels == .only ? nil : radio.caveat(isServer: isServer))
    }
}

/// Where `--link ble` gets its radio from: BlueZ. Tests put one in memory in its place.
enum RadioSource {
    typealias Opener = @Sendable (AdapterChoice, Bool) async throws -> any BluetoothRadio
    @TaskLocal static var replacement: Opener?

    static func open(_ adapter: AdapterChoice, needsAdvertising: Bool) async throws(LinkError) -> any BluetoothRadio {
        guard let replacement else { return try await Radio.open(adapter, needsAdvertising: needsAdvertising) }
        do { return try await replacement(adapter, needsAdvertising) } catch {
            throw error as? LinkError ?? .environment("\(error)", mend: "")
        }
    }
}

extension Console {
    /// Says what may go wrong at a place before it does.
    func caution(about place: LinkPlace) {
        guard let caveat = place.caveat else { return }
        talk("note: \(caveat)")
        talk("hint: \(LinkPlace.mend)")
    }
}
