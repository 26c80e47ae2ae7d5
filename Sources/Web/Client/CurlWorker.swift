import CCurl
import Glibc
import Ports

/// The thread that drives all transfers of a client.
final class CurlWorker: @unchecked Sendable {
    private enum Order {
        case add(CurlTransfer)
        case cancel(CurlTransfer)
    }

    private struct State {
        var orders: [Order] = []
        var isRunning = false
        var isStopping = false
    }

    // Used by the thread alone, but for the wake-up, which may come from any.
    private let multi: UnsafeMutableRawPointer?
    private let state = Locked(State())
    private var running: [UnsafeMutableRawPointer: CurlTransfer] = [:]

    private static let library: Void = { curl_global_init(Int(CURL_GLOBAL_DEFAULT)) }()

    init() {
        _ = Self.library
        multi = curl_multi_init()
    }

    deinit { curl_multi_cleanup(multi) }

    /// Begins a transfer; its continuation gets the end.
    func add(_ transfer: CurlTransfer) {
        let mustStart = state.withLock { state in
            state.orders.append(.add(transfer))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart, !Threads.start({ self.run() }) {
            state.withLock { ($0.isRunning, $0.orders) = (false, []) }
            return transfer.fail(.unreachable, "the system has no more threads")
        }
        curl_multi_wakeup(multi)
    }

    /// Gives a transfer up.
    func cancel(_ transfer: CurlTransfer) {
        state.withLock { $0.orders.append(.cancel(transfer)) }
        curl_multi_wakeup(multi)
    }

    /// Ends the thread.
    func stop() {
        state.withLock { $0.isStopping = true }
        curl_multi_wakeup(multi)
    }

    private func run() {
        while true {
            let (orders, isStopping) = state.withLock { state in
                defer { state.orders = [] }
                return (state.orders, state.isStopping)
            }
            for order in orders { obey(order) }
            if isStopping { break }
            var count: Int32 = 0
            curl_multi_perform(multi, &count)
            finish()
            curl_multi_poll(multi, nil, 0, 10_000, nil)
        }
        for transfer in running.values {
            curl_multi_remove_handle(multi, transfer.handle)
            transfer.fail(.cancelled, "the client has ended")
        }
        running = [:]
    }

    private func obey(_ order: Order) {
        switch order {
        case .add(let transfer):
            guard !transfer.isOver else { return }
            running[transfer.handle] = transfer
            if curl_multi_add_handle(multi, transfer.handle) != CURLM_OK {
                end(transfer) { $0.fail(.cancelled, "the transfer does not start") }
            }
        case .cancel(let transfer):
            end(transfer) { $0.fail(.cancelled, "the request was cancelled") }
        }
    }

    private func finish() {
        var result = CURLE_OK
        while let handle = ccurl_finished(multi, &result) {
            guard let transfer = running[handle] else { continue }
            end(transfer) { $0.finish(result) }
        }
    }

    private func end(_ transfer: CurlTransfer, _ body: (CurlTransfer) -> Void) {
        if running.removeValue(forKey: transfer.handle) != nil { curl_multi_remove_handle(multi, transfer.handle) }
        body(transfer)
    }
}
