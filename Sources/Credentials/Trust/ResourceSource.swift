/// Where status lists, CRLs and trust lists come from: the network, a folder, memory.
public protocol ResourceSource: Sendable {
    /// - Parameters:
    ///   - uri: as written in the document, certificate or list that points there.
    ///   - accept: media types, the wanted one first.
    ///   - limit: bytes that are read at most.
    func fetch(_ uri: String, accept: [String], limit: Int) async throws(ResourceError) -> Resource
}

/// What came from a source.
public struct Resource: Sendable, Hashable {
    public let bytes: [UInt8]
    /// Without parameters, lower case; nil where the source does not say.
    public let contentType: String?
    /// Whether it is a copy that somebody kept: then nothing fresher is to be had here.
    public let isCopy: Bool

    public init(_ bytes: [UInt8], contentType: String? = nil, isCopy: Bool = false) {
        self.bytes = bytes
        self.contentType = contentType
        self.isCopy = isCopy
    }
}

/// Why nothing came.
public struct ResourceError: Error, Sendable, Hashable, CustomStringConvertible {
    public let uri: String
    /// `answered 404`, `is not in the folder`.
    public let reason: String
    /// The run was interrupted; says nothing about the source.
    public let isCancelled: Bool
    /// Of an HTTP answer that is not what was asked for.
    public let status: Int?

    public init(_ uri: String, _ reason: String, isCancelled: Bool = false, status: Int? = nil) {
        self.uri = uri
        self.reason = reason
        self.isCancelled = isCancelled
        self.status = status
    }

    public var description: String { "\(uri) \(reason)" }
}

/// Resources at hand: for tests and for what a command line names.
public struct MemorySource: ResourceSource {
    private let resources: [String: Resource]

    /// - Parameter resources: by URI.
    public init(_ resources: [String: Resource]) { self.resources = resources }

    public func fetch(_ uri: String, accept: [String], limit: Int) async throws(ResourceError) -> Resource {
        guard let resource = resources[uri] else { throw ResourceError(uri, "is not there") }
        guard resource.bytes.count <= limit else { throw ResourceError(uri, "has more than \(limit) bytes") }
        return resource
    }
}

/// Sources in order: the next one is asked where the one before has nothing.
public struct FallbackSource: ResourceSource {
    private let sources: [any ResourceSource]

    public init(_ sources: [any ResourceSource]) { self.sources = sources }

    public func fetch(_ uri: String, accept: [String], limit: Int) async throws(ResourceError) -> Resource {
        var failure = ResourceError(uri, "cannot be fetched: no source is set up")
        for source in sources {
            do throws(ResourceError) { return try await source.fetch(uri, accept: accept, limit: limit) } catch {
                guard !error.isCancelled else { throw error }
                failure = error
            }
        }
        throw failure
    }
}
