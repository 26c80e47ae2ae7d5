package import Ports

/// The request of a step and its answer as they were on the wire, with what stood in encrypted bodies.
package struct StepMessages: Sendable {
    package let request: HTTPRequest
    package let response: HTTPResponse
    /// The JSON of an encrypted request; nil where it came plain or could not be opened.
    package let opened: [UInt8]?
    /// The JSON of an encrypted answer; nil where it went plain.
    package let sealed: [UInt8]?

    /// Bytes that keeping them takes, roughly.
    package var size: Int {
        request.body.count + request.headers.byteCount + response.bytes.count + response.headers.byteCount + (opened?.count ?? 0)
            + (sealed?.count ?? 0)
    }
}
