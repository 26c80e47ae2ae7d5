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
        #expect(acknowledged.count >= 6 * 5)
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

/// Writes records until the executioner strikes: some time after the fifth is stored, a little later in each round, wherever
/// the writer then is.
private func writeUntilKilled(folder: String, round: Int) async throws {
    let vault = try openVault(in: folder)
    let executioner = Executioner(microseconds: UInt32(round * 700))
    for number in 0... {
        let name = "\(round)-\(number);"
        try await vault.write([UInt8](repeating: UInt8(name.utf8.count), count: 2000), name, in: "p")
        let line = [UInt8]("stored:\(name)\n".utf8)
        guard write(STDOUT_FILENO, line, line.count) == line.count else { return }
        if number == 4 { executioner.call() }
    }
}

/// A thread that kills its own process when it is called.
private final class Executioner: Sendable {
    private let bell: (waiting: Int32, ringing: Int32)

    init(microseconds: UInt32) {
        var ends: [Int32] = [0, 0]
        let made = pipe(&ends)
        bell = (ends[0], ends[1])
        let order = UnsafeMutablePointer<(Int32, UInt32)>.allocate(capacity: 1)
        order.initialize(to: (ends[0], microseconds))
        var thread = pthread_t()
        let started = pthread_create(
            &thread, nil,
            { order in
                guard let order = order?.assumingMemoryBound(to: (Int32, UInt32).self).pointee else { return nil }
                var byte: UInt8 = 0
                read(order.0, &byte, 1)
                usleep(order.1)
                kill(getpid(), SIGKILL)
                return nil
            }, order)
        precondition(made == 0 && started == 0, "a pipe and a thread can be made")
    }

    func call() {
        var byte: UInt8 = 1
        write(bell.ringing, &byte, 1)
    }
}
