public import Ports

/// A link that does to its messages what a `FaultPlan` says, or rewrites those it sends.
public actor FaultyLink: Link {
    private let link: any Link
    private let plan: FaultPlan
    private let rewrite: @Sendable ([UInt8], _ ordinal: Int) -> [UInt8]
    private var counts: [FaultPlan.Direction: Int] = [:]
    private var late: [[UInt8]] = []

    /// - Parameter rewrite: changes a message to be sent, the `ordinal`-th from 0, before the plan is applied.
    public init(
        _ link: any Link, plan: FaultPlan = FaultPlan(),
        rewrite: @escaping @Sendable ([UInt8], _ ordinal: Int) -> [UInt8] = { bytes, _ in bytes }
    ) {
        (self.link, self.plan, self.rewrite) = (link, plan, rewrite)
    }

    public func send(_ message: [UInt8]) async throws(LinkError) {
        let ordinal = next(.sent)
        for message in try await outcome(of: rewrite(message, ordinal), .sent, ordinal) { try await link.send(message) }
    }

    public func receive() async throws(LinkError) -> [UInt8]? {
        while late.isEmpty {
            guard let message = try await link.receive() else { return nil }
            late = try await outcome(of: message, .received, next(.received))
        }
        return late.removeFirst()
    }

    public func end() async { await link.end() }
    public func close() async { await link.close() }
    public func oddities() async -> Set<GATTChannel.Oddity> { await link.oddities() }
    public func examined() async -> Set<String> { await link.examined() }
    public nonisolated var endsByClosing: Bool { link.endsByClosing }

    private func next(_ direction: FaultPlan.Direction) -> Int {
        defer { counts[direction, default: 0] += 1 }
        return counts[direction, default: 0]
    }

    private func outcome(of message: [UInt8], _ direction: FaultPlan.Direction, _ ordinal: Int) async throws(LinkError) -> [[UInt8]]
    {
        switch plan.apply(to: message, direction, ordinal: ordinal) {
        case .deliver(let messages, let milliseconds):
            if milliseconds > 0 { try? await Task.sleep(for: .milliseconds(milliseconds)) }
            return messages
        case .close:
            await link.close()
            throw .closed
        }
    }
}
