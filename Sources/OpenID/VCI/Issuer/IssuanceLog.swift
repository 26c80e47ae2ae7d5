package import Codec
package import Credentials
package import Ports

/// What an issuer saw, step by step: for the page, for scripts and for tests. It holds the newest steps only.
package final class IssuanceLog: Sendable {
    /// One request and what came of it.
    package struct Step: Sendable {
        package let sequence: Int
        package let time: Timestamp
        /// Which issuance; nil where the request belongs to none that is known.
        package let issuance: String?
        /// `token`, `credential`…
        package let endpoint: String
        package let status: Int
        /// The error that was answered.
        package let error: String?
        /// What the issuer found, for people.
        package let detail: String
        package let checks: [Check]
        /// What went over the wire; nil for what came by no request, and for the oldest steps.
        package fileprivate(set) var messages: StepMessages?

        package var json: JSONObject {
            [
                "sequence": .integer(Int64(sequence)), "time": .string(time.rfc3339),
                "issuance": issuance.map { .string($0) } ?? .null,
                "endpoint": .string(endpoint), "status": .integer(Int64(status)), "error": error.map { .string($0) } ?? .null,
                "detail": .string(detail),
                "checks": .array(
                    checks.filter(\.outcome.isViolation).map {
                        ["id": .string($0.id), "outcome": .string($0.outcome.word), "reason": .string($0.reason ?? $0.name)]
                    }),
            ]
        }
    }

    private struct State {
        var steps: [Step] = []
        var next = 1
        var listeners: [Int: AsyncStream<Step>.Continuation] = [:]
        /// The first step whose messages are kept, and the bytes of all of them.
        var oldest = 0
        var bytes = 0

        mutating func append(_ step: Step) {
            steps.append(step)
            bytes += step.messages?.size ?? 0
            while bytes > messageBudget { forgetMessages() }
            guard steps.count > capacity else { return }
            let gone = capacity / 10
            while oldest < gone { forgetMessages() }
            steps.removeFirst(gone)
            oldest -= gone
        }

        private mutating func forgetMessages() {
            bytes -= steps[oldest].messages?.size ?? 0
            steps[oldest].messages = nil
            oldest += 1
        }
    }

    /// How many steps are kept.
    package static let capacity = 2000
    /// Bytes of messages that are kept.
    package static let messageBudget = 16 << 20

    private let state = Locked(State())

    package init() {}

    func add(
        _ time: Timestamp, _ issuance: String?, _ endpoint: String, _ status: Int, _ error: String?, _ detail: String,
        _ checks: [Check], _ messages: StepMessages? = nil
    ) {
        let (step, listeners) = state.withLock { state in
            let step = Step(
                sequence: state.next, time: time, issuance: issuance, endpoint: endpoint, status: status, error: error,
                detail: detail, checks: checks, messages: messages)
            state.next += 1
            state.append(step)
            return (step, Array(state.listeners.values))
        }
        for listener in listeners { listener.yield(step) }
    }

    /// The steps of an issuance, or all, oldest first.
    package func steps(of issuance: String? = nil, after sequence: Int = 0) -> [Step] {
        state.withLock { $0.steps.filter { $0.sequence > sequence && (issuance == nil || $0.issuance == issuance) } }
    }

    /// The issuances of the newest steps, newest first.
    package func newest(_ count: Int) -> [String] {
        var ids: [String] = []
        for step in state.withLock({ $0.steps }).reversed() where ids.count < count {
            if let id = step.issuance, !ids.contains(id) { ids.append(id) }
        }
        return ids
    }

    /// Every step from now on; the listener that falls 256 steps behind loses the oldest.
    package func follow() -> AsyncStream<Step> {
        let (stream, continuation) = AsyncStream.makeStream(of: Step.self, bufferingPolicy: .bufferingNewest(256))
        let id = state.withLock { state in
            let id = (state.listeners.keys.max() ?? 0) + 1
            state.listeners[id] = continuation
            return id
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners[id] = nil } }
        return stream
    }
}
