/// A Bluetooth adapter as BlueZ describes it.
package struct Adapter: Sendable, Hashable {
    /// `/org/bluez/hci0`
    package let path: String
    /// `AA:BB:CC:DD:EE:FF`
    package let address: String
    /// Whether `address` is a random one.
    package let isRandom: Bool
    package let isPowered: Bool
    /// `central`, `peripheral`, `central-peripheral`
    package let roles: [String]
    /// Whether it advertises and serves GATT: what the peripheral needs.
    package let canAdvertise: Bool
    /// Free advertisements; nil when BlueZ does not say.
    package let freeAdvertisements: Int?
    /// Of BlueZ itself, from the adapter's device identification; nil when that was changed.
    package let version: String?

    /// `hci0`
    package var name: String { String(path.split(separator: "/").last ?? "") }

    package static func all(in objects: Stack.Objects) -> [Adapter] {
        objects.compactMap { path, interfaces in
            interfaces["org.bluez.Adapter1"].map { Adapter(path, $0, interfaces) }
        }.sorted { $0.path < $1.path }
    }

    private init(_ path: String, _ properties: [String: BusValue], _ interfaces: [String: [String: BusValue]]) {
        self.path = path
        address = properties["Address"]?.text ?? ""
        isRandom = properties["AddressType"]?.text == "random"
        isPowered = properties["Powered"]?.boolValue ?? false
        roles = properties["Roles"]?.texts ?? []
        let advertising = interfaces["org.bluez.LEAdvertisingManager1"]
        canAdvertise = advertising != nil && interfaces["org.bluez.GattManager1"] != nil
        freeAdvertisements = advertising?["SupportedInstances"]?.integer
        version = properties["Modalias"]?.text.flatMap(Self.version)
    }

    /// `usb:v1D6Bp0246d0542` is BlueZ 5.66: the last four digits are major and minor, in hexadecimal.
    static func version(modalias: String) -> String? {
        guard modalias.hasPrefix("usb:v1D6Bp0246d"), modalias.utf8.count == 19 else { return nil }
        let digits = modalias.suffix(4)
        guard let major = UInt8(digits.prefix(2), radix: 16), let minor = UInt8(digits.suffix(2), radix: 16) else { return nil }
        return "\(major).\(minor)"
    }
}

/// Which adapter is asked for: `ble`, `ble:hci1`, `ble:AA:BB:CC:DD:EE:FF`.
package enum AdapterChoice: Sendable, Hashable {
    case any
    case name(String)
    case address(String)

    /// - Returns: nil when `text` is no such choice.
    package init?(_ text: String) {
        guard text != "ble" else {
            self = .any
            return
        }
        guard text.hasPrefix("ble:") else { return nil }
        let rest = text.dropFirst(4)
        let octets = rest.split(separator: ":", omittingEmptySubsequences: false)
        if octets.count == 6, octets.allSatisfy({ $0.utf8.count == 2 && UInt8($0, radix: 16) != nil }) {
            self = .address(rest.uppercased())
        } else if rest.hasPrefix("hci"), UInt16(rest.dropFirst(3)) != nil {
            self = .name(String(rest))
        } else {
            return nil
        }
    }

    /// The first adapter that fits; of any, one that is on.
    func adapter(among all: [Adapter]) throws(Problem) -> Adapter {
        guard let first = all.first else { throw .noAdapter }
        let (found, wanted): (Adapter?, String) =
            switch self {
            case .any: (all.first { $0.isPowered && $0.canAdvertise } ?? all.first(where: \.isPowered) ?? first, "")
            case .name(let name): (all.first { $0.name == name }, name)
            case .address(let address): (all.first { $0.address.uppercased() == address }, address)
            }
        guard let found else { throw .unknownAdapter(wanted, known: all.map { "\($0.name) (\($0.address))" }) }
        return found
    }
}
