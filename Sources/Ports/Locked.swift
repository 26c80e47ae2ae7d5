import Glibc

/// A value behind a mutex. A pthread mutex, as the thread sanitizer reports false races for the standard library's.
package final class Locked<Value>: @unchecked Sendable {
    // Every access to `value` happens between lock and unlock; the mutex never moves, as it lives on the heap.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Takes a value in.
    package init(_ value: sending Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Reads or changes the value alone. Never call out to code that may take the same lock.
    package func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
