import CSQLite
import Glibc
import Ports

/// One connection to one database file. Not thread-safe by itself: it lives inside the actor that owns it.
///
/// Settings: write-ahead log with full synchronisation (a commit that returned survives a killed process and a lost power
/// supply), `DEFENSIVE`, an untrusted schema, deleted content overwritten, and a wait for other processes.
final class SQLiteConnection {
    private let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]

    /// Opens `path`, which must exist unless `create` is set. A writer waits `busyTimeout` milliseconds for other processes.
    init(path: String, create: Bool, readOnly: Bool = false, busyTimeout: Int32 = 10_000) throws(SQLiteError) {
        #if DEBUG
            InterruptedWrites.install
        #endif
        var opened: OpaquePointer?
        let access = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0)
        let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let opened, code == SQLITE_OK else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(opened)
            throw SQLiteError(code: code, message: message, sql: nil)
        }
        handle = opened
        sqlite3_busy_timeout(handle, busyTimeout)
        try check(csq_defensive(handle))
        try check(csq_distrust_schema(handle))
        if !readOnly {
            try useWriteAheadLog(busyTimeout)
            try execute("PRAGMA synchronous = FULL")
        }
        try execute("PRAGMA secure_delete = ON")
        try execute("PRAGMA cell_size_check = ON")
        try execute("PRAGMA temp_store = MEMORY")
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Runs a statement and drops its rows.
    func execute(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) {
        _ = try rows(sql, values) { (_) throws(SQLiteError) in }
    }

    /// The first row as `read` sees it, or nil when there is none.
    func first<R>(_ sql: String, _ values: SQLiteValue..., read: (SQLiteRow) throws(SQLiteError) -> R) throws(SQLiteError) -> R? {
        try rows(sql, values, limit: 1, read: read).first
    }

    /// Every row as `read` sees it.
    func all<R>(_ sql: String, _ values: SQLiteValue..., read: (SQLiteRow) throws(SQLiteError) -> R) throws(SQLiteError) -> [R] {
        try rows(sql, values, read: read)
    }

    /// Runs `body` inside one transaction: all of it is durable when this returns, none of it when it throws.
    ///
    /// When `writing`, the write lock is taken at the start, so that a read inside `body` cannot be overtaken by another
    /// process; else `body` sees one consistent state and may only read.
    func transaction<R, E: Error>(
        writing: Bool = true, _ body: () throws(E) -> R, failed: (SQLiteError) -> E
    ) throws(E) -> R {
        do throws(SQLiteError) { try execute(writing ? "BEGIN IMMEDIATE" : "BEGIN") } catch { throw failed(error) }
        if writing { KillPoint.pass("vault transaction") }
        let result: R
        do throws(E) {
            result = try body()
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
        do throws(SQLiteError) {
            if writing { KillPoint.pass("vault before commit") }
            try execute("COMMIT")
            if writing { KillPoint.pass("vault after commit") }
        } catch {
            try? execute("ROLLBACK")
            throw failed(error)
        }
        return result
    }

    private func rows<R>(
        _ sql: String, _ values: [SQLiteValue], limit: Int = .max, read: (SQLiteRow) throws(SQLiteError) -> R
    ) throws(SQLiteError) -> [R] {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        var result: [R] = []
        while result.count < limit, let row = try statement.step() { result.append(try read(row)) }
        return result
    }

    private func prepared(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let known = statements[sql] { return known }
        let made = try SQLiteStatement(sql, on: handle)
        statements[sql] = made
        return made
    }

    /// SQLite answers busy at once, without waiting, while the last connection of another process closes and removes its log.
    private func useWriteAheadLog(_ busyTimeout: Int32) throws(SQLiteError) {
        var waited: Int32 = 0
        while true {
            do throws(SQLiteError) {
                return try execute("PRAGMA journal_mode = WAL")
            } catch {
                guard error.isBusy, waited < busyTimeout else { throw error }
            }
            usleep(10_000)
            waited += 10
        }
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else {
            throw SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), sql: nil)
        }
    }
}
