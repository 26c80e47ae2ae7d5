import CSQLite

/// A result code of SQLite other than OK, ROW and DONE. Values bound to the statement are never part of it.
struct SQLiteError: Error, Equatable {
    /// The extended result code.
    let code: Int32
    let message: String
    /// The statement's text, which holds no values.
    let sql: String?

    var primary: Int32 { code & 0xff }
    var isBusy: Bool { primary == SQLITE_BUSY }

    /// The same trouble in the words of the vault at `path`.
    func vaultError(path: String) -> VaultError {
        switch primary {
        case SQLITE_BUSY, SQLITE_LOCKED:
            VaultError(
                .busy, "\(path): another process has kept the vault busy",
                hint: "wait for the other walletbench to finish, or end it, and try again")
        case SQLITE_READONLY:
            VaultError(
                .readOnly, "\(path): the vault cannot be written",
                hint: "make the file, its directory and the disk writable, or name another home with --home")
        case SQLITE_FULL:
            VaultError(.full, "\(path): the disk is full", hint: "free some space and try again; nothing was lost")
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT:
            .damaged("the file is damaged or is no vault", path: path)
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
            VaultError(
                .system, "\(path): the vault cannot be opened",
                hint: "check that the file and its directory belong to you and can be written")
        default:
            VaultError(
                .system, "\(path): the database reports: \(message) (\(code))",
                hint: "check the disk; nothing was changed")
        }
    }
}
