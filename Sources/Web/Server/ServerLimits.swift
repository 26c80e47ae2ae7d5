/// What a server takes from its clients. More is refused with the status of RFC 9110 for it.
public struct ServerLimits: Sendable, Hashable {
    /// Bytes of a request body; more is 413.
    public var body: Int
    /// Bytes of the first line and the header together; more is 431, or 414 where the first line alone is too long.
    public var header: Int
    /// Header fields; more is 431.
    public var fields: Int
    /// Seconds from the first byte of a request to its last; then 408. A connection that brings no request may rest twice as long.
    public var seconds: Int
    /// Connections at a time; more wait to be accepted.
    public var connections: Int

    /// Limits: 4 MiB, 32 KiB of header in 100 fields, 30 seconds, 512 connections.
    public init(body: Int = 4 << 20, header: Int = 32 << 10, fields: Int = 100, seconds: Int = 30, connections: Int = 512) {
        (self.body, self.header, self.fields) = (body, header, fields)
        (self.seconds, self.connections) = (seconds, connections)
    }
}
