import BlueZ
import Codec
import Glibc

/// `walletbench doctor --fix`
enum BluetoothMend {
    private static let restart = "systemctl restart bluetooth"

    /// Shows what main.conf lacks and writes it when the person says yes.
    static func run(_ console: Console) async throws(CommandError) -> ExitCode {
        let settings = try await settings()
        let missing = settings.file.missing
        guard !missing.isEmpty else {
            console.answer(["path": .string(settings.path), "written": false, "missing": []]) {
                settings.isStale ? "\(settings.path) has every line; for bluetoothd to know them: \(restart)" : "nothing to mend"
            }
            return .done
        }
        for wanted in missing { console.talk("\(settings.path) lacks \(wanted.text)\n  \(wanted.meaning)") }
        guard isatty(STDIN_FILENO) == 1 else {
            throw .usage("doctor --fix asks before it writes and needs a terminal", hint: "or write the lines with an editor")
        }
        console.ask("write these lines to \(settings.path)? [y/N] ")
        guard readLine()?.lowercased().hasPrefix("y") == true else {
            console.talk("nothing was written")
            return .refused
        }
        let text = Files.exists(settings.path) ? String(decoding: try Files.read(settings.path, limit: 1 << 20), as: UTF8.self) : ""
        try Files.write(Array(MainConf.mended(text).utf8), to: settings.path)
        console.answer([
            "path": .string(settings.path), "written": true, "missing": .array(missing.map { .string($0.text) }),
        ]) { "written; for bluetoothd to know it: \(restart)" }
        return .done
    }

    private static func settings() async throws(CommandError) -> DaemonSettings {
        do throws(Problem) { return await DaemonSettings.current(try await Stack.connect()) } catch {
            throw .environment(error.what, hint: error.mend)
        }
    }
}
