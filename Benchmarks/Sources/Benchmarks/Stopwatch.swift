import Glibc

/// Measures the processor time of this process, so that other work on the machine matters less.
enum Stopwatch {
    /// Microseconds that `body` takes once: the best of `runs`, each long enough to be measured.
    static func microseconds(runs: Int = 5, _ body: () async throws -> Void) async rethrows -> Double {
        try await body()
        var count = 1
        while try await seconds(count, body) < 0.02 { count *= 2 }
        var best = Double.infinity
        for _ in 0..<runs { best = min(best, try await seconds(count, body) / Double(count)) }
        return best * 1e6
    }

    private static func seconds(_ count: Int, _ body: () async throws -> Void) async rethrows -> Double {
        let start = now()
        for _ in 0..<count { try await body() }
        return now() - start
    }

    /// Seconds that `body` takes this once.
    static func once(_ body: () -> Void) -> Double {
        let start = now()
        body()
        return now() - start
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
