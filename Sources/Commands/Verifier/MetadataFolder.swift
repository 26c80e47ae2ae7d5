import Credentials

/// Type metadata documents in a folder, found by the `vct` in them.
struct MetadataFolder: TypeMetadataSource {
    private let documents: [String: [UInt8]]

    /// Reads every JSON file of the folder; files that are no type metadata are refused by name.
    init(_ path: String) throws(CommandError) {
        var documents: [String: [UInt8]] = [:]
        for name in try Files.list(path) where name.hasSuffix(".json") {
            let bytes = try Files.read("\(path)/\(name)", limit: 1 << 20)
            do { documents[try TypeMetadata(bytes).type] = bytes } catch { throw .refused("\(path)/\(name): \(error)") }
        }
        self.documents = documents
    }

    func document(for type: String) -> [UInt8]? { documents[type] }
}
