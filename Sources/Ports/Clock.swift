import Glibc

/// What time it is. The name is `Clock` as the thing is; write `Ports.Clock` where the standard library's is meant too.
public protocol Clock: Sendable {
    /// The present time.
    func now() -> Timestamp
}

/// The clock of the machine.
public struct SystemClock: Clock {
    /// The machine's clock.
    public init() {}

    /// The present time, UTC.
    public func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(secondsSince1970: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }
}

/// A clock that stands still: `--at` and tests.
public struct FixedClock: Clock {
    private let time: Timestamp

    /// A clock that always says this time.
    public init(_ time: Timestamp) { self.time = time }

    /// The time given.
    public func now() -> Timestamp { time }
}
