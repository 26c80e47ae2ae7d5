import Glibc
import Ports
import Proximity
import Testing

@testable import Commands

/// The line of a session on its way, and the events of `--json`.
@Suite struct LiveLineTests {
    private func run(_ progress: [(Int, TransferProgress)]) async throws -> [String] {
        let path = "/tmp/walletbench-live-\(getpid())-\(UInt32.random(in: .min ... .max))"
        defer { unlink(path) }
        let file = FileDescriptor(open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
        let console = Console(
            isJSON: true, clock: FixedClock(try Timestamp(rfc3339: "2026-11-30T12:00:00Z")), output: file, errors: file)
        let time = Locked<Int64>(0)
        let live = LiveLine(console, role: "reader", now: { time.withLock { $0 } })
        for (milliseconds, one) in progress {
            time.withLock { $0 = Int64(milliseconds) }
            live.note(one)
        }
        close(file.number)
        return String(decoding: try Files.read(path), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func progressIsToldNowAndThenAndAtTheEnd() async throws {
        let lines = try await run([
            (0, TransferProgress(isSent: false, bytes: 1_000, total: nil, isLast: false)),
            (100, TransferProgress(isSent: false, bytes: 2_000, total: nil, isLast: false)),
            (250, TransferProgress(isSent: false, bytes: 3_000, total: nil, isLast: false)),
            (1000, TransferProgress(isSent: false, bytes: 5_000, total: nil, isLast: true)),
        ])
        #expect(lines.count == 2)
        #expect(lines.first?.contains(#""direction":"received","bytes":3000,"total":null,"rate":8000"#) == true)
        #expect(lines.last?.contains(#""bytes":5000,"total":null,"rate":4000"#) == true)
    }

    @Test func theBarShowsHowFarItIs() {
        let half = TransferProgress(isSent: true, bytes: 150_000, total: 300_000, isLast: false)
        #expect(LiveLine.line(half, rate: 45_300) == "sending [############            ] 150 of 300 KB, 45 KB/s")
        let unknown = TransferProgress(isSent: false, bytes: 20_400, total: nil, isLast: false)
        #expect(LiveLine.line(unknown, rate: nil) == "receiving 20 KB")
    }
}
