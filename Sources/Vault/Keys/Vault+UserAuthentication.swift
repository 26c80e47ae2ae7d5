/// What a person has to show before a device key of a document type is used.
package enum UserAuthentication: String, Sendable, CaseIterable {
    /// Nothing.
    case none
    /// That they are there: they say yes to every use.
    case confirm
    /// The passphrase under which the key is sealed.
    case passphrase
}

extension Vault {
    private static let authenticationPartition = "user-authentication"

    /// What is set for a document type; `none` where nothing is.
    package func userAuthentication(for type: String) throws(VaultError) -> UserAuthentication {
        try look { records throws(VaultError) in
            guard let bytes = try records.read(type, in: Self.authenticationPartition) else { return .none }
            guard let known = UserAuthentication(rawValue: String(decoding: bytes, as: UTF8.self)) else {
                throw VaultError(
                    .damaged, "the user authentication of \(type) cannot be read",
                    hint: "set it again with holder key default \(type) --authenticate none|confirm|passphrase")
            }
            return known
        }
    }

    /// Sets it; keys that are there stay as they are: `VaultKeyStore.relock` changes those.
    package func setUserAuthentication(_ authentication: UserAuthentication, for type: String) throws(VaultError) {
        try transact { records throws(VaultError) in
            try records.write([UInt8](authentication.rawValue.utf8), type, in: Self.authenticationPartition)
        }
    }
}
