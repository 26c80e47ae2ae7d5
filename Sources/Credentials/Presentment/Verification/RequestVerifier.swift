public import Ports

/// What the holder makes of reader authentication.
public enum ReaderPolicy: String, Sendable, Hashable, CaseIterable {
    /// It is not looked at.
    case off
    /// It is checked and shown; who the reader is decides the person.
    case warn
    /// Only a reader whose signature verifies and whose certificate leads to a trusted root is answered.
    case require
}

/// Judges what a reader asks: every H check that a request can be held against, and what the holder has to answer if it cannot
/// be served.
public struct RequestVerifier: Sendable {
    /// Verifies and remembers readers, by the edition of all checks.
    public var readers: SignerVerifier
    public var policy: ReaderPolicy

    public init(readers: SignerVerifier, policy: ReaderPolicy = .warn) {
        self.readers = readers
        self.policy = policy
    }

    public var edition: Edition { readers.edition }

    /// - Parameters:
    ///   - request: the DeviceRequest as received, decrypted.
    ///   - transcript: what the reader signed over; nil leaves its authentication unchecked.
    public func verify(_ request: [UInt8], over transcript: SessionTranscript?, at time: Timestamp) -> RequestReport {
        var verification = RequestVerification(self, transcript, time)
        verification.run(request)
        return verification.report
    }
}
