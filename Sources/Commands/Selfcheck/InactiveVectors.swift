import Codec

/// Files of kinds that this build does not have yet: counted, never run, and said so.
struct InactiveVectors: VectorSuite {
    private static let reasons: [(prefix: String, reason: String)] = [
        ("cose/cose-wg-encrypt.json", "COSE_Encrypt is not used by any profile here"),
        ("cose/cose-wg-ecdh.json", "COSE_Encrypt is not used by any profile here"),
        ("cose/cose-wg-sign.json", "COSE_Sign is not used by any profile here"),
        ("cose/cose-wg-countersign.json", "counter-signatures are not used by any profile here"),
        ("jose/wycheproof/aes_wrap", "AES key wrap is not in this build"),
    ]

    func matches(_ path: String) -> Bool { Self.reasons.contains { path.hasPrefix($0.prefix) } }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        guard let reason = Self.reasons.first(where: { file.path.hasPrefix($0.prefix) })?.reason else { return [] }
        let count = file.name.hasSuffix(".json") ? Self.count(try file.json()) : 1
        return (0..<max(1, count)).map { VectorCase("case \($0)", .notApplicable("whole file: \(reason)")) }
    }

    /// Cases are the objects in the lists of a file, tests of groups included.
    private static func count(_ json: JSON) -> Int {
        if let groups = json["testGroups"]?.arrayValue { return groups.reduce(0) { $0 + ($1["tests"]?.arrayValue?.count ?? 0) } }
        let lists = (json.objectValue?.members ?? []).compactMap { $0.value.arrayValue }
        return lists.reduce(0) { $0 + $1.count { $0.objectValue != nil } }
    }
}
