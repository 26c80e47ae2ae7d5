/// The tables, and how a database made by an older version is brought up to date.
enum Schema {
    /// "WLTB": marks the file as a vault of this program.
    static let applicationID: Int64 = 0x574C_5442

    /// Step n brings a database from version n to n + 1. Steps are only ever appended.
    static let migrations: [[String]] = [
        [
            // How the data key is wrapped; one row. For `scrypt`: cost and salt; for `file`: the key file's fingerprint as salt.
            """
            CREATE TABLE wrapping (
                id INTEGER PRIMARY KEY CHECK (id = 1), method TEXT NOT NULL,
                n INTEGER NOT NULL, r INTEGER NOT NULL, p INTEGER NOT NULL, salt BLOB NOT NULL, wrapped BLOB NOT NULL
            ) STRICT
            """,
            // Every value: nonce ‖ ciphertext ‖ tag, bound to its place and version. `expires` is in seconds since 1970.
            """
            CREATE TABLE records (
                partition TEXT NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, expires INTEGER, value BLOB NOT NULL,
                PRIMARY KEY (partition, key)
            ) STRICT
            """,
            "CREATE INDEX records_by_expiry ON records (expires) WHERE expires IS NOT NULL",
        ]
    ]

    static var version: Int { migrations.count }

    /// The database's version; 0 for an empty file. Refuses what is no vault and what a newer program made.
    static func version(of connection: SQLiteConnection, path: String) throws(VaultError) -> Int {
        let found: (application: Int64, version: Int64, tables: Int64)
        do throws(SQLiteError) {
            found = (
                try connection.first("PRAGMA application_id") { $0.integer(0) } ?? 0,
                try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0,
                try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) } ?? 0
            )
        } catch { throw error.vaultError(path: path) }
        if found.application == 0, found.version == 0, found.tables == 0 { return 0 }
        guard found.application == applicationID, found.version > 0, let version = Int(exactly: found.version) else {
            throw VaultError.damaged("this is a database of another program", path: path)
        }
        guard version <= Self.version else {
            throw VaultError(
                .newerSchema(version), "\(path): made by a newer walletbench (schema \(version), this one knows \(Self.version))",
                hint: "use the newer walletbench, or name another home with --home")
        }
        return version
    }

    /// Applies what is missing. Call inside a transaction: a process killed midway leaves the old version.
    static func migrate(_ connection: SQLiteConnection, from version: Int) throws(SQLiteError) {
        for step in migrations.dropFirst(version) {
            for statement in step { try connection.execute(statement) }
        }
        try connection.execute("PRAGMA application_id = \(applicationID)")
        try connection.execute("PRAGMA user_version = \(Self.version)")
    }
}
