internal import Codec
package import Crypto

extension Vault {
    private static let keyOptionsPartition = "key-options"

    /// How device keys for a document type are made: as set for the type, else one P-256 key in the software area.
    package func keyOptions(for type: String) throws(VaultError) -> KeyOptions {
        try look { records throws(VaultError) in
            guard let bytes = try records.read(type, in: Self.keyOptionsPartition) else { return KeyOptions() }
            guard let json = try? JSON.decode(bytes), let options = KeyOptions(json: json) else {
                throw VaultError(
                    .damaged, "the key options of \(type) cannot be read", hint: "set them again with holder key default \(type)")
            }
            return options
        }
    }

    /// Sets curve, area and batch size of the device keys for a document type.
    package func setKeyOptions(_ options: KeyOptions, for type: String) throws(VaultError) {
        try transact { records throws(VaultError) in
            try records.write([UInt8](options.json.encoded().utf8), type, in: Self.keyOptionsPartition)
        }
    }

    /// The types that have options of their own.
    package func typesWithKeyOptions() throws(VaultError) -> [String] {
        try look { records throws(VaultError) in try records.keys(in: Self.keyOptionsPartition) }
    }
}

extension KeyOptions {
    /// Curve, area and batch; a passphrase is not part of what is stored for a type.
    var json: JSON {
        .object(["curve": .string(curve.rawValue), "area": .string(area), "batch": .integer(Int64(batch))])
    }

    init?(json: JSON) {
        guard let curve = json["curve"]?.stringValue.flatMap(Curve.init), let area = json["area"]?.stringValue,
            let batch = json["batch"]?.intValue, (1...1000).contains(batch)
        else { return nil }
        self.init(curve: curve, area: area, batch: Int(batch))
    }
}
