import Ports
import Testing
import Web

@Suite struct ClientTests {
    private let client = CurlTransport(CurlTransport.Options(allowsPrivate: true))

    private func failure(_ client: CurlTransport, _ url: WebURL, _ limits: HTTPLimits = HTTPLimits(seconds: 3600)) async
        -> HTTPError?
    {
        do throws(HTTPError) {
            _ = try await client.send(HTTPRequest("GET", url, limits: limits))
            return nil
        } catch { return error }
    }

    @Test func privateAddressesAreReachedOnlyWhenAllowed() async throws {
        let stage = try Stage(Answer { _ in .text("here") })
        let strict = CurlTransport()
        #expect(await failure(strict, stage.url)?.reason == .privateAddress)
        let named = try WebURL("http://localhost:\(stage.server.listener.port)/")
        #expect(await failure(strict, named)?.reason == .privateAddress)
        let mapped = try WebURL("http://[::ffff:127.0.0.1]:\(stage.server.listener.port)/")
        #expect(await failure(strict, mapped)?.reason == .privateAddress)
        #expect(try await stage.get("/").status == 200)
        await stage.server.stop()
    }

    @Test func redirectsAreFollowedOnlyWhereTheLimitsSaySo() async throws {
        let stage = try Stage(
            Answer { request in
                switch request.url.path {
                case "/once": .redirect(to: "/there?x=1", status: 302)
                case "/loop": .redirect(to: "/loop", status: 307)
                case "/file": .redirect(to: "file:///etc/passwd", status: 302)
                default: .text("\(request.method) \(request.url.target)")
                }
            })
        let once = try WebURL(stage.url.origin + "/once")
        #expect(await failure(client, once)?.reason == .redirected(to: "/there?x=1"))
        let followed = try await stage.get("/once", limits: HTTPLimits(seconds: 3600, redirects: 1))
        #expect(followed.bytes == Array("GET /there?x=1\n".utf8))
        let loop = try WebURL(stage.url.origin + "/loop")
        #expect(await failure(client, loop, HTTPLimits(seconds: 3600, redirects: 5))?.reason == .redirected(to: "/loop"))
        let file = try WebURL(stage.url.origin + "/file")
        #expect(
            await failure(client, file, HTTPLimits(seconds: 3600, redirects: 5))?.reason == .redirected(to: "file:///etc/passwd"))
        await stage.server.stop()
    }

    @Test func anEndlessBodyIsCutOffAtItsLimit() async throws {
        let server = try RawServer(opening: "HTTP/1.1 200 OK\r\n\r\n", filling: String(repeating: "x", count: 10_000))
        let error = await failure(client, try server.url(), HTTPLimits(body: 100_000, seconds: 3600))
        #expect(error?.reason == .tooLarge(limit: 100_000))
    }

    @Test func anEndlessHeaderIsCutOff() async throws {
        let server = try RawServer(opening: "HTTP/1.1 200 OK\r\n", filling: "X: \(String(repeating: "x", count: 5000))\r\n")
        let reason = await failure(client, try server.url(), HTTPLimits(seconds: 3600))?.reason
        #expect(reason == .tooLarge(limit: 65536), "\(String(describing: reason))")
        let line = try RawServer(opening: "HTTP/1.1 200 OK\r\nX: ", filling: String(repeating: "x", count: 5000))
        let other = await failure(client, try line.url(), HTTPLimits(seconds: 3600))
        #expect(other != nil && other?.reason != .timedOut, "\(String(describing: other))")
    }

    @Test func anAnswerThatNeverEndsIsGivenUpInTime() async throws {
        let server = try RawServer(opening: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        #expect(await failure(client, try server.url(), HTTPLimits(seconds: 1))?.reason == .timedOut)
    }

    @Test func whatIsNoHTTPIsNamed() async throws {
        let server = try RawServer(opening: "SSH-2.0-OpenSSH_9.2\r\n", filling: "\r\n")
        let error = await failure(client, try server.url(), HTTPLimits(seconds: 3600))
        #expect(error != nil && error?.reason != .timedOut, "\(String(describing: error))")
        let other = try WebURL("ftp://127.0.0.1/x")
        #expect(await failure(client, other)?.reason == .malformed)
    }

    @Test func aHeaderWithALineBreakIsNotSent() async throws {
        let stage = try Stage(Answer { _ in .text("here") })
        let request = HTTPRequest("GET", stage.url, headers: ["X": "a\r\nY: b"], limits: HTTPLimits(seconds: 3600))
        let error = await #expect(throws: HTTPError.self) { try await client.send(request) }
        #expect(error?.reason == .malformed)
        await stage.server.stop()
    }

    @Test func aCancelledRequestEndsAtOnce() async throws {
        let server = try RawServer(opening: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        let url = try server.url()
        let client = client
        let task = Task { try await client.send(HTTPRequest("GET", url, limits: HTTPLimits(seconds: 3600))) }
        task.cancel()
        let error = await #expect(throws: HTTPError.self) { try await task.value }
        #expect(error?.reason == .cancelled)
    }
}
