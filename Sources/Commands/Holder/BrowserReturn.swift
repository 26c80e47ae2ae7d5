import Ports
import Web

/// The port of this machine to which the browser comes back from the authorization page (RFC 8252 §7.3).
final class BrowserReturn: Sendable {
    private let listener: HTTPListener
    private let server: HTTPServer
    private let arrivals: AsyncStream<WebURL>

    init() throws(CommandError) {
        let (stream, continuation) = AsyncStream.makeStream(of: WebURL.self, bufferingPolicy: .bufferingNewest(1))
        arrivals = stream
        do throws(HTTPServerError) {
            listener = try HTTPListener()
            server = try HTTPServer(listener, handler: Handler(continuation: continuation))
        } catch { throw CommandError(error) }
    }

    var redirectURI: String { "\(listener.url.origin)/callback" }

    /// Where the browser came back to, with what it brought.
    func callback() async throws -> WebURL {
        for await url in arrivals {
            await server.stop()
            return url
        }
        await server.stop()
        throw CommandError.interrupted
    }

    private struct Handler: HTTPHandler {
        let continuation: AsyncStream<WebURL>.Continuation

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            guard request.url.path == "/callback", request.method == "GET" else {
                return .text("there is nothing here", status: 404)
            }
            continuation.yield(request.url)
            return .html(
                "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>walletbench</title><p>The wallet goes on. You can close this page.</p></html>",
                headers: ["Content-Security-Policy": "default-src 'none'", "Cache-Control": "no-store"])
        }
    }
}
