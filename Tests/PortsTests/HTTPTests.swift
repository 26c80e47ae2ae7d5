import Codec
import Ports
import Testing

@Suite struct WebURLTests {
    @Test func partsStayAsWritten() throws {
        let url = try WebURL("HTTPS://Example.COM:8443/a%2Fb/c?x=1&y=%C3%A9#part")
        #expect(url.scheme == "https" && url.host == "example.com" && url.port == 8443)
        #expect(url.path == "/a%2Fb/c" && url.query == "x=1&y=%C3%A9" && url.fragment == "part")
        #expect(url.origin == "https://example.com:8443")
        #expect(try url.fields()["y"] == "é")
        #expect(url.description == "https://example.com:8443/a%2Fb/c?x=1&y=%C3%A9#part")
    }

    @Test(arguments: ["openid4vp://?client_id=a", "openid-credential-offer://?x=1", "mdoc:abc", "did:jwk:eyJ", "http://[::1]:80/"])
    func otherSchemesAreReadToo(text: String) throws { #expect(try WebURL(text).description == text) }

    @Test func theDefaultPortIsNotPartOfTheOrigin() throws {
        #expect(try WebURL("https://a.example:443/x").origin == "https://a.example")
        #expect(try WebURL("http://[2001:db8::1]:8080").origin == "http://[2001:db8::1]:8080")
    }

    @Test(arguments: [
        "", "example.com", "http://", "https:///path", "http://a b/", "http://user@host/", "http://host:99999/", "http://host:x/",
        "http://[::1/", "http://[::1]x/", "http://ho%41st/", "http://host/%zz", "http://host/ü", "1http://x/", "http://host/\u{0}",
    ])
    func whatIsNoURLIsRefused(text: String) { #expect(throws: WebURLError.self) { try WebURL(text) } }

    @Test(arguments: [
        ("http://localhost/", true), ("http://127.9.8.7/", true), ("http://[::1]/", true), ("http://a.localhost/", true),
        ("http://128.0.0.1/", false), ("http://127.0.0.1.example/", false), ("http://127.1/", false),
        ("https://example.com/", false),
    ])
    func loopbackIsKnownByName(text: String, isLoopback: Bool) throws { #expect(try WebURL(text).isLoopback == isLoopback) }

    @Test func partsCanBeReplaced() throws {
        let url = try WebURL("https://a.example/x/?q=1#f")
        #expect(url.appending("y").description == "https://a.example/x/y")
        #expect(url.with(query: ["a": "b c"]).description == "https://a.example/x/?a=b%20c#f")
        #expect(url.adding(["r": "2"]).description == "https://a.example/x/?q=1&r=2#f")
        #expect(url.with(fragment: nil).description == "https://a.example/x/?q=1")
    }
}

@Suite struct FormFieldsTests {
    @Test func decodesAndEncodes() throws {
        let fields = try FormFields("a=1+2&b=%26%3D&c&a=3")
        #expect(fields["a"] == "1 2" && fields.all("a") == ["1 2", "3"])
        #expect(fields["b"] == "&=" && fields["c"] == "" && fields["d"] == nil)
        #expect(fields.repeated == "a")
        #expect(fields.encoded == "a=1%202&b=%26%3D&c=&a=3")
    }

    @Test(arguments: ["a=%", "a=%1", "a=%zz", "a=%FF"])
    func brokenEncodingIsRefused(text: String) { #expect(throws: WebURLError.self) { try FormFields(text) } }

    @Test func settingReplacesEveryValue() throws {
        var fields = try FormFields("a=1&b=2&a=3")
        fields["a"] = "4"
        #expect(fields.encoded == "a=4&b=2")
        fields["b"] = nil
        #expect(fields.encoded == "a=4")
    }
}

@Suite struct HTTPHeadersTests {
    @Test func namesDoNotDependOnCase() {
        var headers: HTTPHeaders = ["Content-Type": "Application/JSON; charset=utf-8", "X": "1", "x": "2"]
        #expect(headers.mediaType == "application/json")
        #expect(headers.all("X") == ["1", "2"])
        headers["x"] = "3"
        #expect(headers.all("X") == ["3"])
        headers.add("content-type", "text/html")
        #expect(headers.mediaType == nil)
    }

    @Test func credentialsAreThoseOfTheScheme() {
        let headers: HTTPHeaders = ["Authorization": "dpop  abc"]
        #expect(headers.credentials("DPoP") == "abc")
        #expect(headers.credentials("Bearer") == nil)
        #expect((["Authorization": "Bearer a", "authorization": "Bearer b"] as HTTPHeaders).credentials("Bearer") == nil)
    }

    @Test(arguments: [
        ("application/jwt", "application/jwt", 1000), ("application/jwt;q=0.5, */*;q=0.1", "application/json", 100),
        ("application/*;q=0", "application/jwt", 0), ("text/html", "application/jwt", 0), ("*/*", "a/b", 1000),
        ("a/b;q=0.25,*/*", "A/B", 250),
    ])
    func acceptIsWeighed(accept: String, type: String, quality: Int) {
        #expect((["Accept": accept] as HTTPHeaders).quality(of: type) == quality)
    }
}

@Suite struct HTTPRouterTests {
    private static var router: HTTPRouter {
        var router = HTTPRouter(base: "/tenant")
        router.on("GET", "/offers/{id}") { .text("offer " + ($1["id"] ?? "")) }
        router.on("POST", "/offers/{id}") { .text("posted " + ($1["id"] ?? "")) }
        router.on("GET", "/files/{path...}") { .text($1["path"] ?? "") }
        router.on("GET", "/elsewhere") { _, _ in .redirect(to: "http://a.example/tenant/offers/9") }
        router.on("GET", "/long") { _, _ in .text(String(repeating: "x", count: 2000)) }
        return router
    }

    private static func send(_ method: String, _ path: String, limits: HTTPLimits = HTTPLimits()) async throws -> HTTPResponse {
        let transport = InProcessTransport(["http://a.example": router])
        return try await transport.send(HTTPRequest(method, WebURL("http://a.example" + path), limits: limits))
    }

    @Test func stepsAreDecodedAndHandedOver() async throws {
        #expect(try await Self.send("GET", "/tenant/offers/a%20b").bytes == Array("offer a b\n".utf8))
        #expect(try await Self.send("POST", "/tenant/offers/1").bytes == Array("posted 1\n".utf8))
        #expect(try await Self.send("GET", "/tenant/files/a/b.json").bytes == Array("a/b.json\n".utf8))
    }

    @Test func unknownPathsAndMethodsAreToldApart() async throws {
        #expect(try await Self.send("GET", "/offers/1").status == 404)
        #expect(try await Self.send("GET", "/tenant/offers").status == 404)
        #expect(try await Self.send("GET", "/tenant/offers/1/2").status == 404)
        let refused = try await Self.send("DELETE", "/tenant/offers/1")
        #expect(refused.status == 405 && refused.headers["Allow"] == "GET, POST")
        #expect(try await Self.send("HEAD", "/tenant/offers/1").status == 200)
    }

    @Test func limitsHoldWithoutANetworkToo() async throws {
        await #expect(throws: HTTPError.self) { try await Self.send("GET", "/tenant/long", limits: HTTPLimits(body: 1000)) }
        await #expect(throws: HTTPError.self) { try await Self.send("GET", "/tenant/elsewhere") }
        #expect(try await Self.send("GET", "/tenant/elsewhere", limits: HTTPLimits(redirects: 1)).bytes == Array("offer 9\n".utf8))
    }
}

@Suite struct HTTPDecoratorTests {
    private struct Echo: HTTPHandler {
        func respond(to request: HTTPRequest) async -> HTTPResponse { HTTPResponse(type: "text/plain", request.body) }
    }

    @Test func aTraceHasBothDirectionsAndHidesBodiesUnlessAsked() async throws {
        for isRevealed in [false, true] {
            let memory = MemoryTrace()
            let trace = SessionTrace(sink: memory, session: "s", role: "wallet", clock: FixedClock(Timestamp(secondsSince1970: 0)))
            let transport = TracedTransport(InProcessTransport(["http://a.example": Echo()]), trace: trace, isRevealed: isRevealed)
            _ = try await transport.send(HTTPRequest("POST", WebURL("http://a.example/x?secret=1"), body: Array("secret".utf8)))
            #expect(memory.events.map(\.direction) == [.sent, .received])
            #expect(memory.events.allSatisfy { $0.layer == "http" && $0.role == "wallet" && $0.bytes.isEmpty != isRevealed })
            #expect(memory.events.allSatisfy { !$0.name.contains("secret") })
        }
    }

    @Test func aFaultyTransportSpoilsTheMessageThatThePlanNames() async throws {
        let plan = FaultPlan(rules: [.init(.sent, ordinal: 1, .truncate(to: 2)), .init(.received, ordinal: 2, .close)])
        let transport = FaultyTransport(InProcessTransport(["http://a.example": Echo()]), plan: plan)
        let request = HTTPRequest("POST", try WebURL("http://a.example/"), body: Array("abcd".utf8))
        #expect(try await transport.send(request).bytes == Array("abcd".utf8))
        #expect(try await transport.send(request).bytes == Array("ab".utf8))
        await #expect(throws: HTTPError.self) { try await transport.send(request) }
    }
}
