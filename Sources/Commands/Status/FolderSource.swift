import Credentials
import Ports

/// Lists in a folder: for verification without a network. A URI is looked up by the last part of its path: `…/status/1` is the file
/// `1.cwt` or `1.jwt`, whichever is asked for, `…/test.crl` the file `test.crl`.
struct FolderSource: ResourceSource {
    let path: String
    /// Whether the folder speaks for a URI at all.
    private let answers: @Sendable (String) -> Bool

    /// - Parameter answers: for which URIs; all where it is not given.
    init(path: String, for answers: @escaping @Sendable (String) -> Bool = { _ in true }) {
        (self.path, self.answers) = (path, answers)
    }

    func fetch(_ uri: String, accept: [String], limit: Int) async throws(ResourceError) -> Resource {
        guard answers(uri) else { throw ResourceError(uri, "is not in \(path)") }
        let end = uri.utf8.firstIndex { $0 == 0x3F || $0 == 0x23 } ?? uri.endIndex
        let name = String(uri[..<end].split(separator: "/").last ?? "")
        guard !name.isEmpty, !name.hasPrefix("."), !name.utf8.contains(0) else {
            throw ResourceError(uri, "names no file of \(path)")
        }
        let wanted = accept.compactMap { type in Self.types.first { $0.type == type }?.suffix }
        let suffixes = wanted + Self.types.map(\.suffix).filter { !wanted.contains($0) } + [""]
        for suffix in suffixes where Files.exists("\(path)/\(name)\(suffix)") && !Files.isDirectory("\(path)/\(name)\(suffix)") {
            do throws(CommandError) {
                let bytes = try Files.read("\(path)/\(name)\(suffix)", limit: limit)
                return Resource(bytes, contentType: Self.contentType(suffix, accept), isCopy: true)
            } catch { throw ResourceError(uri, "cannot be read: \(error.what)") }
        }
        throw ResourceError(uri, "is not in \(path)")
    }

    private static let types: [(suffix: String, type: String)] = [
        (".jwt", "application/statuslist+jwt"), (".cwt", "application/statuslist+cwt"),
        (".cwt", "application/identifierlist+cwt"), (".crl", "application/pkix-crl"), (".bin", "application/octet-stream"),
    ]

    /// A suffix that stands for several types says the one that is wanted.
    private static func contentType(_ suffix: String, _ accept: [String]) -> String? {
        let all = types.filter { $0.suffix == suffix }.map(\.type)
        return all.first { accept.contains($0) } ?? all.first
    }
}
