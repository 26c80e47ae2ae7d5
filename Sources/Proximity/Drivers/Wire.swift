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
        KillPoint.pass("message sent")
        touch()
    }

    /// The next message within the idle limit; nil when the peer ended the transfer.
    func receive() async throws(LinkError) -> [UInt8]? {
        let link = link
        let message = try await TimeLimit.run(seconds: limits.idleSeconds, doing: "waiting for a message") {
            () async throws(LinkError) in
            try await link.receive()
        }
        KillPoint.pass("message received")
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
    /// - Parameter hasPeerEnded: the peer had the last word: over a link that ends by closing it waits for this end to close.
    /// - Returns: the messages that came, which none should have, and how the link ended.
    func drain(hasPeerEnded: Bool) async -> (messages: [[UInt8]], end: LinkEnd) {
        let link = link
        if hasPeerEnded, link.endsByClosing { return ([], .orderly) }
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

    fileprivate func touch() {
        let now = monotonicMilliseconds()
        lastMessage.withLock { $0 = now }
    }
}

extension Wire {
    /// What came first.
    enum Meanwhile<Value: Sendable>: Sendable {
        case done(Value)
        /// A message, or nil when the peer ended the transfer.
        case heard([UInt8]?)
    }

    /// Does `work`, which may take a person's time, and listens meanwhile: a peer that ends or vanishes cancels it. Nothing that
    /// was received is lost, whichever comes first.
    func listening<Value: Sendable>(
        during work: @escaping @Sendable () async throws -> Value
    ) async throws -> Meanwhile<Value> {
        let link = link
        let outcome: Result<Meanwhile<Value>, any Error> = await withTaskGroup(of: Result<Meanwhile<Value>, any Error>.self) {
            group in
            group.addTask { do { return .success(.done(try await work())) } catch { return .failure(error) } }
            group.addTask { do { return .success(.heard(try await link.receive())) } catch { return .failure(error) } }
            let first = await group.next() ?? .failure(LinkError.cancelled)
            group.cancelAll()
            let second = await group.next() ?? .failure(LinkError.cancelled)
            if case .success(.heard) = second { return second }
            return first
        }
        let result = try outcome.get()
        touch()
        return result
    }
}
