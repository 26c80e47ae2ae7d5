import Proximity

/// BlueZ as it shows itself on D-Bus.
package struct Stack: Sendable {
    package static let name = "org.bluez"

    /// Properties by path and interface.
    package typealias Objects = [String: [String: [String: BusValue]]]

    package let bus: Bus

    /// - Parameter address: of the bus; nil is the system's.
    package static func connect(_ address: String? = nil) async throws(Problem) -> Stack {
        do throws(BusError) { return Stack(bus: try await Bus.connect(address)) } catch {
            throw error.message.contains("Permission denied") ? .noPermission("to connect") : .noBus(error.message)
        }
    }

    /// Every object that BlueZ has now.
    package func objects() async throws(Problem) -> Objects {
        let reply = try await call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", doing: "to list BlueZ's objects")
        guard case .dictionary(_, _, let entries)? = reply.first else { return [:] }
        var objects: Objects = [:]
        for (path, interfaces) in entries {
            guard let path = path.text, let interfaces = interfaces.members else { continue }
            objects[path] = interfaces.compactMapValues(\.members)
        }
        return objects
    }

    /// Calls BlueZ.
    /// - Parameter doing: what is said when that is not allowed.
    @discardableResult
    package func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [], seconds: Int = 25, doing: String
    ) async throws(Problem) -> [BusValue] {
        do throws(BusError) {
            return try await bus.call(BusRequest(Self.name, path, interface, member, arguments), seconds: seconds)
        } catch { throw Problem(error, doing: doing) }
    }

    /// All adapters, by path.
    package func adapters() async throws(Problem) -> [Adapter] {
        Adapter.all(in: try await objects())
    }

    /// The adapter that is asked for, ready for use.
    /// - Parameter needsAdvertising: for the peripheral.
    package func adapter(_ choice: AdapterChoice, needsAdvertising: Bool) async throws(Problem) -> Adapter {
        let all = try await adapters()
        let adapter = try choice.adapter(among: all)
        if let block = Rfkill.block(of: adapter.name) { throw .blocked(adapter.name, isHard: block == .hard) }
        guard adapter.isPowered else { throw .poweredOff(adapter.name) }
        guard adapter.canAdvertise || !needsAdvertising else { throw .cannotAdvertise(adapter.name) }
        return adapter
    }
}
