import Codec

/// A text that is no URL, or a broken form field; what is wrong with it.
public struct WebURLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One line for people.
    public var description: String

    init(_ description: String) { self.description = description }
}

/// An absolute URL (RFC 3986), its parts kept as they were written: path and query stay percent-encoded, so that what is signed or
/// compared is what came. Scheme and host are lower case.
public struct WebURL: Sendable, Hashable, CustomStringConvertible {
    /// Without the colon, lower case.
    public let scheme: String
    /// Name or address (an IPv6 address without its brackets), lower case; empty for schemes without a host.
    public let host: String
    /// As written; nil for the scheme's default.
    public let port: Int?
    /// Percent-encoded as received; "" or begins with "/" where there is a host.
    public let path: String
    /// Without the question mark, percent-encoded as received.
    public let query: String?
    /// Without the number sign.
    public let fragment: String?
    private let hasAuthority: Bool

    /// Reads an absolute URL of any scheme.
    /// - Throws: `WebURLError` for characters that no URL has, for user information, for a bad port, and for http and https without a host.
    public init(_ text: String) throws(WebURLError) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.excluded.contains($0) }) else {
            throw WebURLError("a URL has no spaces, control characters, or characters beyond ASCII: \(text.prefix(80))")
        }
        guard let colon = text.firstIndex(of: ":"), Self.isScheme(text[..<colon]) else {
            throw WebURLError("an absolute URL begins with its scheme: \(text.prefix(80))")
        }
        scheme = text[..<colon].lowercased()
        var rest = text[text.index(after: colon)...]
        fragment = Self.cut(&rest, at: "#")
        query = Self.cut(&rest, at: "?")
        hasAuthority = rest.hasPrefix("//")
        if hasAuthority {
            let authority = rest.dropFirst(2).prefix { $0 != "/" }
            path = String(rest.dropFirst(2 + authority.count))
            (host, port) = try Self.hostAndPort(authority, in: text)
        } else {
            (host, port, path) = ("", nil, String(rest))
        }
        if isWeb && host.isEmpty { throw WebURLError("\(scheme) needs a host: \(text.prefix(80))") }
        guard PercentEncoding.decode(path) != nil else {
            throw WebURLError("a % in the path has no two digits: \(text.prefix(80))")
        }
    }

    private init(_ url: WebURL, path: String? = nil, query: String??, fragment: String??) {
        (scheme, host, port, hasAuthority) = (url.scheme, url.host, url.port, url.hasAuthority)
        let wanted = path ?? url.path
        self.path = hasAuthority && !wanted.isEmpty && !wanted.hasPrefix("/") ? "/" + wanted : wanted
        self.query = query ?? url.query
        self.fragment = fragment ?? url.fragment
    }

    /// The same URL with another path, percent-encoded already; the query and fragment go.
    public func with(path: String) -> WebURL { WebURL(self, path: path, query: .some(nil), fragment: .some(nil)) }

    /// The same URL with one more step in its path and without query and fragment.
    public func appending(_ step: String) -> WebURL {
        with(path: (path.hasSuffix("/") ? String(path.dropLast()) : path) + "/" + step)
    }

    /// The same URL with these fields as its query; without fields it has none.
    public func with(query: FormFields) -> WebURL {
        WebURL(self, query: .some(query.names.isEmpty ? nil : query.encoded), fragment: nil)
    }

    /// The same URL with more fields after those of its query.
    public func adding(_ more: FormFields) -> WebURL {
        guard let query, !query.isEmpty else { return with(query: more) }
        return more.names.isEmpty ? self : WebURL(self, query: .some(query + "&" + more.encoded), fragment: nil)
    }

    /// The same URL with another fragment, encoded already, or without one.
    public func with(fragment: String?) -> WebURL { WebURL(self, query: nil, fragment: .some(fragment)) }

    /// The fields of the query; none when there is no query.
    /// - Throws: `WebURLError` for a broken percent-encoding.
    public func fields() throws(WebURLError) -> FormFields { try FormFields(query ?? "") }

    /// Whether the scheme is http or https.
    public var isWeb: Bool { scheme == "http" || scheme == "https" }

    /// The port that is used, 80 or 443 where none is written.
    public var effectivePort: Int? { port ?? (scheme == "https" ? 443 : scheme == "http" ? 80 : nil) }

    /// `scheme://host[:port]` (RFC 6454); the port only where it is not the scheme's own.
    public var origin: String {
        let ownPort = scheme == "https" ? 443 : scheme == "http" ? 80 : nil
        return "\(scheme)://\(hostText)" + (port.flatMap { $0 == ownPort ? nil : ":\($0)" } ?? "")
    }

    /// Path and query, as the first line of a request has them.
    public var target: String { (path.isEmpty ? "/" : path) + (query.map { "?" + $0 } ?? "") }

    /// Whether the host is this machine by its very name: `localhost`, 127.0.0.0/8, ::1.
    public var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return parts.count == 4 && parts.allSatisfy { $0 != nil } && parts[0] == 127
    }

    /// The URL as text.
    public var description: String {
        let authority = hasAuthority ? "//" + hostText + (port.map { ":\($0)" } ?? "") : ""
        return "\(scheme):\(authority)\(path)" + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")
    }

    private var hostText: String { host.contains(":") ? "[\(host)]" : host }

    /// `"`, `<`, `>`, `\`, `^`, `` ` ``, `{`, `|`, `}`.
    private static let excluded: Set<UInt8> = [0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B, 0x7C, 0x7D]

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7A).contains(first.asciiLowercased) else { return false }
        return text.utf8.allSatisfy {
            (0x61...0x7A).contains($0.asciiLowercased) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0)
        }
    }

    private static func cut(_ text: inout Substring, at mark: Character) -> String? {
        guard let place = text.firstIndex(of: mark) else { return nil }
        defer { text = text[..<place] }
        return String(text[text.index(after: place)...])
    }

    private static func hostAndPort(_ authority: Substring, in text: String) throws(WebURLError) -> (String, Int?) {
        guard !authority.contains("@") else { throw WebURLError("a URL with user information is not taken: \(text.prefix(80))") }
        var (host, port) = (authority, Substring?.none)
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else {
                throw WebURLError("an IPv6 address is not closed: \(text.prefix(80))")
            }
            host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw WebURLError("something follows the host: \(text.prefix(80))") }
            guard host.contains(":"), host.utf8.allSatisfy({ isAddressByte($0) }) else {
                throw WebURLError("no IPv6 address: \(text.prefix(80))")
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            (host, port) = (authority[..<colon], authority[authority.index(after: colon)...])
        }
        guard !host.contains("%"), !host.contains("[") || authority.hasPrefix("["), !host.contains("]") else {
            throw WebURLError("the host has characters of no host: \(text.prefix(80))")
        }
        guard let port, !port.isEmpty else { return (host.lowercased(), nil) }
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(port), (0...65535).contains(number) else {
            throw WebURLError("the port is no number from 0 to 65535: \(text.prefix(80))")
        }
        return (host.lowercased(), number)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte.asciiLowercased) || byte == 0x3A || byte == 0x2E
    }
}
