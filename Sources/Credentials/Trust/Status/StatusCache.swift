import Codec
import Crypto
import Ports

/// Keeps lists that were fetched, so that many verifications cost one fetch, and remembers for a while what could not be had.
///
/// A copy lives as long as its own words allow (`ttl`, `exp`), but only once somebody found it genuine: bytes that nobody vouches
/// for count as a failure. An older list never takes the place of a newer one. What is kept is bounded in number and in bytes; the
/// least recently used goes first. With an archive, what was fetched serves later runs too, while its source is out of reach.
public actor StatusCache {
    /// How long things are kept, in seconds, and how much.
    public struct Limits: Sendable, Hashable {
        /// The longest time without asking again, whatever a list allows.
        public var longest: Int64 = 24 * 3600
        /// Without `ttl` and `exp`.
        public var usual: Int64 = 300
        /// Before a source that failed is asked again.
        public var failure: Int64 = 60
        public var copies = 256
        public var bytes = 64 << 20

        public init() {}
    }

    /// A list, and when it was fetched.
    struct Copy: Sendable {
        let content: Content
        let fetchedAt: Timestamp
        let contentType: String?
        /// A copy that somebody kept: its age counts from its own `iat`.
        let isCopy: Bool
        /// Why it could not be fetched again, though it should have been.
        var staleBecause: String?

        var isStale: Bool { staleBecause != nil }

        func stale(because reason: String) -> Copy {
            var copy = self
            copy.staleBecause = reason
            return copy
        }
    }

    /// What is kept.
    enum Content: Sendable {
        case status(StatusToken)
        case revocations(RevocationList)

        var size: Int {
            switch self {
            case .status(let token): token.bytes.count + ((try? token.list?.get().bytes.count) ?? 0)
            case .revocations(let list): list.size
            }
        }

        fileprivate var bytes: [UInt8] {
            switch self {
            case .status(let token): token.bytes
            case .revocations(let list): list.list.der
            }
        }

        /// How this one shows that it is older than `known`; nil where it is not.
        fileprivate func age(before known: Content) -> String? {
            switch (self, known) {
            case (.status(let new), .status(let old)):
                guard let issued = new.issuedAt, let before = old.issuedAt, issued < before else { return nil }
                return "issued at \(issued.rfc3339), the copy at \(before.rfc3339)"
            case (.revocations(let new), .revocations(let old)):
                if let number = new.list.number, let before = old.list.number, number != before {
                    guard RevocationList.isLess(number, before) else { return nil }
                    return "its number is \(Hex.encode(number)), the copy's \(Hex.encode(before))"
                }
                guard new.list.thisUpdate < old.list.thisUpdate else { return nil }
                return "of \(new.list.thisUpdate.rfc3339), the copy of \(old.list.thisUpdate.rfc3339)"
            default: return nil
            }
        }
    }

    struct Key: Sendable, Hashable {
        let uri: String
        let kind: String

        fileprivate var archived: String { "\(kind) \(uri)" }
    }

    private struct Entry {
        var copy: Copy?
        /// Whether the archive was asked for it.
        var isRecalled = false
        /// Whether somebody found it genuine.
        var isGenuine = false
        var freshUntil: Timestamp?
        var failure: (fault: StatusFault, until: Timestamp)?
        var isFetching = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        var used = 0
    }

    private let limits: Limits
    private let archive: (any ListArchive)?
    private var entries: [Key: Entry] = [:]
    private var uses = 0
    /// How often a source was asked.
    public private(set) var fetches = 0
    /// What is remembered beyond the copies.
    public private(set) var memory: StatusMemory

    /// - Parameters:
    ///   - memory: of an earlier run.
    ///   - archive: where lists of earlier runs are, and this run's go.
    public init(_ limits: Limits = Limits(), memory: StatusMemory = StatusMemory(), archive: (any ListArchive)? = nil) {
        self.limits = limits
        self.memory = memory
        self.archive = archive
    }

    /// The list for `key`: one that is kept, else fetched. Callers that come while it is being fetched wait for that one fetch.
    ///
    /// - Parameters:
    ///   - freshFor: seconds that the content may be kept without asking again; nil where it does not count as genuine.
    ///   - recall: reads a list of the archive; nil where it cannot be read.
    func copy(
        _ key: Key, at time: Timestamp, freshFor: @Sendable (Content) -> Int64?,
        recall: @Sendable ([UInt8]) -> Content? = { _ in nil }, fetch: @Sendable () async -> Result<Copy, StatusFault>
    ) async -> Result<Copy, StatusFault> {
        while true {
            uses += 1
            entries[key, default: Entry()].used = uses
            let entry = entries[key] ?? Entry()
            if let copy = entry.copy, let until = entry.freshUntil, time < until { return .success(copy) }
            if let failure = entry.failure, time < failure.until {
                guard let copy = entry.copy else { return .failure(failure.fault) }
                return .success(copy.stale(because: failure.fault.message))
            }
            guard entry.isFetching else { break }
            await withCheckedContinuation { entries[key, default: Entry()].waiters.append($0) }
        }
        entries[key, default: Entry()].isFetching = true
        await recallKept(key, freshFor, recall)
        fetches += 1
        let result = await fetch()
        let (answer, kept) = settle(key, result, at: time, freshFor)
        if let kept { await archive?.keep(kept, as: key.archived) }
        return answer
    }

    /// Before the first fetch: the archive's copy, if it is genuine. It is what a failing fetch falls back to, and no older list
    /// replaces it.
    private func recallKept(_ key: Key, _ freshFor: (Content) -> Int64?, _ recall: ([UInt8]) -> Content?) async {
        guard let archive, let entry = entries[key], entry.copy == nil, !entry.isRecalled else { return }
        entries[key]?.isRecalled = true
        guard let kept = await archive.recall(key.archived), let content = recall(kept.bytes), freshFor(content) != nil else {
            return
        }
        entries[key]?.copy = Copy(content: content, fetchedAt: kept.fetchedAt, contentType: kept.contentType, isCopy: false)
        entries[key]?.isGenuine = true
    }

    /// - Returns: what the callers get, and what the archive is to keep.
    private func settle(
        _ key: Key, _ result: Result<Copy, StatusFault>, at time: Timestamp, _ freshFor: (Content) -> Int64?
    ) -> (Result<Copy, StatusFault>, KeptList?) {
        var entry = entries[key] ?? Entry()
        entry.isFetching = false
        let waiters = entry.waiters
        entry.waiters = []
        var answer = result
        var kept: KeptList?
        func keepKnown(_ known: Copy, because why: String) {
            entry.failure = (
                StatusFault("T10.fetch", values: [key.uri, "what is not taken"], detail: why), time.adding(seconds: limits.failure)
            )
            answer = .success(known.stale(because: why))
        }
        switch result {
        case .success(let copy):
            let known = entry.isGenuine ? entry.copy : nil
            let seconds = freshFor(copy.content)
            if let known, seconds == nil {
                // Bytes that nobody vouches for do not push out a good copy.
                keepKnown(known, because: "what \(key.uri) has now is not genuine")
            } else if let known, let age = copy.content.age(before: known.content) {
                // Whoever goes back in time takes no revocation back.
                keepKnown(known, because: "what \(key.uri) has now is older: \(age)")
            } else if let seconds {
                entry.copy = copy
                entry.isGenuine = true
                entry.failure = nil
                entry.freshUntil = time.adding(seconds: min(max(seconds, 0), limits.longest))
                if !copy.isCopy {
                    kept = KeptList(copy.content.bytes, contentType: copy.contentType, fetchedAt: copy.fetchedAt)
                }
            } else {
                // Kept for a moment only, so that one bad answer is not fetched for everybody who waits.
                entry.copy = copy
                entry.freshUntil = time.adding(seconds: limits.failure)
            }
        case .failure(let fault):
            // Who is interrupted says nothing about the source: the next one asks again.
            if fault.detail != Self.cancelled { entry.failure = (fault, time.adding(seconds: limits.failure)) }
            if let copy = entry.copy { answer = .success(copy.stale(because: fault.message)) }
        }
        entries[key] = entry
        makeRoom(for: key)
        for waiter in waiters { waiter.resume() }
        return (answer, kept)
    }

    static let cancelled = "cancelled"

    private func makeRoom(for key: Key) {
        func size() -> Int { entries.values.reduce(0) { $0 + ($1.copy?.content.size ?? 64) } }
        while entries.count > limits.copies || size() > limits.bytes {
            let idle = entries.filter { $0.key != key && !$0.value.isFetching }
            guard let oldest = idle.min(by: { $0.value.used < $1.value.used })?.key else { return }
            entries[oldest] = nil
        }
    }

    /// How long the limits allow without words of the list's own.
    nonisolated var usual: Int64 { limits.usual }

    // MARK: memory

    /// Notes a genuine status; returns whether the same token was revoked before and is valid now (T33).
    func note(_ status: TokenStatus, of token: String) -> Bool { memory.note(status, of: token) }

    /// Notes the number of a genuine CRL; returns the highest that was seen before.
    func note(number: [UInt8]?, of uri: String) -> [UInt8]? { memory.note(number: number, of: uri) }
}

