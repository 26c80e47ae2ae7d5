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

    /// Table D.1 of the standard, and requests of both editions with what they ask.
    var builtIn: [VectorFile] {
        [
            VectorFile(path: "mdoc/age-attestation-table-d1.json", text: Self.tableD1),
            VectorFile(path: "mdoc/device-requests.json", text: Self.requests),
        ]
    }

    private static let tableD1 = """
        {"requested_ages": [18, 19, 20, 21, 25, 30, 50, 60, 63, 64, 65], "holders": [
        {"age": 19, "age_over_21": false, "age_over_60": false,
        "expected": [null, null, null, false, false, false, false, false, false, false, false]},
        {"age": 30, "age_over_21": true, "age_over_60": false,
        "expected": [true, true, true, true, null, null, null, false, false, false, false]},
        {"age": 64, "age_over_21": true, "age_over_60": true,
        "expected": [true, true, true, true, true, true, true, true, null, null, null]}]}
        """

    /// spruceid/isomdl and walt-id/waltid-identity.
    private static let requests = """
        {"cases": [{"id": "db645ba8", "hex": "a26776657273696f6e63312e306b646f63526571756573747381a16c6974656d7352657175657374d8185868a267646f\
        6354797065756f72672e69736f2e31383031332e352e312e6d444c6a6e616d65537061636573a1716f72672e69736f2e31383031332e352e31a36b66616d696c795f\
        6e616d65f46a676976656e5f6e616d65f46f646f63756d656e745f6e756d626572f4", "expected": {"version": "1.0", "docRequests": [
        {"itemsRequest": {"docType": "org.iso.18013.5.1.mDL", "nameSpaces": {"org.iso.18013.5.1":
        {"family_name": false, "given_name": false, "document_number": false}}}}]}},
        {"id": "9b9ddcff", "hex": "a26776657273696f6e63312e306b646f63526571756573747381a16c6974656d7352657175657374d818584ba267646f63547970\
        65756f72672e69736f2e31383031332e352e312e6d444c6a6e616d65537061636573a1716f72672e69736f2e31383031332e352e31a16b6167655f6f7665725f3138\
        f4", "expected": {"version": "1.0", "docRequests": [{"itemsRequest": {"docType": "org.iso.18013.5.1.mDL", "nameSpaces":
        {"org.iso.18013.5.1": {"age_over_18": false}}}}]}}]}
        """

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
