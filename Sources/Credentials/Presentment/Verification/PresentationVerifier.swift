public import Crypto
public import Ports

/// Judges what a holder presented: every check of the catalogue over the bytes as received, none of them stopping the others.
public struct PresentationVerifier: Sendable {
    /// Verifies and remembers document signers, by the edition and the tolerance of all checks; without anchors their path stays
    /// unchecked (`no anchors`).
    public var signers: SignerVerifier
    /// How the checks become a verdict.
    public var rule: VerdictRule
    /// Whether a mobile security object with this SHA-256 was presented before; nil: nothing is remembered.
    public var wasSeen: (@Sendable ([UInt8]) -> Bool)?

    public init(
        signers: SignerVerifier, rule: VerdictRule = VerdictRule(), wasSeen: (@Sendable ([UInt8]) -> Bool)? = nil
    ) {
        self.signers = signers
        self.rule = rule
        self.wasSeen = wasSeen
    }

    /// Judges a DeviceResponse.
    ///
    /// - Parameters:
    ///   - response: the DeviceResponse as received, decrypted.
    ///   - transcript: what the device signed over; nil leaves device authentication unchecked.
    ///   - request: what was asked; nil leaves unchecked whether the answer fits.
    ///   - readerKey: the session's ephemeral private key, which a MAC needs.
    ///   - mistakes: transcripts that peers are known to use by mistake, to be named where device authentication fails.
    ///   - time: the moment for which validity is judged.
    public func verify(
        _ response: [UInt8], over transcript: SessionTranscript?, request: DeviceRequest? = nil, readerKey: PrivateKey? = nil,
        mistakes: [(name: String, transcript: SessionTranscript)] = [], at time: Timestamp
    ) -> PresentationReport {
        let session = VerificationSession(
            verifier: self, transcript: transcript, request: request.map(RequestedElements.init), readerKey: readerKey,
            mistakes: mistakes, time: time)
        var verification = ResponseVerification(session)
        verification.run(response)
        return PresentationReport(
            at: time, rule: rule, checks: verification.list, documents: verification.documents, missing: verification.missing,
            unrequested: verification.unrequested)
    }
}

/// What all checks of one verification share.
struct VerificationSession {
    let verifier: PresentationVerifier
    let transcript: SessionTranscript?
    let request: RequestedElements?
    let readerKey: PrivateKey?
    let mistakes: [(name: String, transcript: SessionTranscript)]
    let time: Timestamp

    var signers: SignerVerifier { verifier.signers }
    var edition: Edition { signers.edition }
    var latest: Timestamp { time.adding(seconds: signers.skew) }
    var earliest: Timestamp { time.adding(seconds: -signers.skew) }
}
