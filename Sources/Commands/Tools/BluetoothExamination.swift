import BlueZ

/// What `doctor` says about Bluetooth.
enum BluetoothExamination {
    /// - Parameter busAddress: of another D-Bus than the system's.
    static func findings(busAddress: String? = nil) async -> [Finding] {
        do throws(Problem) {
            let stack = try await Stack.connect(busAddress)
            let adapters = try await stack.adapters()
            let settings = await DaemonSettings.current(stack)
            let hardware = [await adapter(stack, adapters), service(adapters), roles(adapters), await channels(stack)]
            return hardware + self.settings(settings)
        } catch {
            let rest = ["bluez", "ble-roles", "ble-l2cap", "ble-settings"].map {
                Finding(name: $0, state: .notRun, detail: "needs Bluetooth")
            }
            return [Finding(name: "bluetooth", state: .absent, detail: error.what, mend: error.mend)] + rest
        }
    }

    private static func adapter(_ stack: Stack, _ all: [Adapter]) async -> Finding {
        do throws(Problem) {
            let adapter = try await stack.adapter(.any, needsAdvertising: false)
            let others = all.map { "\($0.name) \($0.address)\($0.isPowered ? "" : " (off)")" }
            return Finding(
                name: "bluetooth", state: .ok, detail: "\(others.joined(separator: ", ")); --link ble takes \(adapter.name)")
        } catch {
            return Finding(name: "bluetooth", state: .absent, detail: error.what, mend: error.mend)
        }
    }

    private static func service(_ adapters: [Adapter]) -> Finding {
        let version = adapters.lazy.compactMap(\.version).first
        return Finding(
            name: "bluez", state: .ok, detail: version.map { "BlueZ \($0) is running" } ?? "running, its version is not known")
    }

    private static func roles(_ adapters: [Adapter]) -> Finding {
        guard !adapters.isEmpty else { return Finding(name: "ble-roles", state: .notRun, detail: "needs an adapter") }
        let texts = adapters.map { adapter in
            let free = adapter.freeAdvertisements.map { ", \($0) advertisements free" } ?? ""
            return "\(adapter.name): \(adapter.roles.joined(separator: ", "))\(adapter.canAdvertise ? free : ", no advertising")"
        }
        let isWhole = adapters.contains { $0.canAdvertise && $0.roles.contains("central") && $0.roles.contains("peripheral") }
        return Finding(
            name: "ble-roles", state: isWhole ? .ok : .absent, detail: texts.joined(separator: "; "),
            mend: isWhole ? nil : "one role only: choose it with --ble-mode, or use another adapter")
    }

    /// Whether the adapter that is taken can have L2CAP channels: the kernel's socket family, and a dynamic PSM.
    private static func channels(_ stack: Stack) async -> Finding {
        guard let adapter = try? await stack.adapter(.any, needsAdvertising: false) else {
            return Finding(name: "ble-l2cap", state: .notRun, detail: "needs an adapter that is on")
        }
        do throws(Problem) {
            let psm = try adapter.freePSM()
            return Finding(name: "ble-l2cap", state: .ok, detail: "\(adapter.name): L2CAP channels can be had; PSM \(psm) is free")
        } catch { return Finding(name: "ble-l2cap", state: .absent, detail: error.what, mend: error.mend) }
    }

    /// One finding a line of main.conf, and one when the daemon does not know the file as it is.
    private static func settings(_ settings: DaemonSettings) -> [Finding] {
        var findings = MainConf.wanted.map { wanted in
            settings.file.has(wanted)
                ? Finding(name: "ble-settings", state: .ok, detail: "\(wanted.text) in \(settings.path)")
                : Finding(
                    name: "ble-settings", state: .absent, detail: "\(settings.path) lacks \(wanted.text): \(wanted.meaning)",
                    mend: "walletbench doctor --fix as root, then systemctl restart bluetooth")
        }
        if settings.isStale {
            findings.append(
                Finding(
                    name: "ble-settings", state: .absent, detail: "bluetoothd was started before \(settings.path) was last changed",
                    mend: "systemctl restart bluetooth"))
        }
        return findings
    }
}
