#if DEBUG
    internal import CSQLite
    internal import Glibc
    internal import Ports

    /// Makes every write of SQLite to a file a kill point: before it, and in the middle of it.
    enum InterruptedWrites {
        /// Takes effect once, for the whole process, and only where a kill point is wanted.
        static let install: Void = {
            guard getenv("WALLETBENCH_KILL_AT") != nil || getenv("WALLETBENCH_KILL_POINTS") != nil else { return }
            guard let files = sqlite3_vfs_find(nil), let set = files.pointee.xSetSystemCall else { return }
            for name in ["pwrite", "pwrite64"] {
                _ = set(files, name, unsafeBitCast(writing, to: sqlite3_syscall_ptr.self))
            }
        }()

        private static let writing: @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int = { file, bytes, count, offset in
            KillPoint.pass("vault write")
            KillPoint.pass("vault torn write") { _ = pwrite(file, bytes, count / 2, offset) }
            return pwrite(file, bytes, count, offset)
        }
    }
#endif
