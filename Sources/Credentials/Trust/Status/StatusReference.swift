public import Codec

/// Where a document says that its status is found.
///
/// mdoc (WD2 §12.3.6, Token Status List §6.3):
///
///     Status = { ? "status_list": { "idx": uint, "uri": tstr, ? "certificate": bstr },
///                ? "identifier_list": { "id": bstr, "uri": tstr, ? "certificate": bstr } }
///
/// SD-JWT VC (Token Status List §6.2): the same as JSON, with `status_list` only.
public struct StatusReference: Sendable, Hashable {
    /// What is looked up in the list.
    public enum Mechanism: Sendable, Hashable {
        /// The place in a status list.
        case index(Int)
        /// The identifier that an identifier list would hold.
        case identifier([UInt8])
    }

    public let mechanism: Mechanism
    /// Where the list is, as written: its `sub` must be the same text.
    public let uri: String
    /// DER of the certificate under which the list's signer stands; nil: the issuer's own root.
    public let certificate: [UInt8]?

    public init(_ mechanism: Mechanism, uri: String, certificate: [UInt8]? = nil) {
        self.mechanism = mechanism
        self.uri = uri
        self.certificate = certificate
    }

    /// `{"status_list": {…}}` or `{"identifier_list": {…}}` for an MSO.
    public var cbor: CBOR {
        var members: [(CBOR, CBOR)]
        let name: String
        switch mechanism {
        case .index(let index): (name, members) = ("status_list", [(.text("idx"), .int(index))])
        case .identifier(let id): (name, members) = ("identifier_list", [(.text("id"), .bytes(id))])
        }
        members.append((.text("uri"), .text(uri)))
        if let certificate { members.append((.text("certificate"), .bytes(certificate))) }
        return .map([(.text(name), .map(members))])
    }

    /// `{"status_list": {"idx", "uri"}}` for a JWT; nil for identifiers, which JWTs do not have.
    public var json: JSON? {
        guard case .index(let index) = mechanism else { return nil }
        return ["status_list": ["idx": .integer(Int64(index)), "uri": .string(uri)]]
    }
}

/// What the `status` member of a document comes to.
public enum StatusClaim: Sendable, Hashable {
    case absent
    /// One, or one of each kind.
    case references([StatusReference])
    /// Breaks its definition: the check that says so (T20, T31), and how.
    case malformed(check: String, String)
    /// Only mechanisms that are not known here.
    case unknown([String])

    /// The `status` of an MSO.
    public init(mso status: CBOR?) {
        guard let status else {
            self = .absent
            return
        }
        var references: [StatusReference] = []
        do throws(CBORError) {
            let names = try status.map().compactMap { try? $0.key.text() }
            if let list = try status.optional("status_list") { references.append(try .init(list: list)) }
            guard !references.isEmpty || names.contains("identifier_list") else {
                self = .unknown(names)
                return
            }
        } catch {
            self = .malformed(check: "T20", "\(error)")
            return
        }
        do throws(CBORError) {
            if let list = try status.optional("identifier_list") { references.append(try .init(identifiers: list)) }
        } catch {
            self = .malformed(check: "T31", "\(error)")
            return
        }
        self = .references(references)
    }

    /// The `status` claim of a JWT.
    public init(jwt status: JSON?) {
        guard let status else {
            self = .absent
            return
        }
        guard let members = status.objectValue else {
            self = .malformed(check: "T20", "status is a JSON \(status.typeName), an object expected")
            return
        }
        guard let list = members["status_list"] else {
            self = .unknown(members.keys)
            return
        }
        guard let uri = list["uri"]?.stringValue, !uri.isEmpty else {
            self = .malformed(check: "T20", "status_list has no uri")
            return
        }
        guard let index = list["idx"]?.intValue.flatMap({ Int(exactly: $0) }), index >= 0 else {
            self = .malformed(check: "T20", "status_list has no idx that is an integer from 0")
            return
        }
        self = .references([StatusReference(.index(index), uri: uri)])
    }
}

extension StatusReference {
    fileprivate init(list: CBOR) throws(CBORError) {
        let item = try list["idx"]
        guard let index = Int(exactly: try item.uint()) else { throw item.error(.outOfRange("idx")) }
        self.init(.index(index), uri: try list["uri"].text(), certificate: try list.optional("certificate")?.bytes())
    }

    fileprivate init(identifiers list: CBOR) throws(CBORError) {
        self.init(
            .identifier(try list["id"].bytes()), uri: try list["uri"].text(), certificate: try list.optional("certificate")?.bytes()
        )
    }
}
