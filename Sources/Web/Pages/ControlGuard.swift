public import Ports

/// Who may use the pages and the control API of a server. A server on loopback is for whoever is on the machine, but not for web pages
/// from elsewhere that a browser there has open; any other needs a token.
public struct ControlGuard: Sendable {
    /// Nil when the server is for this machine alone.
    public let token: String?
    private let url: WebURL
    private let names: Set<String>

    /// - Parameter token: needed unless the listener is on loopback and has no public URL elsewhere.
    public init(_ listener: HTTPListener, token: String) {
        url = listener.url
        self.token = listener.isLoopback && listener.url.isLoopback ? nil : token
        names = ["localhost:\(listener.port)", "127.0.0.1:\(listener.port)", "[::1]:\(listener.port)"]
    }

    /// The page that a person opens first: with the token where one is needed.
    public var entry: WebURL {
        let root = url.with(path: url.path.isEmpty ? "/" : url.path)
        return token.map { root.with(query: ["token": $0]) } ?? root
    }

    /// What to answer instead, nil when the request may pass.
    public func refusal(of request: HTTPRequest) -> HTTPResponse? {
        if let token {
            if let given = (try? request.url.fields())?["token"], Self.isSame(given, token) { return welcome(request, token) }
            guard isKnown(request, token) else {
                return .text(
                    "this page needs the token that the program printed when it started", status: 401,
                    headers: ["WWW-Authenticate": "Bearer"])
            }
        } else if !isForThisServer(request) {
            // A name that somebody else's name server points to this machine.
            return .text("this server is not known by the name \(request.headers["Host"] ?? "")", status: 421)
        }
        if ["GET", "HEAD"].contains(request.method) { return nil }
        return isFromHere(request) ? nil : .text("a form of another site may not do this", status: 403)
    }

    /// Keeps the token in the browser and takes it out of the address.
    private func welcome(_ request: HTTPRequest, _ token: String) -> HTTPResponse {
        var fields = (try? request.url.fields()) ?? [:]
        fields["token"] = nil
        var response = HTTPResponse.redirect(to: request.url.with(query: fields).target)
        response.headers["Set-Cookie"] = Cookies.header("walletbench_token", token, for: url)
        return response
    }

    private func isKnown(_ request: HTTPRequest, _ token: String) -> Bool {
        let given = request.headers.credentials("Bearer") ?? Cookies.value("walletbench_token", of: request)
        return given.map { Self.isSame($0, token) } ?? false
    }

    private func isForThisServer(_ request: HTTPRequest) -> Bool {
        guard let host = request.headers["Host"]?.lowercased() else { return false }
        return "\(url.scheme)://\(host)" == url.origin || names.contains(host)
    }

    /// Browsers say where a form comes from; programs that say nothing are no browsers.
    private func isFromHere(_ request: HTTPRequest) -> Bool {
        if let site = request.headers["Sec-Fetch-Site"], site != "same-origin", site != "none" { return false }
        guard let origin = request.headers["Origin"] else { return true }
        return origin == url.origin || names.contains { origin == "\(url.scheme)://\($0)" }
    }

    /// Takes the same time wherever they differ.
    static func isSame(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// Cookies of the pages: for this server alone, out of reach of scripts.
public enum Cookies {
    /// The value that a browser sent; nil when there is none.
    public static func value(_ name: String, of request: HTTPRequest) -> String? {
        for header in request.headers.all("Cookie") {
            for pair in header.split(separator: ";") {
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2, parts[0] == name { return String(parts[1]) }
            }
        }
        return nil
    }

    /// `Set-Cookie`. Sent along when another site leads here (the wallet's redirect), never with its forms.
    public static func header(_ name: String, _ value: String, for url: WebURL) -> String {
        "\(name)=\(value); Path=\(url.path.isEmpty ? "/" : url.path); HttpOnly; SameSite=Lax"
            + (url.scheme == "https" ? "; Secure" : "")
    }
}