/// What lists said once and may not take back: a revocation, and the number of a CRL. Bounded; worth keeping between runs.
public struct StatusMemory: Sendable, Hashable {
    /// `uri#index` of everything that a genuine list said is revoked.
    public private(set) var revoked: Set<String>
    /// The highest number of the genuine CRLs at a URI.
    public private(set) var numbers: [String: [UInt8]]
    private static let most = 65_536

    public init(revoked: Set<String> = [], numbers: [String: [UInt8]] = [:]) {
        self.revoked = revoked
        self.numbers = numbers
    }

    /// What either of two runs learnt.
    public func merging(_ other: StatusMemory) -> StatusMemory {
        StatusMemory(
            revoked: revoked.count < Self.most ? revoked.union(other.revoked) : revoked,
            numbers: numbers.merging(other.numbers) { RevocationList.isLess($0, $1) ? $1 : $0 })
    }

    mutating func note(_ status: TokenStatus, of token: String) -> Bool {
        if status == .invalid, revoked.count < Self.most { revoked.insert(token) }
        return status == .valid && revoked.contains(token)
    }

    mutating func note(number: [UInt8]?, of uri: String) -> [UInt8]? {
        let known = numbers[uri]
        guard let number, known.map({ RevocationList.isLess($0, number) }) ?? (numbers.count < Self.most) else { return known }
        numbers[uri] = number
        return known
    }
}
