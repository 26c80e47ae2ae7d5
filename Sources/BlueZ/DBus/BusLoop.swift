import CSystemd
import Glibc
import Ports
import Proximity

/// The thread of one D-Bus connection. It is the executor of the actor `Bus`, so that every sd-bus call is made on it and needs no lock.
final class BusLoop: SerialExecutor, @unchecked Sendable {
    // `connection` is touched by the thread only; everything else is locked or constant.
    private var connection: OpaquePointer?
    private let wake: WakePipe
    private let jobs = Locked<[UnownedJob]>([])
    private let isStopping = Locked<Estate?>(nil)
    private let thread = Locked<pthread_t?>(nil)
    private let onEnd: @Sendable () -> Void

    /// - Parameter onEnd: called on the thread when the connection is gone.
    private init(wake: WakePipe, onEnd: @escaping @Sendable () -> Void) { (self.wake, self.onEnd) = (wake, onEnd) }

    /// Starts a thread and connects on it.
    /// - Parameter address: of the bus; nil is the system bus.
    static func start(_ address: String?, onEnd: @escaping @Sendable () -> Void) async throws(BusError) -> BusLoop {
        guard let wake = try? WakePipe() else { throw BusError(code: -EMFILE, doing: "connecting to D-Bus") }
        let loop = BusLoop(wake: wake, onEnd: onEnd)
        let code: Int32 = await withCheckedContinuation { continuation in
            let started = Threads.start {
                let code = loop.open(address)
                continuation.resume(returning: code)
                if code >= 0 { loop.run() }
            }
            if !started { continuation.resume(returning: -EAGAIN) }
        }
        guard code >= 0 else { throw BusError(code: code, doing: "connecting to D-Bus") }
        return loop
    }

    /// The connection; nil once it is lost. For code on the thread.
    var bus: OpaquePointer? {
        checkIsolated()
        return connection
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        wake.signal()
    }

    func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "sd-bus is used on its own thread")
    }

    func isIsolatingCurrentContext() -> Bool? {
        thread.withLock { thread in thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// What belongs to the connection; given back on the thread before the connection goes.
    final class Estate: @unchecked Sendable {
        // Read and changed on the bus's thread only.
        /// sd-bus slots and what their callbacks point to.
        var slots: [Int: (slot: OpaquePointer, context: AnyObject)] = [:]
        /// Calls that wait for their replies.
        var calls: [Int: OpaquePointer] = [:]
    }

    /// Ends the thread once no job is left. Called when nobody can give it new ones.
    func stop(_ estate: Estate) {
        isStopping.withLock { $0 = estate }
        wake.signal()
    }

    private func open(_ address: String?) -> Int32 {
        thread.withLock { $0 = pthread_self() }
        guard let address else { return sd_bus_open_system(&connection) }
        var code = sd_bus_new(&connection)
        if code >= 0 { code = sd_bus_set_address(connection, address) }
        if code >= 0 { code = sd_bus_set_bus_client(connection, 1) }
        if code >= 0 { code = sd_bus_negotiate_fds(connection, 1) }
        if code >= 0 { code = sd_bus_start(connection) }
        if code < 0 { connection = sd_bus_unref(connection) }
        return code
    }

    private func run() {
        while true {
            while let connection {
                let code = sd_bus_process(connection, nil)
                if code < 0 { lose() }
                if code <= 0 { break }
            }
            let batch = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
            guard batch.isEmpty else { continue }
            if let estate = isStopping.withLock({ $0 }) {
                for (slot, _) in estate.slots.values { sd_bus_slot_unref(slot) }
                for call in estate.calls.values { sd_bus_message_unref(call) }
                break
            }
            sleep()
        }
        lose()
    }

    /// Waits for the bus, its next time limit or a job.
    private func sleep() {
        var watched = [pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)]
        var milliseconds: Int32 = -1
        if let connection {
            let events = sd_bus_get_events(connection)
            watched.append(pollfd(fd: sd_bus_get_fd(connection), events: Int16(truncatingIfNeeded: max(events, 0)), revents: 0))
            var deadline: UInt64 = 0
            if sd_bus_get_timeout(connection, &deadline) > 0, deadline != UInt64.max {
                let left = Int64(clamping: deadline / 1000) - monotonicMilliseconds()
                milliseconds = Int32(clamping: max(left + 1, 0))
            }
        }
        _ = poll(&watched, nfds_t(watched.count), milliseconds)
        if watched[0].revents != 0 { wake.drain() }
    }

    private func lose() {
        guard connection != nil else { return }
        connection = sd_bus_flush_close_unref(connection)
        onEnd()
    }
}
