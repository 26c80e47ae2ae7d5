import Codec
import Credentials
import Crypto
import Ports
import Web

/// The options of a command that serves, and the server they make.
struct ServerSetup: Sendable {
    /// `--bind`, `--port`, `--public-url`, `--tls`.
    static let options: [Option] = [
        .value("bind", "ADDR[:PORT]", "The address to listen at; 0.0.0.0 for every network", default: "127.0.0.1"),
        .integer("port", "N", "The port; 0 picks one, which the output says", in: 0...65535, default: 0),
        .value("public-url", "URL", "What others reach this server by: an address of the network, a tunnel, a proxy"),
        .files("tls", ["CERT", "KEY"], "Serve HTTPS with this certificate chain and key (PEM): walletbench trust make tls"),
    ]

    let listener: HTTPListener
    let access: ControlGuard

    /// Binds.
    /// - Throws: exit code 2 when the options do not go together, 3 when the address cannot be had.
    init(_ invocation: Invocation) throws(CommandError) {
        let (address, port) = try Self.address(invocation)
        let tls = try Self.tls(invocation)
        let publicURL = try invocation.string("public-url").map { text throws(CommandError) in try Self.publicURL(text) }
        do throws(HTTPServerError) {
            listener = try HTTPListener(address: address, port: port, publicURL: publicURL, tls: tls)
        } catch { throw CommandError(error) }
        access = ControlGuard(listener, token: Base64URL.encode(invocation.context.random.bytes(16)))
    }

    /// What others reach the server by, without a slash at the end.
    var base: String { listener.url.origin + path }

    /// The path of the public URL, without a slash at the end.
    var path: String { listener.url.path.hasSuffix("/") ? String(listener.url.path.dropLast()) : listener.url.path }

    /// Serves until `body` returns or the program is interrupted.
    ///
    /// - Parameters:
    ///   - role: of the `ready` event.
    ///   - body: called once the server answers.
    func serve<Value: Sendable>(
        _ handler: some HTTPHandler, role: String, _ invocation: Invocation,
        until body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let server: HTTPServer
        do throws(HTTPServerError) { server = try HTTPServer(listener, handler: handler) } catch { throw CommandError(error) }
        var ready: JSONObject = [
            "url": .string(base), "port": .integer(Int64(listener.port)), "page": .string(access.entry.description),
        ]
        if let token = access.token { ready.append("token", .string(token)) }
        invocation.console.event(.ready, role: role, ready)
        if !invocation.console.isJSON {
            invocation.console.out("ready at \(base)")
            invocation.console.out("the page is at \(access.entry)")
        }
        let result: Result<Value, any Error>
        do { result = .success(try await Interrupt.cancelling(body)) } catch { result = .failure(error) }
        await server.stop()
        return try result.get()
    }

    private static func address(_ invocation: Invocation) throws(CommandError) -> (String, UInt16) {
        let text = invocation.string("bind") ?? "127.0.0.1"
        let port = invocation.integer("port").flatMap(UInt16.init(exactly:)) ?? 0
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let host = String(text[text.index(after: text.startIndex)..<end])
            return (host, try self.port(text[text.index(after: end)...], text) ?? port)
        }
        guard text.filter({ $0 == ":" }).count == 1, let colon = text.firstIndex(of: ":") else { return (text, port) }
        return (String(text[..<colon]), try self.port(text[colon...], text) ?? port)
    }

    private static func port(_ rest: Substring, _ text: String) throws(CommandError) -> UInt16? {
        if rest.isEmpty { return nil }
        guard rest.hasPrefix(":"), let port = UInt16(rest.dropFirst()) else {
            throw .usage("--bind \(text): no port from 0 to 65535", hint: "ADDR, ADDR:PORT, or [V6]:PORT")
        }
        return port
    }

    private static func tls(_ invocation: Invocation) throws(CommandError) -> TLSIdentity? {
        let paths = invocation.strings("tls")
        guard paths.count == 2 else { return nil }
        return TLSIdentity(chain: try Files.read(paths[0], limit: 1 << 20), key: try Files.read(paths[1], limit: 1 << 20))
    }

    private static func publicURL(_ text: String) throws(CommandError) -> WebURL {
        let url: WebURL
        do throws(WebURLError) { url = try WebURL(text) } catch { throw .usage("--public-url: \(error)") }
        guard url.isWeb, url.query == nil, url.fragment == nil else {
            throw .usage("--public-url \(text): an http or https URL without query is needed")
        }
        return url
    }
}

/// The client of a command that fetches.
enum ClientSetup {
    /// By `--allow-private` and `--tls-ca`; anchors of the home with the role `servers` count too.
    /// - Throws: exit code 1 when a root is no certificate, 3 when it cannot be read.
    static func transport(_ context: Context) throws(CommandError) -> CurlTransport {
        var authorities = ""
        let kept = context.usesTrust ? try context.trustStore.all().map(\.anchor).filter { $0.role == .servers } : []
        for anchor in kept { authorities += PEM.encode(anchor.certificate.der, label: "CERTIFICATE") }
        for path in context.network.authorities {
            for certificate in try CertificateFile.certificates(path) {
                authorities += PEM.encode(certificate.der, label: "CERTIFICATE")
            }
        }
        return CurlTransport(
            CurlTransport.Options(allowsPrivate: context.network.allowsPrivate, authorities: Array(authorities.utf8)))
    }
}

extension CommandError {
    /// A server that cannot serve: the surroundings are in the way.
    init(_ error: HTTPServerError) { self = .environment(error.description, hint: error.hint) }

    /// A message that did not arrive.
    init(_ error: HTTPError) {
        let isEnvironment = [.unreachable, .timedOut].contains(error.reason)
        self.init(error.description, hint: error.mend, exit: isEnvironment ? .environment : .refused)
    }
}
