/// Where a stream link is found, written `tcp:HOST:PORT`, `tcp:[V6]:PORT` or `unix:PATH`.
public enum LinkAddress: Sendable, Hashable, CustomStringConvertible {
    /// Port 0 lets the listener choose.
    case tcp(host: String, port: UInt16)
    case unix(path: String)

    /// - Throws: `LinkError.address` that says what is wrong.
    public init(_ text: String) throws(LinkError) {
        if let path = text.droppingPrefix("unix:") {
            guard (1...107).contains(path.utf8.count), !path.utf8.contains(0) else {
                throw .address("the path of a Unix socket has 1 to 107 bytes")
            }
            self = .unix(path: path)
        } else if let rest = text.droppingPrefix("tcp:") {
            guard let colon = rest.lastIndex(of: ":"), let port = UInt16(rest[rest.index(after: colon)...]) else {
                throw .address("'\(text)' has no port from 0 to 65535")
            }
            var host = String(rest[..<colon])
            if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
            guard !host.isEmpty, !host.utf8.contains(0) else { throw .address("'\(text)' names no host") }
            self = .tcp(host: host, port: port)
        } else {
            throw .address("'\(text)' is neither tcp:HOST:PORT nor unix:PATH")
        }
    }

    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}

extension StringProtocol {
    /// What follows `prefix`; nil when the text does not begin so.
    func droppingPrefix(_ prefix: String) -> String? { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil }
}
