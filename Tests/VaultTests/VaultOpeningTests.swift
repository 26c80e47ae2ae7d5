import Crypto
import Glibc
import Ports
import Testing

@testable import Vault

@Suite struct VaultOpeningTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func opensWithTheRightPassphraseOnly() async throws {
        let first = try Vault(
            scratch.opening(create: .passphrase(cost: Scratch.cost), passphrase: "correct horse"), clock: FixedClock(Scratch.time))
        try await first.write([1, 2, 3], "key", in: "part")
        let again = try Vault(scratch.opening(create: nil, passphrase: "correct horse"), clock: FixedClock(Scratch.time))
        #expect(try await again.read("key", in: "part") == [1, 2, 3])
        let before = try scratch.bytes(of: scratch.database)
        #expect(await refusal { try open(passphrase: "correct house") } == .wrongPassphrase)
        #expect(await refusal { try open(passphrase: nil) } == .locked)
        #expect(try scratch.bytes(of: scratch.database) == before)
    }

    @Test func refusesAnEmptyPassphraseForANewVault() async {
        #expect(await refusal { try open(create: .passphrase(cost: Scratch.cost), passphrase: "") } == .locked)
    }

    @Test func saysThatThereIsNoVault() async {
        #expect(await refusal { try open() } == .missing)
        #expect(!PrivateFiles.exists(scratch.database))
    }

    @Test func makesFilesThatOnlyTheOwnerMayRead() throws {
        _ = try scratch.vault()
        for path in [scratch.database, scratch.keyFile] {
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(path)")
        }
    }

    @Test func refusesAMissingOrForeignKeyFile() async throws {
        _ = try scratch.vault()
        unlink(scratch.keyFile)
        #expect(await refusal { try open() } == .wrongKeyFile)
        try scratch.write([UInt8](String(repeating: "ab", count: 32).utf8), to: scratch.keyFile)
        #expect(await refusal { try open() } == .wrongKeyFile)
        try scratch.write([UInt8]("nonsense".utf8), to: scratch.keyFile)
        #expect(await refusal { try open() } == .wrongKeyFile)
    }

    @Test func refusesANewerSchemaAndLeavesItAlone() async throws {
        _ = try scratch.vault()
        do {
            let connection = try SQLiteConnection(path: scratch.database, create: false)
            try connection.execute("PRAGMA user_version = 99")
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        let before = try scratch.bytes(of: scratch.database)
        #expect(await refusal { try scratch.vault() } == .newerSchema(99))
        #expect(try scratch.bytes(of: scratch.database) == before)
    }

    @Test func refusesTheDatabaseOfAnotherProgram() async throws {
        do {
            let connection = try SQLiteConnection(path: scratch.database, create: true)
            try connection.execute("CREATE TABLE bookmarks (url TEXT)")
        }
        #expect(await refusal { try scratch.vault() } == .damaged)
    }

    @Test func refusesAFileThatIsNoDatabase() async throws {
        let text = [UInt8]("this is not a database, it is a letter to my aunt. ".utf8)
        let letter = [UInt8](repeatElement(text, count: 100).joined())
        try scratch.write(letter, to: scratch.database)
        #expect(await refusal { try scratch.vault() } == .damaged)
        #expect(try scratch.bytes(of: scratch.database) == letter)
    }

    /// A copy that was cut off at any page boundary, or in the middle of one.
    @Test func refusesAHalfWrittenDatabase() async throws {
        do {
            let vault = try scratch.vault()
            for index in 0..<20 { try await vault.write([UInt8](repeating: 7, count: 3000), "\(index)", in: "part") }
        }
        let whole = try scratch.bytes(of: scratch.database)
        #expect(whole.count > 16 * 4096)
        for length in stride(from: 1000, to: whole.count, by: 4096 + 1000) {
            try scratch.write([UInt8](whole[..<length]), to: scratch.database)
            let reason = await refusal {
                let vault = try scratch.vault()
                for index in 0..<20 {
                    let value = try await vault.look { records throws(VaultError) in
                        try records.read("\(index)", in: "table/part")
                    }
                    #expect(value?.count == 3000)
                }
            }
            #expect(reason == .damaged, "cut at \(length)")
        }
    }

    @Test func refusesAnAbsurdPassphraseCost() async throws {
        _ = try open(create: .passphrase(cost: Scratch.cost), passphrase: "p")
        do {
            let connection = try SQLiteConnection(path: scratch.database, create: false)
            try connection.execute("UPDATE wrapping SET n = 1099511627776, r = 8")
        }
        #expect(await refusal { try open(passphrase: "p") } == .damaged)
    }

    @Test func saysThatTheDiskCannotBeWritten() async throws {
        _ = try scratch.vault()
        let connection = try SQLiteConnection(path: scratch.database, create: false, readOnly: true)
        let reason = await refusal {
            try connection.transaction(
                { () throws(VaultError) in }, failed: { $0.vaultError(path: scratch.database) })
            do throws(SQLiteError) {
                try connection.execute("DELETE FROM records")
            } catch { throw error.vaultError(path: scratch.database) }
        }
        #expect(reason == .readOnly)
    }

    @Test func saysThatTheDirectoryIsNone() async throws {
        try scratch.write([1], to: "\(scratch.folder)/copy.db")
        let path = "\(scratch.folder)/copy.db/wallet.db"
        let opening = VaultOpening(path: path, keyFile: path + ".key", create: .keyFile) { _ throws(VaultError) in [] }
        #expect(await refusal { try Vault(opening, clock: SystemClock()) } == .system)
    }

    @Test func waitsForAnotherConnectionThenSaysBusy() throws {
        _ = try scratch.vault()
        let first = try SQLiteConnection(path: scratch.database, create: false)
        let second = try SQLiteConnection(path: scratch.database, create: false, busyTimeout: 1)
        try first.execute("BEGIN IMMEDIATE")
        #expect(throws: VaultError.self) {
            try second.transaction({ () throws(VaultError) in }, failed: { $0.vaultError(path: "x") })
        }
        try first.execute("ROLLBACK")
        try second.transaction({ () throws(VaultError) in }, failed: { $0.vaultError(path: "x") })
    }

    @Test func closesAnOpenDirectory() throws {
        chmod(scratch.folder, 0o755)
        try PrivateFiles.makeDirectory(scratch.folder)
        var status = stat()
        #expect(stat(scratch.folder, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    private func open(create: VaultOpening.Protection? = nil, passphrase: String? = nil) throws -> Vault {
        try Vault(scratch.opening(create: create, passphrase: passphrase), clock: FixedClock(Scratch.time))
    }
}
