import Codec
import Ports
import Proximity

/// The line that says, on a terminal, where a session is and how fast messages pass; with `--json`, progress as events.
final class LiveLine: Sendable {
    private struct Transfer {
        let started: Int64
        var told: Int64
        /// Bytes that had come when it was first heard of.
        let before: Int
        let isSent: Bool
    }

    /// Between two words on one transfer.
    private static let interval: Int64 = 200
    private static let barWidth = 24
    private let console: Console
    private let role: String
    private let transfer = Locked<Transfer?>(nil)
    private let now: @Sendable () -> Int64

    /// - Parameter now: milliseconds of a clock that never goes back.
    init(_ console: Console, role: String, now: @escaping @Sendable () -> Int64 = { monotonicMilliseconds() }) {
        (self.console, self.role, self.now) = (console, role, now)
    }

    /// The session is here now.
    func state(_ text: String) { console.progress("\(text) …") }

    /// A message has come so far.
    func note(_ progress: TransferProgress) {
        let now = now()
        let due = transfer.withLock { transfer -> (milliseconds: Int64, bytes: Int)? in
            let known = transfer.flatMap { $0.isSent == progress.isSent ? $0 : nil }
            var current = known ?? Transfer(started: now, told: now, before: progress.bytes, isSent: progress.isSent)
            let isDue = progress.isLast || now - current.told >= Self.interval
            if isDue { current.told = now }
            transfer = progress.isLast ? nil : current
            return isDue ? (now - current.started, progress.bytes - current.before) : nil
        }
        guard let due else { return }
        let rate = due.milliseconds > 0 ? Int64(due.bytes) * 1000 / due.milliseconds : nil
        console.event(
            .progress, role: role,
            [
                "direction": .string(progress.isSent ? "sent" : "received"), "bytes": .integer(Int64(progress.bytes)),
                "total": progress.total.map { .integer(Int64($0)) } ?? .null, "rate": rate.map { .integer($0) } ?? .null,
            ])
        // Short messages are done before anybody could read it.
        guard due.milliseconds >= Self.interval else { return }
        console.progress(Self.line(progress, rate: rate))
    }

    /// `sending [########                ] 100 of 300 KB, 45 KB/s`
    /// - Parameter rate: in bytes a second.
    static func line(_ progress: TransferProgress, rate: Int64?) -> String {
        let verb = progress.isSent ? "sending" : "receiving"
        let rate = rate.map { ", \($0 / 1000) KB/s" } ?? ""
        guard let total = progress.total, total > 0 else { return "\(verb) \(progress.bytes / 1000) KB\(rate)" }
        let filled = min(progress.bytes * barWidth / total, barWidth)
        let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: barWidth - filled)
        return "\(verb) [\(bar)] \(progress.bytes / 1000) of \(total / 1000) KB\(rate)"
    }
}
