import Ports
import Proximity

/// A device that advertised the service, through BlueZ.
final class BlueZPeer: GATTPeer {
    private let radio: Radio
    /// `/org/bluez/hci0/dev_AA_BB_CC_DD_EE_FF`
    private let device: String
    private let uuid: BluetoothUUID
    private let service = Locked<Discovery.Service?>(nil)

    init(_ radio: Radio, _ device: String, _ uuid: BluetoothUUID) { (self.radio, self.device, self.uuid) = (radio, device, uuid) }

    func discover(_ mode: GATTMode) async throws(LinkError) -> FoundService {
        let found = try await Discovery.connect(device, uuid: uuid, mode: mode, with: radio)
        service.withLock { $0 = found }
        return FoundService(
            mode: mode,
            found.characteristics.mapValues { one in
                FoundService.Characteristic(
                    properties: Set(one.flags.compactMap(Self.property)), hasConfigurationDescriptor: one.hasConfigurationDescriptor
                )
            })
    }

    private static func property(_ flag: String) -> GATTProperty? {
        flag == "write-without-response" ? .writeWithoutResponse : GATTProperty(rawValue: flag)
    }

    func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8] {
        try await GATTClient.read(characteristic, try known(), radio)
    }

    func write(_ value: GATTValue) async throws(LinkError) {
        try await GATTClient.write(value, type: "command", try known(), radio)
    }

    func channel(psm: Int) async throws(LinkError) -> any PacketPipe {
        let properties = try await radio.objects()[device]?["org.bluez.Device1"]
        guard let address = properties?["Address"]?.text else { throw .lost(.beforeStart) }
        return try await L2CAPChannel.connect(
            from: radio.adapter, to: address, isRandom: properties?["AddressType"]?.text == "random", psm: psm)
    }

    func subscribe() async throws(LinkError) -> any GATTPipe { try await GATTClient.open(try known(), with: radio) }

    func intrude() async throws(LinkError) {
        throw .environment(
            "one adapter is one central: the fault second-central cannot be made with it",
            mend: "run `reader read` on a second adapter while the first is served")
    }

    func drop() async {
        let (radio, device) = (radio, device)
        await Radio.shielded { _ = try? await radio.call(device, "org.bluez.Device1", "Disconnect", doing: "to disconnect") }
    }

    func disconnect() async {
        let (radio, device) = (radio, device)
        await Radio.shielded { await GATTClient.disconnect(device, radio) }
    }

    private func known() throws(LinkError) -> Discovery.Service {
        guard let service = service.withLock({ $0 }) else { throw .lost(.beforeStart) }
        return service
    }
}
