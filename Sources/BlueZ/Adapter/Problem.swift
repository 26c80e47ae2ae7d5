package import Proximity

/// What can be in the way of Bluetooth on this machine, each with its mend.
package enum Problem: Error, Sendable, Hashable {
    case noBus(String)
    case noPermission(String)
    case serviceAbsent
    case noAdapter
    case unknownAdapter(String, known: [String])
    case poweredOff(String)
    /// By rfkill: `isHard` is a switch or key of the machine.
    case blocked(String, isHard: Bool)
    case cannotAdvertise(String)
    case advertisementsTaken(String)
    /// The kernel gives the adapter no L2CAP channel.
    case noChannels(String, reason: String)
    /// BlueZ refused something else.
    case refused(doing: String, BusError)

    package var what: String {
        switch self {
        case .noBus(let reason): "the system D-Bus cannot be reached: \(reason)"
        case .noPermission(let doing): "D-Bus does not allow this user \(doing)"
        case .serviceAbsent: "BlueZ is not running: nobody owns org.bluez on the system D-Bus"
        case .noAdapter: "BlueZ knows no Bluetooth adapter"
        case .unknownAdapter(let name, let known):
            "there is no Bluetooth adapter \(name)" + (known.isEmpty ? "" : "; there is \(known.joined(separator: ", "))")
        case .poweredOff(let name): "the Bluetooth adapter \(name) is switched off"
        case .blocked(let name, let isHard):
            "the Bluetooth adapter \(name) is blocked by \(isHard ? "a hardware switch" : "rfkill")"
        case .cannotAdvertise(let name): "the Bluetooth adapter \(name) cannot be a peripheral: BlueZ offers no advertising on it"
        case .advertisementsTaken(let name): "all advertisements of the Bluetooth adapter \(name) are taken by other programs"
        case .noChannels(let name, let reason): "\(name): no L2CAP channels: \(reason)"
        case .refused(let doing, let error): "\(doing): \(error)"
        }
    }

    package var mend: String {
        switch self {
        case .noBus: "apt-get install dbus bluez, then systemctl start dbus bluetooth"
        case .noPermission: "adduser $USER bluetooth and log in again, or run this as root"
        case .serviceAbsent: "apt-get install bluez, then systemctl start bluetooth"
        case .noAdapter:
            "plug one in (lsusb shows it); without one: links of the kinds tcp:HOST:PORT and unix:PATH, or scripts/ble-lab"
        case .unknownAdapter: "name one as --link ble:hci0 or --link ble:AA:BB:CC:DD:EE:FF, or say --link ble for any"
        case .poweredOff: "bluetoothctl power on"
        case .blocked(_, let isHard): isHard ? "turn the machine's radio switch on" : "rfkill unblock bluetooth"
        case .cannotAdvertise: "use the other mode (--ble-mode), or another adapter"
        case .advertisementsTaken: "end the programs that advertise (bluetoothctl, the desktop's Bluetooth settings)"
        case .noChannels: "leave --l2cap-only out to take GATT; modprobe bluetooth, if the kernel lacks it"
        case .refused: "walletbench doctor looks at Bluetooth; systemctl restart bluetooth begins anew"
        }
    }

    /// As links say it.
    package var linkError: LinkError { .environment(what, mend: mend) }

    /// What an error of D-Bus or BlueZ means.
    package init(_ error: BusError, doing: String) {
        switch error.name {
        case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.DBus.Error.Spawn.ServiceNotFound":
            self = .serviceAbsent
        case "org.freedesktop.DBus.Error.AccessDenied": self = .noPermission(doing)
        default: self = .refused(doing: doing, error)
        }
    }
}
