import Credentials
import Crypto
import Ports

/// What a home itself has issued and made, without asking the network for it: the lists of its issuer, the CRL of its authority, and
/// everything at addresses that stand for examples. Lists of others have the same names, so that only these addresses count.
struct OwnSource: ResourceSource {
    private let context: Context
    private let issued: FolderSource
    private let made: FolderSource

    init(_ context: Context) {
        self.context = context
        let home = context.home
        issued = FolderSource(path: IssuedStatuses.folder(of: home)) { Self.isForExamples($0) || Self.list($0, of: home) != nil }
        made = FolderSource(path: CertificateFolder(of: home).path) { uri in
            Self.isForExamples(uri)
                || (try? CertificateFolder(of: home).identity("serving-ds"))?.certificate.names(crl: uri) ?? false
        }
    }

    private static func isForExamples(_ uri: String) -> Bool { (try? WebURL(uri)).map(NetworkSource.isForExamples) ?? false }

    private static func list(_ uri: String, of home: Home) -> IssuedStatuses.List? {
        (try? IssuedStatuses(of: home))?.lists.first { $0.uri == uri }
    }

    func fetch(_ uri: String, accept: [String], limit: Int) async throws(ResourceError) -> Resource {
        if let file = try? await FallbackSource([issued, made]).fetch(uri, accept: accept, limit: limit) { return file }
        return try await signed(uri, accept)
    }

    /// A list that nobody has written into a file yet: `issuer serve` signs for who asks. Nobody serves at addresses for examples: a
    /// list that is not in a file is not there.
    private func signed(_ uri: String, _ accept: [String]) async throws(ResourceError) -> Resource {
        guard !Self.isForExamples(uri), let list = Self.list(uri, of: context.home) else {
            throw ResourceError(uri, "is not of this home")
        }
        let form: StatusForm = accept.first?.hasSuffix("+cwt") ?? false ? .cwt : .jwt
        let type = form.mediaType(identifiers: list.kind == .identifiers)
        guard accept.contains(type) else { throw ResourceError(uri, "is not there in this form") }
        do throws(CommandError) {
            let statuses = try IssuedStatuses(of: context.home)
            guard let bytes = try await StatusPublisher(context).signed(list, statuses, as: form) else {
                throw CommandError.refused("not in this form")
            }
            return Resource(bytes, contentType: type, isCopy: true)
        } catch { throw ResourceError(uri, "cannot be signed: \(error.what)") }
    }
}
