import Codec
import Crypto
import Glibc
import Ports
import Testing
import Vault

/// A process that is killed at each of its writes in turn, before it and in the middle of it, from the making of the vault on:
/// the next one opens what is there and finds everything that was acknowledged.
@Suite(.serialized, .timeLimit(.minutes(10))) struct InterruptedVaultTests {
    @Test func whateverIsAcknowledgedIsThereAfterAKillAtAnyWrite() async throws {
        let points = try await points()
        #expect(points.count > 40 && points.contains("vault torn write") && points.contains("file torn write"), "\(points)")
        for number in 1...points.count {
            let scratch = try Scratch()
            let ended = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
                [folder = scratch.folder as String, number = number as Int] in
                setenv("WALLETBENCH_KILL_AT", "\(number)", 1)
                try await work(in: folder)
            }
            try await check(
                scratch, acknowledged: lines(ended?.standardOutputContent), "killed at \(number), \(points[number - 1])")
        }
    }

    /// The names of all points that the work passes.
    private func points() async throws -> [String] {
        let scratch = try Scratch()
        let list = "\(scratch.folder)/copy.db"
        await #expect(processExitsWith: .success) { [folder = scratch.folder as String, list = list as String] in
            setenv("WALLETBENCH_KILL_POINTS", list, 1)
            try await work(in: folder)
        }
        return String(decoding: try scratch.bytes(of: list), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func lines(_ output: [UInt8]?) -> [String] {
        String(decoding: output ?? [], as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("done ") }
            .map { String($0.dropFirst(5)) }
    }

    /// Each step is there when it was acknowledged; the one after may be there or not, but whole.
    private func check(_ scratch: Scratch, acknowledged: [String], _ comment: Comment) async throws {
        let vault = try scratch.vault()
        let keys = try await VaultKeyStore(vault: vault, random: SystemRandom(), cost: Scratch.cost).keys()
        let documents = try await vault.documents()
        let step = acknowledged.count
        let value = try await vault.read("a", in: "p")
        // What "a" held after each step.
        let states: [[UInt8]?] = [nil, nil, [1]] + Array(repeating: Array(repeating: 2, count: 9000), count: 5) + [nil]
        #expect(states[step...].prefix(2).contains(value), comment)
        #expect(keys.count == (step >= 4 ? 1 : 0) || step == 3 && keys.count == 1, comment)
        #expect(documents.count == (step >= 5 ? 1 : 0) || step == 4 && documents.count == 1, comment)
        if step >= 5, let document = documents.first {
            let left = document.copiesLeft
            #expect(left == (step >= 6 ? 1 : 2) || step == 5 && left == 1, comment)
            for copy in document.copies { #expect(try await vault.bytes(of: copy, in: document).count == 5000, comment) }
        }
        let log = try await vault.log(of: [.holder])
        #expect(log.count == (step >= 7 ? 1 : 0) || step == 6 && log.count == 1, comment)
        for record in log { #expect(try await vault.evidence(of: record).map(\.bytes.count) == [7000], comment) }
        #expect(try await vault.damagedDocuments().isEmpty, comment)
    }
}

/// Makes a vault and uses all of it; says what is done as soon as it is.
private func work(in folder: String) async throws {
    let opening = VaultOpening(path: "\(folder)/wallet.db", keyFile: "\(folder)/wallet.key", create: .keyFile) {
        _ throws(VaultError) in []
    }
    let vault = try Vault(opening, clock: FixedClock(Scratch.time))
    done("vault")
    try await vault.write([1], "a", in: "p")
    done("made")
    try await vault.write([UInt8](repeating: 2, count: 9000), "a", in: "p")
    done("replaced")
    let key = try await VaultKeyStore(vault: vault, random: SystemRandom(), cost: Scratch.cost).create(.init())
    done("key")
    let document = try await vault.add(
        StoredDocument(
            id: "", format: "mso_mdoc", type: "t", displayName: "d", issuer: "i", policy: .once, added: Scratch.time),
        copies: (0..<2).map { NewCopy(bytes: [UInt8](repeating: $0, count: 5000), keyID: key.id.rawValue) }, random: SystemRandom())
    done("document")
    _ = try await vault.takeCopy(of: document.id, at: Scratch.time)
    done("copy taken")
    let record = TransactionRecord(
        time: Scratch.time, role: .holder, kind: "presentation", peer: "CN=Bar", peerTrusted: true, asked: [:], left: [:],
        verdict: "pass", responseHash: "ab", documents: [document.id])
    _ = try await vault.log(
        record, evidence: [Evidence(name: "r", bytes: [UInt8](repeating: 3, count: 7000))], random: SystemRandom())
    done("logged")
    _ = try await vault.update("a", in: "p", expiring: nil) { $0 = nil }
    done("deleted")
}

private func done(_ what: String) {
    let line = Array("done \(what)\n".utf8)
    _ = write(STDOUT_FILENO, line, line.count)
}
