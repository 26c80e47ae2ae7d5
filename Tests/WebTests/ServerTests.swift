import Codec
import Ports
import Testing
import Web

@Suite struct ServerTests {
    private static let echo = Answer { request in
        .json([
            "method": .string(request.method), "target": .string(request.url.target),
            "body": .string(String(decoding: request.body, as: UTF8.self)),
            "type": .string(request.headers["content-TYPE"] ?? ""), "peer": .string(request.peer ?? ""),
        ])
    }

    @Test func aRequestArrivesAsItWasSent() async throws {
        let stage = try Stage(Self.echo)
        let url = try WebURL(stage.url.origin + "/a%2Fb/c?x=%20y&x=2")
        var request = HTTPRequest.form(url, ["vp_token": "{\"a\":[\"b\"]}"])
        request.limits.seconds = 3600
        let response = try await stage.client.send(request)
        let json = try JSON.decode(response.bytes)
        #expect(response.status == 200)
        #expect(json["method"] == "POST")
        #expect(json["target"] == "/a%2Fb/c?x=%20y&x=2")
        #expect(json["body"] == "vp_token=%7B%22a%22%3A%5B%22b%22%5D%7D")
        #expect(json["type"] == "application/x-www-form-urlencoded")
        #expect(json["peer"] == "127.0.0.1")
        await stage.server.stop()
    }

    @Test func manyRequestsAtOnceAllGetTheirOwnAnswer() async throws {
        let stage = try Stage(
            Answer { request in
                await Task.yield()
                return .text(request.url.path)
            })
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask { try await stage.get("/\(number)").bytes == Array("/\(number)\n".utf8) }
            }
            for try await isRight in group { #expect(isRight) }
        }
        await stage.server.stop()
    }

    @Test(arguments: [
        ("both lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
        ("two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "400"),
        ("the same length twice", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", "400"),
        ("a length that is no number", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x3\r\n\r\nabc", "400"),
        ("an unknown encoding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "400"),
        ("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
        ("no host", "GET / HTTP/1.1\r\n\r\n", "400"),
        ("a target that is no path", "GET a:b HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
        ("a body beyond the limit", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000000\r\n\r\n", "413"),
    ])
    func whatCouldBeReadTwoWaysIsRefused(_ what: String, _ text: String, _ status: String) async throws {
        let stage = try Stage(Self.echo)
        let connection = try RawConnection(port: stage.server.listener.port)
        connection.send(text)
        let answer = await connection.receiveAll()
        #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(what): \(answer)")
        await stage.server.stop()
    }

    @Test func tooLongAHeaderIsRefused() async throws {
        let stage = try Stage(Self.echo)
        let connection = try RawConnection(port: stage.server.listener.port)
        connection.send("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 200_000))\r\n\r\n")
        let answer = await connection.receiveAll()
        #expect(answer.hasPrefix("HTTP/1.1 431") || answer.hasPrefix("HTTP/1.1 400") || answer.isEmpty, "\(answer)")
        let many = try RawConnection(port: stage.server.listener.port)
        many.send("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 150) + "\r\n")
        #expect(await many.receiveAll().hasPrefix("HTTP/1.1 431"))
        await stage.server.stop()
    }

    @Test func aBodyThatGrowsBeyondTheLimitIsRefused() async throws {
        let stage = try Stage(limits: ServerLimits(body: 1000, seconds: 3600), Self.echo)
        let connection = try RawConnection(port: stage.server.listener.port)
        let chunk = "1F4\r\n\(String(repeating: "x", count: 500))\r\n"
        connection.send(
            "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)\(chunk)\(chunk)0\r\n\r\n"
        )
        #expect(await connection.receiveAll().hasPrefix("HTTP/1.1 413"))
        await stage.server.stop()
    }

    @Test func aRequestThatComesInDropsIsCutOff() async throws {
        let stage = try Stage(limits: ServerLimits(seconds: 1), Self.echo)
        let connection = try RawConnection(port: stage.server.listener.port)
        connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
        // One byte at a time, as fast as the server takes them to be slow: it never is idle.
        let drops = Task {
            while !Task.isCancelled, connection.send("x") { try? await Task.sleep(for: .milliseconds(50)) }
        }
        let answer = await connection.receiveAll()
        drops.cancel()
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 408"), "\(answer)")
        await stage.server.stop()
    }

    @Test func aStreamArrivesInPartsAndEnds() async throws {
        let hub = EventHub()
        let stage = try Stage(
            Answer { request in
                if request.url.path == "/events" { return hub.response(for: "t") }
                hub.post("change", "first\nline", to: "t")
                hub.end("t")
                return .text("posted")
            })
        async let events = stage.get("/events")
        // The listener is there once the stream has begun; until then posting reaches nobody.
        var body = ""
        while body.isEmpty {
            _ = try await stage.get("/post")
            try await Task.sleep(for: .milliseconds(20))
            if hub.listeners == 0 { body = String(decoding: try await events.bytes, as: UTF8.self) }
        }
        #expect(body.contains("retry: 2000\n\n"))
        #expect(body.contains("event: change\ndata: first\ndata: line\n\n"))
        await stage.server.stop()
    }

    @Test func stoppingEndsWhatIsUnderWay() async throws {
        let hub = EventHub()
        let stage = try Stage(
            Answer { request in
                if request.url.path == "/events" { return hub.response(for: "t") }
                // Until it is cancelled.
                let never = AsyncStream<Void> { _ in }
                for await _ in never {}
                return .text("ended")
            })
        let tasks = ["/events", "/wait", "/wait"].map { path in Task { try? await stage.get(path) } }
        while hub.listeners == 0 { try await Task.sleep(for: .milliseconds(10)) }
        await stage.server.stop()
        for task in tasks { _ = await task.value }
        await #expect(throws: HTTPError.self) { try await stage.get("/") }
    }

    @Test func aPortThatIsTakenIsNamedWithTheMend() throws {
        let first = try HTTPListener()
        let error = #expect(throws: HTTPServerError.self) { try HTTPListener(port: first.port) }
        #expect(error?.hint?.contains("--port") == true)
        #expect(first.url.description == "http://127.0.0.1:\(first.port)")
    }
}
