import Crypto
import Glibc
import Ports
import Vault

/// A folder of its own for one test, removed with it.
final class Scratch: Sendable {
    let folder: String

    init() throws {
        var template = Array("/tmp/walletbench-vault-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw VaultError(.system, "mkdtemp", hint: "") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in ["wallet.db", "wallet.db-wal", "wallet.db-shm", "wallet.key", "copy.db"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    var database: String { "\(folder)/wallet.db" }
    var keyFile: String { "\(folder)/wallet.key" }

    /// Opens without a passphrase; makes what is not there.
    func vault(at time: Timestamp = Scratch.time) throws -> Vault {
        try Vault(opening(create: .keyFile), clock: FixedClock(time))
    }

    func opening(create: VaultOpening.Protection?, passphrase: String? = nil) -> VaultOpening {
        VaultOpening(path: database, keyFile: keyFile, create: create) { _ throws(VaultError) in
            guard let passphrase else { throw VaultError(.locked, "no passphrase", hint: "give one") }
            return [UInt8](passphrase.utf8)
        }
    }

    func bytes(of path: String) throws -> [UInt8] {
        try PrivateFiles.read(path, limit: 1 << 24) ?? []
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0, Glibc.write(file, bytes, bytes.count) == bytes.count, close(file) == 0 else {
            throw VaultError(.system, "write", hint: "")
        }
    }

    /// 2026-11-30T12:00:00Z.
    static let time = Timestamp(secondsSince1970: 1_796_040_000)
    /// Cheap: what is tested is not the cost.
    static let cost = Scrypt(cost: 16, blockSize: 1, parallelisation: 1)
}

/// The reason of the refusal, or nil when `body` is not refused by the vault.
func refusal<R>(_ body: () async throws -> R) async -> VaultError.Reason? {
    do {
        _ = try await body()
        return nil
    } catch let error as VaultError {
        return error.reason
    } catch { return nil }
}
