import Codec
import Ports
import Testing
import Vault

@Suite struct LogTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func record(_ role: TransactionRecord.Role, minute: Int64) -> TransactionRecord {
        TransactionRecord(
            time: Scratch.time.adding(seconds: 60 * minute), role: role, kind: "presentation", peer: "CN=Bar", peerTrusted: true,
            asked: ["mdl": ["ns": ["age_over_18": false]]], left: ["mdl": ["ns": ["age_over_18"]]], verdict: "pass",
            responseHash: "ab", documents: ["1234"])
    }

    @Test func keepsRecordsByRoleAndTheirEvidence() async throws {
        let vault = try scratch.vault()
        let random = SeededRandom(seed: 5)
        let evidence = [Evidence(name: "report.json", bytes: [1]), Evidence(name: "response.cbor", bytes: [2, 3])]
        let held = try await vault.log(record(.holder, minute: 0), evidence: evidence, random: random)
        let read = try await vault.log(record(.reader, minute: 1), random: random)
        let again = try scratch.vault()
        #expect(try await again.log(of: [.holder]) == [held])
        #expect(try await again.log(of: [.holder, .reader]) == [held, read])
        #expect(try await again.evidence(of: held) == evidence)
        #expect(try await again.evidence(of: read) == [])
        #expect(held.id.hasPrefix("20261130T120000-"))
    }

    @Test func deletesARecordWithItsEvidence() async throws {
        let vault = try scratch.vault()
        let evidence = [Evidence(name: "report.json", bytes: [1])]
        let made = try await vault.log(record(.holder, minute: 0), evidence: evidence, random: SystemRandom())
        _ = try await vault.deleteLogRecord(String(made.id.suffix(6)))
        #expect(try await vault.log(of: [.holder]) == [])
        #expect(try await vault.evidence(of: made) == [])
        #expect(await refusal { try await vault.logRecord(made.id) } == .notFound)
    }
}
