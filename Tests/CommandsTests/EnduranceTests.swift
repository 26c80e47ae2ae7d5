import Codec
import Glibc
import Testing

@testable import Commands

/// Presentation after presentation in one process, with wallet, log and sockets: what is used is given back.
///
/// `$WALLETBENCH_PRESENTATIONS` says how many; `scripts/endurance` runs a thousand.
@Suite(.serialized, .timeLimit(.minutes(30))) struct EnduranceTests {
    private static let count = getenv("WALLETBENCH_PRESENTATIONS").flatMap { Int(String(cString: $0)) } ?? 20

    private struct Usage {
        /// Resident memory in KiB, and open descriptors.
        let memory: Int
        let descriptors: Int

        init() throws {
            let fields = String(decoding: try Files.read("/proc/self/statm"), as: UTF8.self).split(separator: " ")
            memory = (Int(fields[1]) ?? 0) * Int(getpagesize()) / 1024
            descriptors = try Files.list("/proc/self/fd").count
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
        let before = try Usage()
        for _ in 0..<Self.count { try await present(stage, home) }
        let after = try Usage()
        print(
            "\(Self.count) presentations: memory \(before.memory) to \(after.memory) KiB, descriptors \(before.descriptors) to \(after.descriptors)"
        )
        #expect(after.descriptors <= before.descriptors)
        // A leak of one message alone, of 12 KiB, would show: 12 MiB in a thousand.
        #expect(after.memory - before.memory < (Self.count < 100 ? 32 : 8) * 1024)
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
