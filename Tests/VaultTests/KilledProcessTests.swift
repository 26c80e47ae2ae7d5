import Glibc
import Ports
import Testing
import Vault

/// Real processes on one home: killed in the middle of their work, or at work at the same time.
@Suite(.serialized) struct KilledProcessTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Each round a process writes records, says which are stored, and is killed at a moment of its own choice.
    @Test func losesNothingAcknowledgedWhenKilled() async throws {
        _ = try scratch.vault()
        var acknowledged: [String] = []
        for round in 0..<6 {
            let ended = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
                [folder = scratch.folder as String, round = round as Int] in
                try await writeUntilKilled(folder: folder, round: round)
            }
            let said = String(decoding: ended?.standardOutputContent ?? [], as: UTF8.self)
            let names = said.split(separator: "\n", omittingEmptySubsequences: true).filter { $0.hasPrefix("stored:") }
                .map { String($0.dropFirst("stored:".count)) }
            acknowledged += names.filter { $0.hasSuffix(";") }
            let vault = try scratch.vault()
            for name in acknowledged {
                #expect(try await vault.read(name, in: "p") == [UInt8](repeating: UInt8(name.utf8.count), count: 2000), "\(name)")
            }
        }
        #expect(acknowledged.count > 6)
    }

    @Test func letsTwoProcessesCountTogether() async throws {
        async let first: Void = countInAProcess()
        async let second: Void = countInAProcess()
        _ = await (first, second)
        #expect(try await scratch.vault().read("n", in: "p") == [200])
    }

    private func countInAProcess() async {
        await #expect(processExitsWith: .success) { [folder = scratch.folder as String] in
            let vault = try openVault(in: folder)
            for _ in 0..<100 { try await increment("n", in: vault) }
        }
    }
}

/// Both processes may be the one that makes the vault.
private func openVault(in folder: String) throws -> Vault {
    let opening = VaultOpening(path: "\(folder)/wallet.db", keyFile: "\(folder)/wallet.key", create: .keyFile) {
        _ throws(VaultError) in []
    }
    return try Vault(opening, clock: FixedClock(Scratch.time))
}

private func writeUntilKilled(folder: String, round: Int) async throws {
    let vault = try openVault(in: folder)
    // The executioner: strikes after 3 ms in the first round, later in each following one, wherever the writer then is.
    var thread = pthread_t()
    let delay = UnsafeMutableRawPointer(bitPattern: 3000 + round * 7001)
    pthread_create(
        &thread, nil,
        { delay in
            usleep(UInt32(UInt(bitPattern: delay)))
            kill(getpid(), SIGKILL)
            return nil
        }, delay)
    for number in 0... {
        let name = "\(round)-\(number);"
        try await vault.write([UInt8](repeating: UInt8(name.utf8.count), count: 2000), name, in: "p")
        let line = [UInt8]("stored:\(name)\n".utf8)
        guard write(STDOUT_FILENO, line, line.count) == line.count else { return }
    }
}
