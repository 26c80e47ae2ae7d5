import Ports

/// What both drivers do with their link: limits, the goodbye, and how it all ended.
struct Wire: Sendable {
    let link: any Link
    let limits: SessionLimits
    private let lastMessage = Locked(monotonicMilliseconds())

    init(_ link: any Link, limits: SessionLimits) { (self.link, self.limits) = (link, limits) }

    /// Sends a message within the idle limit.
    func send(_ message: [UInt8]) async throws(LinkError) {
        let link = link
        try await TimeLimit.run(seconds: limits.idleSeconds, doing: "sending") { () async throws(LinkError) in
            try await link.send(message)
        }
        touch()
    }

    /// The next message within the idle limit; nil when the peer ended the transfer.
    func receive() async throws(LinkError) -> [UInt8]? {
        let link = link
        let message = try await TimeLimit.run(seconds: limits.idleSeconds, doing: "waiting for a message") {
            () async throws(LinkError) in
            try await link.receive()
        }
        touch()
        return message
    }

    /// Sends a last message, if any, and State 0x02. Works in a cancelled task too, which is when it is needed most.
    func sayGoodbye(_ message: [UInt8]?) async {
        let (link, seconds) = (link, limits.lingerSeconds)
        await Task {
            _ = try? await TimeLimit.run(seconds: seconds, doing: "ending the session") { () async throws(LinkError) in
                if let message { try? await link.send(message) }
                await link.end()
            }
        }.value
    }

    /// Waits for what the peer still sends until it ends or disconnects, but not for long.
    /// - Returns: the messages that came, which none should have, and how the link ended.
    func drain() async -> (messages: [[UInt8]], end: LinkEnd) {
        let link = link
        let late = Locked<[[UInt8]]>([])
        do throws(LinkError) {
            try await TimeLimit.run(seconds: limits.lingerSeconds, doing: "waiting for the peer to end") {
                () async throws(LinkError) in
                while let message = try await link.receive() { late.withLock { $0.append(message) } }
            }
            return (late.withLock { $0 }, .orderly)
        } catch {
            return (late.withLock { $0 }, end(error))
        }
    }

    /// How the link ended when it threw `error`.
    func end(_ error: any Error) -> LinkEnd {
        guard let error = error as? LinkError else { return .orderly }
        return .broken(error, idleSeconds: Int((monotonicMilliseconds() - lastMessage.withLock { $0 }) / 1000))
    }

    private func touch() {
        let now = monotonicMilliseconds()
        lastMessage.withLock { $0 = now }
    }
}
