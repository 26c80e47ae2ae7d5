import Glibc

/// At which of the points that a process passes the walks kill it.
enum KillNumbers {
    /// The last point of each kind, from 1; with `$WALLETBENCH_KILL_WALK=all` every single one.
    static func walked(_ kinds: [String]) -> [Int] {
        if let walk = getenv("WALLETBENCH_KILL_WALK"), String(cString: walk) == "all" { return Array(1...kinds.count) }
        return Dictionary(kinds.enumerated().map { ($1, $0 + 1) }, uniquingKeysWith: { max($0, $1) }).values.sorted()
    }
}
