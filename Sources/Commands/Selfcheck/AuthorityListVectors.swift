import Codec
import Credentials
import Crypto
import Ports

/// `mdoc/vical.json` and the VICALs that it is about: as AAMVA and Austroads published them.
struct AuthorityListVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path == "mdoc/vical.json" || path.hasPrefix("mdoc/vical/") }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        guard file.path == "mdoc/vical.json" else {
            return [await VectorCase("reads and verifies") { try Self.verify(file.bytes, at: nil) }]
        }
        var results: [VectorCase] = []
        for entry in try file.json().list("cases") {
            results.append(
                await VectorCase(try entry.text("file")) {
                    let bytes = try file.companion("mdoc/\(try entry.text("file"))").bytes
                    try Self.check(bytes, entry)
                })
        }
        return results
    }

    /// Verified by the last certificate that came along, on the day of issue.
    @discardableResult
    private static func verify(_ bytes: [UInt8], at time: Timestamp?) throws -> TrustList {
        let chain = try COSESign1(CBOR(decoding: bytes)).x5chain?.certificates ?? []
        guard let top = try chain.last.map({ try Certificate(der: $0) }) else { throw Mismatch("no certificate came along") }
        func list(_ time: Timestamp) throws -> TrustList {
            try TrustListVerifier(roots: [top], edition: .first).verify(bytes, at: time)
        }
        let first = try list(time ?? top.notBefore)
        guard let issued = time ?? first.issuedAt else { throw Mismatch("no date") }
        let read = try list(issued)
        let wrong = read.checks.checks.filter { $0.outcome == .fail }.map { "\($0.id): \($0.reason ?? "")" }
        try expect(read.isUsable, "not usable: \(wrong.joined(separator: "; "))")
        return read
    }

    private static func check(_ bytes: [UInt8], _ entry: JSON) throws {
        try expect(entry["signature_verifies"]?.boolValue == true, "the case does not say that the signature verifies")
        let list = try verify(bytes, at: Timestamp(rfc3339: entry.text("date")))
        try expect(list.provider, equals: try entry.text("vicalProvider"), "vicalProvider")
        try expect(list.sequence.map { Int64($0) }, equals: entry["vicalIssueID"]?.intValue, "vicalIssueID")
        let next = try entry["nextUpdate"]?.stringValue.map { try Timestamp(rfc3339: $0) }
        try expect(list.nextUpdate, equals: next, "nextUpdate")
        let infos = try entry.list("certificateInfos")
        try expect(list.entries.count, equals: infos.count, "number of authorities")
        for (anchor, info) in zip(list.entries, infos) {
            try expect(Hex.encode(anchor.certificate.sha256), equals: try info.text("certificate_sha256"), "certificate")
            let types = Set(try info.list("docTypes").compactMap(\.stringValue))
            try expect(anchor.docTypes, equals: types, "docType of \(anchor.certificate.subject)")
        }
    }
}
