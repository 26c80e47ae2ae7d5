import Codec
import Credentials

/// Documents, requests and the example of the standard: `mdoc/*.json`, but for engagements and certificates.
struct MDocVectors: VectorSuite {
    private typealias Kind = @Sendable (VectorFile) async throws -> [VectorCase]

    private static let kinds: [String: Kind] = [
        "mdoc/iso18013-5-2021-annex-d.json": { try await AnnexD(try $0.json()).positiveCases() },
        "mdoc/iso18013-5-annex-d-negative.json": { file in
            let example = try AnnexD(try file.companion("mdoc/iso18013-5-2021-annex-d.json").json())
            return try await example.negativeCases(try file.json())
        },
        "mdoc/mdoc-documents.json": { try await DocumentVectors(file: $0).cases() },
        "mdoc/device-requests.json": { try await DeviceRequestVectors.cases(try $0.json()) },
        "mdoc/age-attestation-table-d1.json": { try await ageStatements(try $0.json()) },
    ]

    func matches(_ path: String) -> Bool { Self.kinds[path] != nil }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        guard let kind = Self.kinds[file.path] else { return [] }
        return try await kind(file)
    }

    /// Table D.1: what holders with two statements answer.
    private static func ageStatements(_ json: JSON) async throws -> [VectorCase] {
        let ages = try json.list("requested_ages").compactMap(\.intValue)
        var results: [VectorCase] = []
        for holder in try json.list("holders") {
            results.append(
                await VectorCase("age \(holder["age"]?.intValue ?? 0)") {
                    let statements = (holder.objectValue?.members ?? []).compactMap { name, value in
                        AgeStatement(name).flatMap { statement in value.boolValue.map { (age: statement.age, value: $0) } }
                    }
                    try expect(statements.count == 2, "the holder has \(statements.count) age statements")
                    let answers = ages.map { AgeStatement.nearest(to: Int($0), among: statements)?.value }
                    try expect(answers, equals: try holder.list("expected").map(\.boolValue), "answers")
                })
        }
        return results
    }
}
