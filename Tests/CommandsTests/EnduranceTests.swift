import Codec
import Glibc
import Testing

@testable import Commands

/// Presentation after presentation in one process, with wallet, log and sockets: what is used is given back.
///
/// `$WALLETBENCH_PRESENTATIONS` says how many; `scripts/endurance` runs a thousand.
@Suite(.serialized, .timeLimit(.minutes(30))) struct EnduranceTests {
    private static let count = getenv("WALLETBENCH_PRESENTATIONS").flatMap { Int(String(cString: $0)) } ?? 20

    /// Other tests of the process open and allocate too; a run of its own counts the whole process.
    private static let isAlone = getenv("WALLETBENCH_PRESENTATIONS") != nil

    private struct Usage {
        /// Resident memory in KiB, open descriptors, and those of them that are files or sockets below `folder`.
        let memory: Int
        let descriptors: Int
        let own: Int

        init(folder: String) throws {
            let fields = String(decoding: try Files.read("/proc/self/statm"), as: UTF8.self).split(separator: " ")
            memory = (Int(fields[1]) ?? 0) * Int(getpagesize()) / 1024
            let names = try Files.list("/proc/self/fd")
            descriptors = names.count
            let sockets = String(decoding: try Files.read("/proc/net/unix"), as: UTF8.self).split(separator: "\n")
                .map { $0.split(separator: " ") }.filter { $0.count > 7 && $0[7].hasPrefix(folder) }.map { "socket:[\($0[6])]" }
            own = names.compactMap(Self.target).count { $0.hasPrefix(folder) || sockets.contains($0) }
        }

        private static func target(_ name: String) -> String? {
            var buffer = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/fd/\(name)", &buffer, buffer.count)
            return count > 0 ? String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
        }
    }

    @Test func memoryAndDescriptorsStayFlat() async throws {
        signal(SIGPIPE, SIG_IGN)
        let stage = try InProcess()
        defer { stage.remove() }
        let home = ["--home", "\(stage.folder)/home"]
        for words in [
            ["issuer", "mint", "--type", "mdl", "--to-holder", "--test-home"],
            ["trust", "add", "\(stage.folder)/home/trust/made/iaca.pem"],
        ] { try #require(await stage.run(words + home).exit == .done) }
        // Caches and arenas fill up first.
        for _ in 0..<max(5, Self.count / 5) { try await present(stage, home) }
        let before = try Usage(folder: stage.folder)
        for _ in 0..<Self.count { try await present(stage, home) }
        let after = try Usage(folder: stage.folder)
        print(
            "\(Self.count) presentations: memory \(before.memory) to \(after.memory) KiB, descriptors \(before.descriptors) to \(after.descriptors)"
        )
        #expect(after.own <= before.own)
        guard Self.isAlone else { return }
        #expect(after.descriptors <= before.descriptors)
        // A leak of one message alone, of 12 KiB, would show: 12 MiB in a thousand.
        #expect(after.memory - before.memory < 8 * 1024)
    }

    private func present(_ stage: InProcess, _ home: [String]) async throws {
        let holder = stage.start(
            ["holder", "present", "--link", "unix:\(stage.folder)/link", "--consent", "auto", "--json", "--timeout", "120"] + home,
            as: "holder")
        guard let text = await holder.event("ready")?["engagement"]?.stringValue else {
            throw Shell.Failure(what: "the holder does not start: \(await holder.outcome().stderr)")
        }
        let reader = await stage.start(["reader", "read", "--engagement", text, "--request", "mdl", "--json"] + home, as: "reader")
            .outcome()
        if reader.exit != .done { holder.task.cancel() }
        let presented = await holder.outcome()
        #expect(presented.exit == .done && reader.exit == .done, "\(presented.stderr)\n\(reader.stderr)")
    }
}
