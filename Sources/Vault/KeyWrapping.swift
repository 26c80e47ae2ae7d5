internal import Crypto
internal import Ports

/// The random data key (32 bytes), wrapped with AES-256-GCM by a key that scrypt makes from a passphrase, or by the key in a
/// file of mode 0600.
struct KeyWrapping {
    enum Method: Equatable {
        /// scrypt with these parameters and a salt of 16 bytes.
        case passphrase(Scrypt, salt: [UInt8])
        case keyFile
    }

    let method: Method
    let wrapped: [UInt8]

    static let keySize = 32

    static func wrap(_ dataKey: [UInt8], passphrase: [UInt8], cost: Scrypt) throws(CryptoError) -> KeyWrapping {
        let salt = SystemRandom().bytes(16)
        var key = try cost.derive(passphrase: passphrase, salt: salt, length: keySize)
        defer { key.erase() }
        return KeyWrapping(method: .passphrase(cost, salt: salt), wrapped: try seal(dataKey, under: key))
    }

    static func wrap(_ dataKey: [UInt8], fileKey: [UInt8]) throws(CryptoError) -> KeyWrapping {
        KeyWrapping(method: .keyFile, wrapped: try seal(dataKey, under: fileKey))
    }

    /// The data key; throws `.authenticationFailed` when `secret`, the passphrase or the file's key, is not the right one.
    func unwrap(with secret: [UInt8]) throws(CryptoError) -> [UInt8] {
        var key =
            switch method {
            case .passphrase(let cost, let salt):
                try cost.derive(passphrase: secret, salt: salt, length: Self.keySize)
            case .keyFile: secret
            }
        defer { key.erase() }
        return try Sealer(dataKey: key).open(wrapped, table: "wrapping", key: "data", version: 1)
    }

    private static func seal(_ dataKey: [UInt8], under key: [UInt8]) throws(CryptoError) -> [UInt8] {
        try Sealer(dataKey: key).seal(dataKey, table: "wrapping", key: "data", version: 1)
    }
}

extension KeyWrapping {
    /// Reads the one row; nil when there is none or its words are unknown.
    static func stored(in connection: SQLiteConnection) throws(SQLiteError) -> KeyWrapping? {
        let row = try connection.first("SELECT method, n, r, p, salt, wrapped FROM wrapping") { row -> KeyWrapping? in
            guard let method = method(of: row) else { return nil }
            return KeyWrapping(method: method, wrapped: row.blob(5))
        }
        return row ?? nil
    }

    func store(in connection: SQLiteConnection) throws(SQLiteError) {
        let (name, cost, salt): (String, Scrypt, [UInt8]) =
            switch method {
            case .passphrase(let cost, let salt): ("scrypt", cost, salt)
            case .keyFile: ("file", Scrypt(cost: 0, blockSize: 0, parallelisation: 0), [])
            }
        try connection.execute(
            "INSERT INTO wrapping VALUES (1, ?, ?, ?, ?, ?, ?)", .text(name), .integer(Int64(cost.cost)),
            .integer(Int64(cost.blockSize)), .integer(Int64(cost.parallelisation)), .blob(salt), .blob(wrapped))
    }

    private static func method(of row: SQLiteRow) -> Method? {
        switch row.text(0) {
        case "file": .keyFile
        case "scrypt":
            .passphrase(
                Scrypt(
                    cost: Int(row.integer(1)), blockSize: Int(row.integer(2)), parallelisation: Int(row.integer(3))),
                salt: row.blob(4))
        default: nil
        }
    }
}
