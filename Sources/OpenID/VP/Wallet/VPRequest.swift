public import Codec
public import Credentials
public import Ports

/// Who asks, as far as the request proves it.
public struct VPClient: Sendable {
    public let identifier: ClientIdentifier
    /// The subject of its certificate, its DNS name, its registered name, else the identifier or origin.
    public let name: String
    /// Whether what authenticates it leads to something trusted; nil where there was nothing to check it against.
    public let isTrusted: Bool?
    /// How it was authenticated, in a few words: "certificate chain, x509_hash".
    public let how: String
    /// The leaf certificate, DER; nil without one.
    public let certificate: [UInt8]?
}

/// A request that was resolved once and checked: everything below works on what was kept here.
public struct VPRequest: Sendable {
    public let client: VPClient
    /// All parameters, from the request object where there is one.
    public let parameters: JSONObject
    /// The request object as received; nil for an unsigned request.
    public let object: String?
    /// What the request says.
    public let askedMode: ResponseMode
    /// What the wallet uses: the same, unless overridden.
    public let mode: ResponseMode
    /// `response_uri` or `redirect_uri`; nil over the Digital Credentials API.
    public let endpoint: WebURL?
    public let nonce: String
    public let state: String?
    public let query: DCQLQuery
    public let metadata: VPClientMetadata?
    public let formats: VPFormats?
    /// The key chosen for the response; nil when it is not encrypted.
    public let encryption: ResponseEncryption?
    public let transactions: [TransactionItem]
    /// `verifier_info`, entries as received.
    public let verifierInfo: [JSON]
    /// What presentations are bound to.
    public let binding: PresentationBinding
}

/// Where an error may be sent: only to an endpoint that belongs to the authenticated client.
public struct VPErrorChannel: Sendable {
    public let mode: ResponseMode
    public let endpoint: WebURL?
    public let state: String?
}

/// A request that the wallet does not answer.
public struct VPRefusal: Error, Sendable {
    /// The check that decided.
    public let check: String
    public let reason: String
    /// The error to send; nil: nothing is sent.
    public let code: VPErrorCode?
    /// Where it goes; nil: nowhere.
    public let channel: VPErrorChannel?
}

/// What became of a request: its checks, and either the request or the refusal.
public struct VPResolution: Sendable {
    public let checks: CheckList
    public let result: Result<VPRequest, VPRefusal>
    /// What was received, by file name: for the evidence of the transaction.
    public let evidence: [(name: String, bytes: [UInt8])]
    /// What a verdict on the verifier's registration needs; nil where no parameters could be read.
    var registration: RegistrationClaim?

    /// What a request says of its verifier's registration, whether or not it can be answered.
    struct RegistrationClaim: Sendable {
        let attestations: [RegistrationAttestation]
        let access: AccessCertificate
        let subjects: [RegistrationSubject]
    }
}
