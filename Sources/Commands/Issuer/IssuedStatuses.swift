import Codec
import Credentials
import Crypto
import Ports

/// What the issuer of a home has issued with a status, and the lists that say it: `issuer/status.json`, and in `issuer/status` the
/// signed lists themselves, `<list>.jwt` and `<list>.cwt`, as `issuer serve` hands them out and `--status-source` reads them.
///
/// Every list keeps the URI it was made with: documents that name an earlier address of the issuer go on working.
struct IssuedStatuses: Sendable {
    enum Kind: String, Sendable, Hashable { case list, identifiers }

    /// One list.
    struct List: Sendable, Hashable {
        let id: String
        let uri: String
        let kind: Kind
        let bits: Int
        let size: Int
    }

    /// One document with all its copies, each with a place of its own, so that nobody can link them.
    struct Entry: Sendable, Hashable {
        let id: String
        let type: String
        let list: String
        /// Places in a status list.
        var indices: [Int] = []
        /// Hex; in an identifier list.
        var identifiers: [String] = []
        var status: UInt8
        let issued: String

        var word: String {
            switch status {
            case 0: "valid"
            case 1: "revoked"
            case 2: "suspended"
            default: "0x" + String(status, radix: 16)
            }
        }
    }

    private(set) var lists: [List] = []
    private(set) var entries: [Entry] = []
    private let home: Home

    /// How many documents share a list: enough that asking for it tells nothing about any of them.
    static let size = 131_072

    static func folder(of home: Home) -> String { home.file("issuer/status") }
    static func file(of home: Home) -> String { home.file("issuer/status.json") }

    /// - Throws: exit code 3 when the file is there and cannot be read.
    init(of home: Home) throws(CommandError) {
        self.home = home
        let path = Self.file(of: home)
        guard Files.exists(path) else { return }
        let bytes = try Files.read(path)
        do {
            let json = try JSON.decode(bytes)
            lists = try (json["lists"]?.arrayValue ?? []).map { json in
                guard let list = List(json) else { throw Unreadable() }
                return list
            }
            entries = try (json["entries"]?.arrayValue ?? []).map { json in
                guard let entry = Entry(json) else { throw Unreadable() }
                return entry
            }
        } catch {
            throw .environment(
                "\(path): not the statuses of an issuer",
                hint: "restore it from a copy; documents issued with it cannot be revoked without")
        }
    }

    private struct Unreadable: Error {}

    /// Changes the statuses while no other process of the home does.
    static func changing<R>(_ home: Home, _ body: (inout IssuedStatuses) async throws -> R) async throws -> R {
        try Home(path: folder(of: home), source: home.source).make()
        let lock = try FileLock("\(file(of: home)).lock")
        defer { lock.release() }
        var statuses = try IssuedStatuses(of: home)
        let result = try await body(&statuses)
        try statuses.save()
        return result
    }

    /// The same without a moment at which others could run: no thread waits for the lock while its holder waits for a thread.
    static func changingNow<R>(_ home: Home, _ body: (inout IssuedStatuses) throws -> R) throws -> R {
        try Home(path: folder(of: home), source: home.source).make()
        let lock = try FileLock("\(file(of: home)).lock")
        defer { lock.release() }
        var statuses = try IssuedStatuses(of: home)
        let result = try body(&statuses)
        try statuses.save()
        return result
    }

    private func save() throws(CommandError) {
        let object: JSONObject = ["lists": .array(lists.map(\.json)), "entries": .array(entries.map(\.json))]
        try Files.write(Array(JSON.object(object).encoded(pretty: true).utf8), to: Self.file(of: home), mode: 0o600)
    }

    // MARK: entries

    /// Gives places to a document of `copies` copies.
    ///
    /// - Parameter base: where lists are served: a list that is made gets `base/<id>`.
    mutating func add(
        type: String, copies: Int, kind: Kind, bits: Int, base: String, status: UInt8 = 0, at time: Timestamp,
        random: any RandomSource
    ) throws(CommandError) -> (entry: Entry, list: List) {
        let list = try list(kind, bits: bits, base: base, room: copies)
        var entry = Entry(id: Hex.encode(random.bytes(4)), type: type, list: list.id, status: status, issued: time.rfc3339)
        switch kind {
        case .list:
            var taken = Set(entries.filter { $0.list == list.id }.flatMap(\.indices))
            while entry.indices.count < copies {
                let index = random.bytes(8).reduce(0) { ($0 << 8 | UInt64($1)) } % UInt64(list.size)
                if taken.insert(Int(index)).inserted { entry.indices.append(Int(index)) }
            }
        case .identifiers: entry.identifiers = (0..<copies).map { _ in Hex.encode(random.bytes(16)) }
        }
        entries.append(entry)
        return (entry, list)
    }

