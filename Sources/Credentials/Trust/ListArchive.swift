public import Ports

/// Keeps lists from one run to the next: what was fetched and found genuine serves while its source is out of reach.
///
/// What comes back is verified anew by whoever recalls it.
public protocol ListArchive: Sendable {
    /// The list of a name; nil where there is none.
    func recall(_ name: String) async -> KeptList?
    /// Keeps a list in the place of the one that is there. That it may fail changes nothing but that the next run knows less.
    func keep(_ list: KeptList, as name: String) async
}

/// A list as it was fetched.
public struct KeptList: Sendable, Hashable {
    public let bytes: [UInt8]
    /// As with `Resource`.
    public let contentType: String?
    public let fetchedAt: Timestamp

    public init(_ bytes: [UInt8], contentType: String?, fetchedAt: Timestamp) {
        self.bytes = bytes
        self.contentType = contentType
        self.fetchedAt = fetchedAt
    }

    /// `90 s`, `3 h`, `2 days`: how old the copy is.
    public func age(at time: Timestamp) -> String { Self.age(of: fetchedAt, at: time) }

    static func age(of start: Timestamp, at time: Timestamp) -> String {
        let seconds = max(time.seconds(since: start), 0)
        switch seconds {
        case ..<7200: return "\(seconds) s"
        case ..<172_800: return "\(seconds / 3600) h"
        default: return "\(seconds / 86_400) days"
        }
    }
}
