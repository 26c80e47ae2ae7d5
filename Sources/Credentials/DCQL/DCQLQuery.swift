public import Codec

/// A query of OpenID4VP 1.0 §6, checked: what cannot be asked is not one.
///
/// `{"credentials": [{"id", "format", "meta", "multiple"?, "trusted_authorities"?, "require_cryptographic_holder_binding"?,
/// "claims"?: [{"id"?, "path", "values"?, "intent_to_retain"?}], "claim_sets"?}], "credential_sets"?: [{"options", "required"?}]}`
public struct DCQLQuery: Sendable, Hashable {
    /// What one presentation is to be.
    public struct Credential: Sendable, Hashable {
        public let id: String
        public let format: String
        /// The types that will do: `vct_values`, or the one `doctype_value`; nil where the format defines no such thing here.
        public let types: [String]?
        public let allowsMultiple: Bool
        public let requiresHolderBinding: Bool
        /// Any of them will do; empty when the issuer does not matter.
        public let trustedAuthorities: [TrustedAuthority]
        /// Nil asks for no selectively disclosable claim.
        public let claims: [Claim]?
        /// Ids of claims: the first combination that can be had.
        public let claimSets: [[String]]?
    }

    /// One claim asked for.
    public struct Claim: Sendable, Hashable {
        public let id: String?
        public let path: ClaimPath
        /// Strings, integers and booleans, exact in type; nil accepts any value.
        public let values: [JSON]?
        /// mdoc only.
        public let intentToRetain: Bool?
    }

    /// A way to know issuers by.
    public struct TrustedAuthority: Sendable, Hashable {
        /// `aki`, `etsi_tl`, `openid_federation`, or another.
        public let type: String
        public let values: [String]

        public init(type: String, values: [String]) {
            self.type = type
            self.values = values
        }
    }

    /// A choice between combinations of credentials.
    public struct CredentialSet: Sendable, Hashable {
        public let options: [[String]]
        public let isRequired: Bool
    }

    public let credentials: [Credential]
    /// Nil asks for every one of `credentials`.
    public let credentialSets: [CredentialSet]?
    /// The query as received.
    public let json: JSON
    /// What is odd, though it can be evaluated.
    public let warnings: [DCQLIssue]

    /// - Throws: every fault of the query, each with its place.
    public init(_ json: JSON) throws(DCQLSyntaxError) {
        var reader = DCQLReader()
        let read = reader.query(json)
        guard reader.issues.isEmpty else { throw DCQLSyntaxError(issues: reader.issues, warnings: reader.warnings) }
        credentials = read.credentials
        credentialSets = read.sets
        self.json = json
        warnings = reader.warnings
    }

    /// Reads text.
    public init(text: String) throws(DCQLSyntaxError) {
        let json: JSON
        do { json = try JSON.decode(text) } catch {
            throw DCQLSyntaxError(issues: [DCQLIssue(check: "VQ18", path: FieldPath(), message: "\(error)")], warnings: [])
        }
        try self.init(json)
    }

    /// The credential query of an id.
    public func credential(_ id: String) -> Credential? { credentials.first { $0.id == id } }
}

/// One fault or oddity of a query.
public struct DCQLIssue: Sendable, Hashable, CustomStringConvertible {
    /// The id in the check catalogue: `VQ4`; nil for a warning that is no check of its own.
    public let check: String?
    public let path: FieldPath
    public let message: String

    public var description: String { "\(check.map { "\($0) " } ?? "")\(path): \(message)" }
}

/// Why JSON is no query: every fault, in the order of the text.
public struct DCQLSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    public let issues: [DCQLIssue]
    public let warnings: [DCQLIssue]

    public var description: String { issues.map(\.description).joined(separator: "; ") }
}