    /// One with room, else a new one.
    private mutating func list(_ kind: Kind, bits: Int, base: String, room: Int) throws(CommandError) -> List {
        func uri(_ id: String) -> String { base.hasSuffix("/") ? base + id : "\(base)/\(id)" }
        let known = lists.last { list in
            // Half full at most: random places are found at once.
            list.kind == kind && list.bits == bits && list.uri == uri(list.id)
                && entries.filter { $0.list == list.id }.reduce(room) { $0 + $1.indices.count } <= list.size / 2
        }
        if let known { return known }
        guard room <= Self.size / 2 else { throw .usage("\(room) copies do not fit into one list") }
        let made = List(id: String(lists.count + 1), uri: uri(String(lists.count + 1)), kind: kind, bits: bits, size: Self.size)
        lists.append(made)
        return made
    }

    /// The entry of this id, or the one that begins with it.
    /// - Throws: exit code 1 when there is none, or more than one.
    func entry(_ id: String) throws(CommandError) -> Entry {
        let found = entries.filter { $0.id == id || (!id.isEmpty && $0.id.hasPrefix(id)) }
        guard let only = found.first, found.count == 1 else {
            throw .refused(
                found.isEmpty ? "no document \"\(id)\" was issued with a status here" : "\"\(id)\" means \(found.count) documents",
                hint: "walletbench issuer status lists them")
        }
        return only
    }

    /// Revocation is for good; suspension is not (Token Status List §7.1).
    mutating func set(_ status: UInt8, of id: String, force: Bool = false) throws(CommandError) -> Entry {
        let entry = try entry(id)
        guard let place = entries.firstIndex(of: entry), let list = lists.first(where: { $0.id == entry.list }) else {
            throw .environment("the list of \(id) is gone")
        }
        guard entry.status != 1 || status == 1 || force else {
            throw .refused("\(entry.id) is revoked, which is for good", hint: "issue a new document")
        }
        let most = list.kind == .identifiers ? 1 : 1 << list.bits - 1
        guard Int(status) <= most else {
            throw .refused(
                "the list of \(entry.id) has room for valid and revoked only",
                hint: "mint it with --status --status-bits 2 to be able to suspend it")
        }
        entries[place].status = status
        return entries[place]
    }

    /// The statuses of one list.
    func content(of list: List) -> StatusList {
        var statuses = StatusList(bits: list.bits, count: list.size)
        for entry in entries where entry.list == list.id && Int(entry.status) < 1 << list.bits {
            for index in entry.indices { statuses.set(entry.status, at: index) }
        }
        return statuses
    }

    /// What an identifier list holds.
    func identifiers(in list: List) -> [[UInt8]] {
        entries.filter { $0.list == list.id && $0.status == 1 }.flatMap(\.identifiers).compactMap { try? Hex.decode($0) }
    }
}

extension IssuedStatuses.List {
    fileprivate init?(_ json: JSON) {
        guard let id = json["id"]?.stringValue, let uri = json["uri"]?.stringValue,
            let kind = json["kind"]?.stringValue.flatMap(IssuedStatuses.Kind.init), let bits = json["bits"]?.intValue,
            [1, 2, 4, 8].contains(bits), let size = json["size"]?.intValue, (1...(1 << 24)).contains(size)
        else { return nil }
        self.init(id: id, uri: uri, kind: kind, bits: Int(bits), size: Int(size))
    }

    fileprivate var json: JSON {
        [
            "id": .string(id), "uri": .string(uri), "kind": .string(kind.rawValue), "bits": .integer(Int64(bits)),
            "size": .integer(Int64(size)),
        ]
    }
}

extension IssuedStatuses.Entry {
    /// What the copies of the document say, one each.
    func references(in list: IssuedStatuses.List) -> [StatusReference] {
        indices.map { StatusReference(.index($0), uri: list.uri) }
            + identifiers.compactMap { try? Hex.decode($0) }.map { StatusReference(.identifier($0), uri: list.uri) }
    }

    fileprivate init?(_ json: JSON) {
        guard let id = json["id"]?.stringValue, let type = json["type"]?.stringValue, let list = json["list"]?.stringValue,
            let status = json["status"]?.intValue.flatMap({ UInt8(exactly: $0) }), let issued = json["issued"]?.stringValue
        else { return nil }
        let indices = (json["indices"]?.arrayValue ?? []).compactMap { $0.intValue.flatMap { Int(exactly: $0) } }.filter { $0 >= 0 }
        self.init(
            id: id, type: type, list: list, indices: indices,
            identifiers: (json["identifiers"]?.arrayValue ?? []).compactMap(\.stringValue), status: status, issued: issued)
    }

    var json: JSON {
        [
            "id": .string(id), "type": .string(type), "list": .string(list),
            "indices": .array(indices.map { .integer(Int64($0)) }), "identifiers": .array(identifiers.map(JSON.string)),
            "status": .integer(Int64(status)), "state": .string(word), "issued": .string(issued),
        ]
    }
}
