import Testing

@testable import Commands

@Suite struct FilesTests {
    @Test func replacesFilesInOneStepAndKeepsTheOldOneOnFailure() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let path = "\(shell.folder)/file"
        try Files.write([1], to: path)
        try Files.write([2, 3], to: path, mode: 0o600)
        #expect(try Files.read(path) == [2, 3])
        #expect(try Files.list(shell.folder) == ["file"])
        #expect(throws: CommandError.self) { try Files.write([4], to: "\(shell.folder)/none/file") }
        #expect(throws: CommandError.self) { try Files.write([4], to: shell.folder) }
    }

    @Test func refusesLargeFilesAndFolders() throws {
        let shell = try Shell()
        defer { shell.remove() }
        try Files.write([UInt8](repeating: 0, count: 3 << 20), to: "\(shell.folder)/large")
        #expect(throws: CommandError.environment("\(shell.folder)/large: larger than 2 MiB", hint: "is this the right file?")) {
            try Files.read("\(shell.folder)/large", limit: 2 << 20)
        }
        #expect(throws: CommandError.environment("\(shell.folder): Is a directory")) { try Files.read(shell.folder) }
    }

    @Test func makesHomesForTheirOwnerOnly() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let home = try Home.resolve(option: "\(shell.folder)/a/b")
        try home.makeTestHome()
        #expect(home.isTestHome)
        #expect(try shell.run("stat -c %a a a/b").stdout == "700\n700\n")
        try home.makeTestHome()
        let used = try Home.resolve(option: "\(shell.folder)/a")
        #expect(throws: CommandError.self) { try used.makeTestHome() }
        #expect(!used.isTestHome)
    }
}
