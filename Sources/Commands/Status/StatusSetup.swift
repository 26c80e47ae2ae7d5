import Codec
import Credentials
import Crypto
import Ports

/// How a run finds out the status of documents and signers: policy, sources, and what earlier runs remember.
struct StatusSetup: Sendable {
    let checker: StatusChecker
    private let home: Home
    /// What the home knows already.
    private let saved: Locked<StatusMemory>

    init(_ context: Context) throws(CommandError) {
        home = context.home
        let before = Self.memory(of: context.home)
        saved = Locked(before)
        checker = StatusChecker(
            policy: context.statusPolicy, source: try Self.source(context),
            cache: StatusCache(memory: before, archive: FolderArchive(of: context.home)), edition: context.edition,
            skew: Int64(context.skew))
    }

    /// Folders that the command line or the settings name, then what the home itself issues and makes, last the network.
    static func source(_ context: Context) throws(CommandError) -> any ResourceSource {
        let named = context.statusSources.map { FolderSource(path: $0) }
        let folders: [any ResourceSource] = named + [OwnSource(context)]
        guard !context.network.isOffline else { return FallbackSource(folders + [OfflineSource("is not fetched: --offline")]) }
        let network = NetworkSource(
            try ClientSetup.transport(context), asksReservedNames: context.network.allowsPrivate)
        return FallbackSource(folders + [network])
    }

    /// Keeps what the run learnt.
    func remember() async {
        let learnt = await checker.cache.memory
        guard saved.withLock({ $0 != learnt }) else { return }
        // Without a place to keep it the next run just knows less.
        try? home.make()
        guard let lock = try? FileLock("\(home.file(file)).lock") else { return }
        defer { lock.release() }
        // Another process of the home may have learnt something since.
        let memory = Self.memory(of: home).merging(learnt)
        let object: JSONObject = [
            "revoked": .array(memory.revoked.sorted().map(JSON.string)),
            "numbers": .object(
                JSONObject(memory.numbers.sorted { $0.key < $1.key }.map { (key: $0.key, value: .string(Hex.encode($0.value))) })),
        ]
        try? Files.write(Array(JSON.object(object).encoded(pretty: true).utf8), to: home.file(file), mode: 0o600)
        saved.withLock { $0 = learnt }
    }

    private var file: String { Self.file }
    private static let file = "status-memory.json"

    private static func memory(of home: Home) -> StatusMemory {
        guard let bytes = try? Files.read(home.file(file), limit: 32 << 20), let json = try? JSON.decode(bytes) else {
            return StatusMemory()
        }
        var numbers: [String: [UInt8]] = [:]
        for (uri, number) in json["numbers"]?.objectValue ?? JSONObject() {
            numbers[uri] = number.stringValue.flatMap { try? Hex.decode($0) }
        }
        return StatusMemory(revoked: Set((json["revoked"]?.arrayValue ?? []).compactMap(\.stringValue)), numbers: numbers)
    }
}

extension StatusPolicy {
    /// - Parameters:
    ///   - general: `enforce`, `warning`, `off`; nil: `warning`.
    ///   - overrides: `TYPE=POLICY`, several with commas between.
    init(general: String?, overrides: [String], option: String = "status-for") throws(CommandError) {
        var byType: [String: TrustPolicy] = [:]
        for text in overrides.flatMap({ $0.split(separator: ",").map(String.init) }) {
            guard let mark = text.lastIndex(of: "="), let policy = TrustPolicy(rawValue: String(text[text.index(after: mark)...]))
            else {
                throw .usage(
                    "--\(option) \(text): TYPE=POLICY expected",
                    hint:
                        "for example org.iso.18013.5.1.mDL=enforce; policies: \(TrustPolicy.allCases.map(\.rawValue).joined(separator: ", "))"
                )
            }
            byType[String(text[..<mark])] = policy
        }
        self.init(general.flatMap(TrustPolicy.init) ?? .warning, byType: byType)
    }
}
