import CSQLite

/// A value bound to a statement.
enum SQLiteValue {
    case integer(Int64)
    case text(String)
    case blob([UInt8])
    case null
}

/// A prepared statement; owns the C handle.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let database: OpaquePointer
    private let sql: String

    init(_ sql: String, on database: OpaquePointer) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else {
            throw SQLiteError(code: code, message: String(cString: sqlite3_errmsg(database)), sql: sql)
        }
        handle = prepared
        self.database = database
        self.sql = sql
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        for (index, value) in zip(Int32(1)..., values) {
            let code =
                switch value {
                case .integer(let number): sqlite3_bind_int64(handle, index, number)
                case .text(let text): csq_bind_text(handle, index, text, UInt64(text.utf8.count))
                case .blob(let bytes): csq_bind_blob(handle, index, bytes, UInt64(bytes.count))
                case .null: sqlite3_bind_null(handle, index)
                }
            guard code == SQLITE_OK else { throw failure(code) }
        }
    }

    /// The next row, valid until the next `step` or `reset`; nil at the end.
    func step() throws(SQLiteError) -> SQLiteRow? {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: SQLiteRow(statement: handle)
        case SQLITE_DONE: nil
        case let code: throw failure(code)
        }
    }

    /// Makes the statement ready for its next use and forgets the bound values.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private func failure(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, message: String(cString: sqlite3_errmsg(database)), sql: sql)
    }
}

/// The columns of the current row, by position from 0.
struct SQLiteRow {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }

    func blob(_ column: Int32) -> [UInt8] {
        let start = sqlite3_column_blob(statement, column)
        let count = sqlite3_column_bytes(statement, column)
        guard let start, count > 0 else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
    }
}
