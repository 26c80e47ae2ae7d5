import Codec
import Credentials
import Crypto
import Glibc
import Ports

/// The lists of a home that were fetched: `cache/<hash of the name>.list`, each a line of JSON (name, media type, when it was fetched)
/// and then the bytes as received. The oldest go once there are too many.
struct FolderArchive: ListArchive {
    private let home: Home
    private let limit: Int

    /// - Parameter limit: files that are kept.
    init(of home: Home, limit: Int = 64) { (self.home, self.limit) = (home, limit) }

    private var folder: String { home.file("cache") }

    private func path(_ name: String) -> String {
        "\(folder)/\(Hex.encode(HashAlgorithm.sha256.digest(Array(name.utf8)).prefix(16))).list"
    }

    func recall(_ name: String) async -> KeptList? {
        guard let bytes = try? Files.read(path(name), limit: StatusChecker.sizeLimit + 1 << 16),
            let end = bytes.firstIndex(of: UInt8(ascii: "\n")), let facts = try? JSON.decode(Array(bytes[..<end])),
            facts["name"]?.stringValue == name,
            let time = facts["fetchedAt"]?.stringValue.flatMap({ try? Timestamp(rfc3339: $0) })
        else { return nil }
        return KeptList(Array(bytes[(end + 1)...]), contentType: facts["contentType"]?.stringValue, fetchedAt: time)
    }

    func keep(_ list: KeptList, as name: String) async {
        var facts: JSONObject = ["name": .string(name), "fetchedAt": .string(list.fetchedAt.rfc3339)]
        if let type = list.contentType { facts.append("contentType", .string(type)) }
        // Without a place to keep it the next run just has to fetch it.
        try? Home(path: folder, source: home.source).make()
        try? Files.write(Array("\(JSON.object(facts).encoded())\n".utf8) + list.bytes, to: path(name), mode: 0o600)
        makeRoom()
    }

    private func makeRoom() {
        guard let names = try? Files.list(folder).filter({ $0.hasSuffix(".list") }), names.count > limit else { return }
        let dated = names.map { (name: $0, changed: Self.changed("\(folder)/\($0)")) }.sorted { $0.changed < $1.changed }
        for file in dated.prefix(names.count - limit) { unlink("\(folder)/\(file.name)") }
    }

    /// Nanoseconds since 1970.
    private static func changed(_ path: String) -> Int {
        var info = stat()
        guard stat(path, &info) == 0 else { return 0 }
        return info.st_mtim.tv_sec * 1_000_000_000 + info.st_mtim.tv_nsec
    }
}
