internal import Codec
package import Crypto
internal import Ports

/// Where a vault lives and how it is opened.
package struct VaultOpening: Sendable {
    /// What a passphrase is asked for.
    package enum PassphraseUse: Sendable { case open, create }

    /// What protects the data key of a vault that is made now.
    package enum Protection: Sendable, Equatable {
        case passphrase(cost: Scrypt)
        case keyFile
    }

    /// The database. Its directory must exist.
    package var path: String
    /// The file that holds the wrapping key of vaults without a passphrase; made when needed, mode 0600.
    package var keyFile: String
    /// Makes a vault that is not there yet; nil refuses.
    package var create: Protection?
    /// Gives the passphrase, and is asked only when one is needed. Throws `.locked` when there is none to be had.
    package var passphrase: @Sendable (PassphraseUse) throws(VaultError) -> [UInt8]

    package init(
        path: String, keyFile: String, create: Protection?,
        passphrase: @escaping @Sendable (PassphraseUse) throws(VaultError) -> [UInt8]
    ) {
        self.path = path
        self.keyFile = keyFile
        self.create = create
        self.passphrase = passphrase
    }

    /// Opens, and makes or migrates if need be.
    func run() throws(VaultError) -> (SQLiteConnection, Sealer) {
        let connection = try connect()
        if try Schema.version(of: connection, path: path) == 0 { try initialise(connection) }
        try migrate(connection)
        var dataKey = try unlock(try wrapping(in: connection))
        defer { dataKey.erase() }
        do throws(CryptoError) { return (connection, try Sealer(dataKey: dataKey)) } catch { throw unusable() }
    }

    private func connect() throws(VaultError) -> SQLiteConnection {
        guard create != nil || PrivateFiles.exists(path) else { throw missing() }
        // Switching a new file to the write-ahead log does not wait for others by itself.
        return try PrivateFiles.alone(atDirectoryOf: path) { () throws(VaultError) in
            try PrivateFiles.touch(path)
            do throws(SQLiteError) {
                return try SQLiteConnection(path: path, create: false)
            } catch { throw error.vaultError(path: path) }
        }
    }

    private func initialise(_ connection: SQLiteConnection) throws(VaultError) {
        guard let create else { throw missing() }
        var dataKey = SystemRandom().bytes(KeyWrapping.keySize)
        defer { dataKey.erase() }
        let wrapping = try wrap(dataKey, protection: create)
        try connection.transaction(
            { () throws(VaultError) in
                // Another process may have been faster; then its vault counts.
                guard try Schema.version(of: connection, path: path) == 0 else { return }
                do throws(SQLiteError) {
                    try Schema.migrate(connection, from: 0)
                    try wrapping.store(in: connection)
                } catch { throw error.vaultError(path: path) }
            }, failed: { $0.vaultError(path: path) })
    }

    private func migrate(_ connection: SQLiteConnection) throws(VaultError) {
        guard try Schema.version(of: connection, path: path) < Schema.version else { return }
        try connection.transaction(
            { () throws(VaultError) in
                let version = try Schema.version(of: connection, path: path)
                do throws(SQLiteError) {
                    try Schema.migrate(connection, from: version)
                } catch { throw error.vaultError(path: path) }
            }, failed: { $0.vaultError(path: path) })
    }

    private func wrapping(in connection: SQLiteConnection) throws(VaultError) -> KeyWrapping {
        let found: KeyWrapping?
        do throws(SQLiteError) {
            found = try KeyWrapping.stored(in: connection)
        } catch { throw error.vaultError(path: path) }
        guard let found else { throw VaultError.damaged("the wrapped key is missing or of an unknown kind", path: path) }
        return found
    }

    private func wrap(_ dataKey: [UInt8], protection: Protection) throws(VaultError) -> KeyWrapping {
        switch protection {
        case .passphrase(let cost):
            var passphrase = try passphrase(.create)
            defer { passphrase.erase() }
            guard !passphrase.isEmpty else {
                throw VaultError(
                    .locked, "an empty passphrase protects nothing",
                    hint: "choose a passphrase, or make the home with --no-passphrase")
            }
            do throws(CryptoError) {
                return try KeyWrapping.wrap(dataKey, passphrase: passphrase, cost: cost)
            } catch { throw unusable() }
        case .keyFile:
            var key = try fileKey(create: true)
            defer { key.erase() }
            do throws(CryptoError) { return try KeyWrapping.wrap(dataKey, fileKey: key) } catch { throw unusable() }
        }
    }

    private func unlock(_ wrapping: KeyWrapping) throws(VaultError) -> [UInt8] {
        var secret: [UInt8]
        let refusal: VaultError
        switch wrapping.method {
        case .passphrase:
            secret = try passphrase(.open)
            refusal = VaultError(
                .wrongPassphrase, "\(path): the passphrase does not open this vault",
                hint: "try again; nothing was changed. Without its passphrase a vault cannot be read")
        case .keyFile:
            secret = try fileKey(create: false)
            refusal = VaultError(
                .wrongKeyFile, "\(keyFile): this key does not open \(path)",
                hint: "put back the key file that was made with the vault")
        }
        defer { secret.erase() }
        do throws(CryptoError) {
            return try wrapping.unwrap(with: secret)
        } catch .authenticationFailed {
            throw refusal
        } catch .invalidParameter(let what) {
            throw VaultError.damaged("the cost of its passphrase is out of bounds: \(what)", path: path)
        } catch { throw unusable() }
    }

    /// The key in the key file: 64 hex digits and a line end.
    private func fileKey(create: Bool) throws(VaultError) -> [UInt8] {
        if create, !PrivateFiles.exists(keyFile) {
            let fresh = Hex.encode(SystemRandom().bytes(KeyWrapping.keySize)) + "\n"
            _ = try PrivateFiles.writeNew(keyFile, [UInt8](fresh.utf8))
        }
        guard let content = try PrivateFiles.read(keyFile, limit: 1024) else {
            throw VaultError(
                .wrongKeyFile, "\(keyFile): the key file of \(path) is missing",
                hint: "put back the key file that was made with the vault")
        }
        let text = String(decoding: content, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined()
        guard let key = try? Hex.decode(text), key.count == KeyWrapping.keySize else {
            throw VaultError(
                .wrongKeyFile, "\(keyFile): not a key of \(KeyWrapping.keySize) bytes in hex",
                hint: "put back the key file that was made with the vault")
        }
        return key
    }

    private func missing() -> VaultError {
        VaultError(
            .missing, "\(path): there is no vault here yet",
            hint: "name the right home with --home, or import or issue a document to make one")
    }

    private func unusable() -> VaultError {
        VaultError(.system, "\(path): the cryptographic library failed", hint: "run walletbench doctor")
    }
}
