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
        case LinkError.partFirstByte, LinkError.timedOut, LinkError.lost(.afterPart): true
        default: false
        }
    }

    /// Where an mdoc waits for its reader.
    /// - Parameters:
    ///   - mode: nil is peripheral; over Bluetooth both where the machine does not serve long messages well.
    ///   - seconds: how long it waits; nil waits for ever.
    static func holder(
        _ choice: LinkChoice, mode: String?, seconds: Int?, random: any RandomSource, fitting: LinkFitting
    ) async throws(LinkError) -> LinkPlace {
        switch choice {
        case .stream(let address):
            let listener = try await SocketListener(
                address, mode: mode.flatMap(GATTMode.init) ?? .peripheral, engagementSeconds: seconds, fitting: fitting)
            return LinkPlace(endpoint: listener, description: listener.address.description, caveat: nil)
        case .bluetooth(let adapter):
            let radio = try await Radio.open(adapter, needsAdvertising: mode != GATTMode.central.rawValue)
            let mode = mode ?? (radio.settings.isRight ? GATTMode.peripheral.rawValue : "both")
            let endpoint: any LinkEndpoint =
                switch mode {
                case GATTMode.peripheral.rawValue:
                    PeripheralEndpoint(
                        radio, mode: .peripheral, uuid: BluetoothUUID(random: random), seconds: seconds, fitting: fitting)
                case GATTMode.central.rawValue:
                    CentralEndpoint(radio, mode: .central, uuid: BluetoothUUID(random: random), seconds: seconds, fitting: fitting)
                default:
                    BothModesEndpoint(
                        radio, uuids: (BluetoothUUID(random: random), BluetoothUUID(random: random)), seconds: seconds,
                        fitting: fitting)
                }
            return LinkPlace(
                endpoint: endpoint, description: "\(radio.adapter.name) (\(radio.adapter.address)), Bluetooth mode \(mode)",
                caveat: radio.caveat(isServer: mode != GATTMode.central.rawValue))
        }
    }

    /// How long a reader looks for the mdoc, or waits for it. ISO/IEC 18013-5 WD2 §9.4 wants at least 30.
    private static let readerSeconds = 90

    /// Where a reader meets an mdoc by Bluetooth.
    /// - Parameter mode: which of two offered modes to take; nil is central, as the 2nd edition advises.
    static func reader(
        _ adapter: AdapterChoice, _ options: BLEOptions, mode: GATTMode?, fitting: LinkFitting
    ) async throws(CommandError) -> LinkPlace {
        let offered = [
            options.supportsCentralClient ? options.centralClientUUID.map { (GATTMode.central, $0) } : nil,
            options.supportsPeripheralServer ? options.peripheralServerUUID.map { (GATTMode.peripheral, $0) } : nil,
        ].compactMap { $0 }
        guard let (mode, bytes) = offered.first(where: { mode == nil || $0.0 == mode }) else {
            throw .refused("the engagement does not offer Bluetooth\(mode.map { " in \($0.rawValue) mode" } ?? " in any mode")")
        }
        guard let uuid = BluetoothUUID(bytes: bytes) else {
            throw .refused("the Bluetooth UUID of the engagement has \(bytes.count) bytes, 16 are a UUID")
        }
        let isServer = mode.server == .reader
        let radio: Radio
        do throws(LinkError) { radio = try await Radio.open(adapter, needsAdvertising: isServer) } catch {
            throw CommandError(error)
        }
        let endpoint: any LinkEndpoint =
            isServer
            ? PeripheralEndpoint(radio, mode: mode, uuid: uuid, seconds: readerSeconds, fitting: fitting)
            : CentralEndpoint(radio, mode: mode, uuid: uuid, seconds: readerSeconds, fitting: fitting)
        return LinkPlace(
            endpoint: endpoint, description: "\(radio.adapter.name) (\(radio.adapter.address)), Bluetooth mode \(mode.rawValue)",
            caveat: radio.caveat(isServer: isServer))
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
