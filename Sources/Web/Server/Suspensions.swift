import Ports

/// Counts what is suspended: the library aborts the process when it is stopped while a connection is. Also keeps what must be told to
/// end when the server stops.
final class Suspensions: Sendable {
    private struct State {
        var isStopping = false
        var count = 0
        var endings: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    /// Whether everyone was told to end.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Notes who has to be told; false when the server is stopping, so that nothing may be suspended any more.
    func register(_ owner: AnyObject, ending: @escaping @Sendable () -> Void) -> Bool {
        let id = ObjectIdentifier(owner)
        return state.withLock { state in
            guard !state.isStopping else { return false }
            state.endings[id] = ending
            return true
        }
    }

    /// The owner has ended.
    func forget(_ owner: AnyObject) {
        let id = ObjectIdentifier(owner)
        state.withLock { _ = $0.endings.removeValue(forKey: id) }
    }

    /// Suspends by `body`; false, and nothing done, when the server is stopping.
    func suspend(_ body: () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isStopping else { return false }
            state.count += 1
            body()
            return true
        }
    }

    /// Resumes by `body`.
    func resume(_ body: () -> Void) {
        let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
            body()
            state.count -= 1
            guard state.count == 0 else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Tells everyone to end and waits until nothing is suspended.
    func drain() async {
        let endings = state.withLock { state in
            state.isStopping = true
            return Array(state.endings.values)
        }
        for ending in endings { ending() }
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            let isDone = state.withLock { state in
                if state.count > 0 { state.waiter = waiter }
                return state.count == 0
            }
            if isDone { waiter.resume() }
        }
    }
}
