/// Finds the handler of a request by method and path. An unknown path gets 404, a known one with another method 405 and `Allow`.
public struct HTTPRouter: HTTPHandler {
    /// Answers a request; the second argument holds the decoded `{name}` steps of the pattern.
    public typealias Body = @Sendable (HTTPRequest, [String: String]) async -> HTTPResponse

    private struct Route: Sendable {
        var method: String
        var steps: [Step]
        var body: Body
    }

    private enum Step: Sendable, Equatable {
        case literal(String)
        case parameter(String)
        case rest(String)
    }

    private var routes: [Route] = []
    private let base: [Substring]

    /// - Parameter base: what stands before every pattern, the path of the public URL: `/tenant`.
    public init(base: String = "") { self.base = base.split(separator: "/").map { Substring($0) } }

    /// Adds a route. Earlier ones win.
    /// - Parameter pattern: steps as they are, `{name}` for any one step, `{name...}` last for all that follow.
    public mutating func on(_ method: String, _ pattern: String, _ body: @escaping Body) {
        let steps = pattern.split(separator: "/").map { step -> Step in
            guard step.hasPrefix("{"), step.hasSuffix("}") else { return .literal(String(step)) }
            let name = step.dropFirst().dropLast()
            return name.hasSuffix("...") ? .rest(String(name.dropLast(3))) : .parameter(String(name))
        }
        routes.append(Route(method: method, steps: steps, body: body))
    }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        var steps = request.url.path.split(separator: "/")[...]
        guard steps.starts(with: base) else { return .text("there is nothing here", status: 404) }
        steps = steps.dropFirst(base.count)
        var allowed: [String] = []
        for route in routes {
            guard let parameters = Self.match(route.steps, Array(steps)) else { continue }
            if route.method == request.method || (route.method == "GET" && request.method == "HEAD") {
                return await route.body(request, parameters)
            }
            if !allowed.contains(route.method) { allowed.append(route.method) }
        }
        guard !allowed.isEmpty else { return .text("there is nothing here", status: 404) }
        return .text("\(request.method) is not for this place", status: 405, headers: ["Allow": allowed.joined(separator: ", ")])
    }

    private static func match(_ pattern: [Step], _ steps: [Substring]) -> [String: String]? {
        var parameters: [String: String] = [:]
        var rest = steps[...]
        for step in pattern {
            if case .rest(let name) = step {
                parameters[name] = rest.joined(separator: "/")
                return parameters
            }
            guard let found = rest.popFirst() else { return nil }
            switch step {
            case .literal(let text): guard found == text else { return nil }
            case .parameter(let name):
                guard let bytes = PercentEncoding.decode(String(found)), let text = String(validating: bytes, as: UTF8.self) else {
                    return nil
                }
                parameters[name] = text
            case .rest: break
            }
        }
        return rest.isEmpty ? parameters : nil
    }
}

/// Joins clients and servers of one process: requests go to the handler of their origin.
public struct InProcessTransport: HTTPTransport {
    private let handlers: [String: any HTTPHandler]

    /// - Parameter handlers: by origin, as `WebURL.origin` writes it.
    public init(_ handlers: [String: any HTTPHandler]) { self.handlers = handlers }

    public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        guard let handler = handlers[request.url.origin] else {
            throw HTTPError(.unreachable, url: request.url, "nobody answers at \(request.url.origin)")
        }
        var response = await handler.respond(to: request)
        if case .stream(let stream) = response.body {
            var bytes: [UInt8] = []
            for await chunk in stream {
                bytes += chunk
                if bytes.count > request.limits.body { break }
            }
            response.body = .bytes(bytes)
        }
        guard response.bytes.count <= request.limits.body else {
            throw HTTPError(
                .tooLarge(limit: request.limits.body), url: request.url, "the body is longer than \(request.limits.body) bytes")
        }
        guard (300..<400).contains(response.status), let place = response.headers["Location"] else { return response }
        guard request.limits.redirects > 0, let next = try? WebURL(place) else {
            throw HTTPError(.redirected(to: place), url: request.url, "sends us on to \(place), which is not followed")
        }
        var following = HTTPRequest("GET", next, headers: request.headers, limits: request.limits)
        following.limits.redirects -= 1
        return try await send(following)
    }
}
