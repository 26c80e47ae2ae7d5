import Codec
import Credentials
import Glibc
import OpenID
import Ports

/// Where a serving issuer enters what it issues into status lists, and signs those lists for who asks. It reads the home's statuses anew
/// each time they changed, so that `issuer revoke` of another process shows at once.
actor StatusDesk: StatusRegister {
    /// What documents get.
    struct Terms: Sendable {
        /// For mdocs; SD-JWT VCs have status lists only.
        var kind: IssuedStatuses.Kind = .list
        /// Bits of one entry; nil: 1 for mDLs, of which no more is allowed, else 2, so that documents can be suspended.
        var bits: Int?
        /// Seconds that a copy of a list may be kept.
        var timeToLive: Int64 = 300
    }

    private let context: Context
    private let base: String
    private let terms: Terms
    private let fault: ListFault?
    /// Lists as signed, by id and form.
    private var signed: [String: Signed] = [:]

    private struct Signed {
        let stamp: FileStamp
        let at: Timestamp
        let bytes: [UInt8]?
    }

    /// - Parameter base: where lists are served: `<base>/<id>`.
    init(_ context: Context, base: String, terms: Terms, fault: ListFault?) {
        (self.context, self.base, self.terms, self.fault) = (context, base, terms, fault)
    }

    private static let mDL = "org.iso.18013.5.1.mDL"

    func enter(
        type: String, form: StatusForm, copies: Int, at time: Timestamp
    ) async throws -> (entry: String, references: [StatusReference]) {
        var (kind, bits) = (form == .cwt ? terms.kind : .list, terms.bits ?? (type == Self.mDL ? 1 : 2))
        var status: UInt8 = 0
        switch fault?.kind {
        case .entry(let wanted, let size)?: (status, bits, kind) = (wanted, size, .list)
        case .identifier? where form == .cwt: (status, kind) = (1, .identifiers)
        default: break
        }
        let (wantedBits, wantedKind, initial) = (bits, kind, status)
        let (entry, list) = try IssuedStatuses.changingNow(context.home) { statuses in
            try statuses.add(
                type: type, copies: copies, kind: wantedKind, bits: wantedBits, base: base, status: initial, at: time,
                random: context.random)
        }
        return (entry.id, entry.references(in: list))
    }

    /// A list in one form; nil where there is none of this id, or not in this form.
    func list(_ id: String, as form: StatusForm) async throws -> [UInt8]? {
        let key = "\(id).\(form.rawValue)"
        let (stamp, now) = (FileStamp(IssuedStatuses.file(of: context.home)), context.clock.now())
        // Signed again while its copies would still be fresh.
        if let known = signed[key], known.stamp == stamp, now.seconds(since: known.at) < min(terms.timeToLive, 60) {
            return known.bytes
        }
        let statuses = try IssuedStatuses(of: context.home)
        guard let list = statuses.lists.first(where: { $0.id == id }) else { return nil }
        var publisher = try StatusPublisher(context, fault: fault)
        publisher.timeToLive = terms.timeToLive
        let bytes = try await publisher.signed(list, statuses, as: form)
        signed[key] = Signed(stamp: stamp, at: now, bytes: bytes)
        return bytes
    }
}

/// Tells whether a file was replaced or changed.
struct FileStamp: Sendable, Hashable {
    private let inode: UInt64
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    init(_ path: String) {
        var info = stat()
        let isThere = stat(path, &info) == 0
        inode = isThere ? UInt64(info.st_ino) : 0
        size = isThere ? Int(info.st_size) : -1
        seconds = isThere ? info.st_mtim.tv_sec : 0
        nanoseconds = isThere ? info.st_mtim.tv_nsec : 0
    }
}
