/// Why a vault cannot do what was asked, with the mend.
///
/// None of these loses anything: the database is left as it was found.
package struct VaultError: Error, Equatable, CustomStringConvertible {
    /// The kinds of trouble that callers tell apart.
    package enum Reason: Equatable, Sendable {
        /// There is no vault at this path.
        case missing
        /// A passphrase is needed and none was given.
        case locked
        /// The passphrase does not open the vault.
        case wrongPassphrase
        /// The file that wraps the data key is missing or is not the one that the vault was made with.
        case wrongKeyFile
        /// The file is no vault, is cut short, or a value does not open under the vault's key.
        case damaged
        /// Made by a newer version of the program.
        case newerSchema(Int)
        /// The disk or the file cannot be written.
        case readOnly
        /// The disk is full.
        case full
        /// Another process kept the vault busy for longer than the time-out.
        case busy
        /// The operating system refused (permissions, a directory that is none, an I/O error).
        case system
        /// No record has this name.
        case notFound
        /// Every copy of the document has been used and its policy is `once`.
        case exhausted
        /// A record with this name is there already.
        case exists
    }

    package var reason: Reason
    /// What happened, with the path or the record's name.
    package var what: String
    /// What the person can do.
    package var hint: String

    package init(_ reason: Reason, _ what: String, hint: String) {
        self.reason = reason
        self.what = what
        self.hint = hint
    }

    package var description: String { "\(what) (\(hint))" }
}

extension VaultError {
    static func damaged(_ what: String, path: String) -> VaultError {
        VaultError(
            .damaged, "\(path): \(what)",
            hint: "nothing was changed; restore the file from a copy, or move it aside and import the documents again")
    }
}
