import Codec
import Credentials
import Crypto
import OpenID
import Ports
import Testing
import Web

@Suite struct VerifierSiteTests {
    @Test(arguments: ["direct_post", "direct_post.jwt"], ["get", "post", "none"])
    func aWalletAnswersOverHTTPInBothFormats(_ mode: String, _ way: String) async throws {
        let stage = try await VerifierStage()
        let served = try await stage.serve()
        let made = try await stage.create(
            served, ["dcql_query": VerifierStage.both, "response_mode": .string(mode), "request_uri_method": .string(way)])
        let id = try #require(made["id"]?.stringValue)
        #expect(made["status"] == "waiting")
        try await stage.answer(try #require(made["link"]?.stringValue))
        let done = try await stage.transaction(served, id)
        #expect(done["status"] == "answered")
        #expect(done["report"]?["verdict"] == "pass")
        #expect(done["report"]?["documents"]?.arrayValue?.count == 2)
        #expect(done["nonce"] == nil && done["key"] == nil, "the API shows no secrets")
        let page = String(decoding: try await stage.get(served, "/transactions/\(id)").bytes, as: UTF8.self)
        for text in ["Passed", "Portrait of the holder", "Lindqvist", "Every check"] { #expect(page.contains(text), "\(text)") }
        await served.server.stop()
    }

    @Test func aRestartInTheMiddleLosesNothing() async throws {
        let stage = try await VerifierStage()
        let first = try await stage.serve()
        let made = try await stage.create(first, ["dcql_query": VerifierStage.pid])
        let id = try #require(made["id"]?.stringValue)
        let port = first.server.listener.port
        await first.server.stop()
        let second = try await stage.serve(port: port)
        try await stage.answer(try #require(made["link"]?.stringValue))
        #expect(try await stage.transaction(second, id)["report"]?["verdict"] == "pass")
        let home = String(decoding: try await stage.get(second, "/").bytes, as: UTF8.self)
        #expect(home.contains(id))
        await second.server.stop()
    }

    @Test func theBrowserThatAskedIsTheOnlyOneThatComesBack() async throws {
        let stage = try await VerifierStage()
        let served = try await stage.serve()
        let form: FormFields = ["template": "pid", "response_mode": "direct_post.jwt", "same_device": "on"]
        let made = try await posted(stage, served, form)
        let cookie = try #require(made.headers["Set-Cookie"]?.split(separator: ";").first)
        let id = try #require(made.headers["Location"]?.split(separator: "/").last.map(String.init))
        let link = try #require(try await stage.transaction(served, id)["link"]?.stringValue)
        let delivered = try await stage.answer(link, isSameDevice: true)
        let place = try WebURL(try #require(delivered.redirectURI))
        #expect(try await stage.get(served, place.target).status == 403)
        let back = await status(stage, served, place.target, ["Cookie": String(cookie)])
        #expect(back == .redirected(to: "/transactions/\(id)"))
        #expect(try await stage.get(served, place.target, headers: ["Cookie": String(cookie)]).status == 403, "a code counts once")
        #expect(try await stage.transaction(served, id)["returned"] == true)
        await served.server.stop()
    }

    @Test func expiredTransactionsSaySo() async throws {
        let stage = try await VerifierStage()
        let served = try await stage.serve()
        let made = try await stage.create(served, ["dcql_query": VerifierStage.pid, "lifetime": 10])
        let id = try #require(made["id"]?.stringValue)
        let later = try await stage.serve(at: VerifierStage.time.adding(seconds: 11))
        #expect(try await stage.transaction(later, id)["status"] == "expired")
        let late = try await stage.send(.form(try later.address("/response/\(id)"), ["vp_token": "{}", "state": "x"]))
        #expect(late.status == 400)
        #expect(
            String(decoding: try await stage.get(later, "/transactions/\(id)").bytes, as: UTF8.self).contains(
                "Nobody answered in time"))
        await served.server.stop()
        await later.server.stop()
    }

    @Test func theOldestGoWhenThereAreTooMany() async throws {
        let stage = try await VerifierStage()
        let served = try await stage.serve(limit: 3)
        var ids: [String] = []
        for _ in 0..<5 {
            ids.append(try #require(try await stage.create(served, ["dcql_query": VerifierStage.pid])["id"]?.stringValue))
        }
        let list = try JSON.decode(try await stage.get(served, "/api/transactions").bytes)
        #expect(list["transactions"]?.arrayValue?.compactMap { $0["id"]?.stringValue } == Array(ids.suffix(3).reversed()))
        #expect(try await stage.get(served, "/api/transactions/\(ids[0])").status == 404)
        #expect(try await stage.store.keys(in: VPVerifier.partition).count == 3)
        await served.server.stop()
    }

    @Test(arguments: [
        ("{}", 400), ("[]", 400), ("{\"dcql_query\": 3}", 400), ("{\"dcql_query\": {\"credentials\": []}}", 400), ("{", 400),
        ("{\"credentials\": [{\"id\": \"a\", \"format\": \"dc+sd-jwt\", \"meta\": {\"vct_values\": [\"x\"]}}]}", 201),
    ])
    func whatCannotBeAskedIsExplained(_ body: String, _ status: Int) async throws {
        let stage = try await VerifierStage()
        let served = try await stage.serve()
        var request = HTTPRequest("POST", try served.address("/api/transactions"), headers: ["Content-Type": "application/json"])
        request.body = Array(body.utf8)
        let response = try await stage.send(request)
        #expect(response.status == status)
        if status == 400 { #expect(try JSON.decode(response.bytes)["error_description"]?.stringValue?.isEmpty == false) }
        request.headers["Content-Type"] = "text/plain"
        #expect(try await stage.send(request).status == 415)
        await served.server.stop()
    }

    @Test func theEventsOfTheAPICarryEveryCheck() async throws {
        let stage = try await VerifierStage()
        let served = try await stage.serve()
        let made = try await stage.create(served, ["dcql_query": VerifierStage.pid])
        let id = try #require(made["id"]?.stringValue)
        async let events = stage.get(served, "/api/transactions/\(id)/events")
        while served.hub.listeners == 0 { try await Task.sleep(for: .milliseconds(10)) }
        try await stage.answer(try #require(made["link"]?.stringValue))
        served.hub.end("api/\(id)")
        let text = String(decoding: try await events.bytes, as: UTF8.self)
        #expect(text.contains("event: fetched\n"))
        #expect(text.contains("event: check\ndata: {\"id\":\"VV1.method\""))
        #expect(text.contains("event: judged\ndata: {\"verdict\":\"pass\"}"))
        #expect(text.contains("event: completed\n"))
        await served.server.stop()
    }

    // MARK: hostile answers

    @Test func hostileAnswersAreRefusedAndChangeNothing() async throws {
        let stage = try await VerifierStage()
        let served = try await stage.serve()
        let made = try await stage.create(served, ["dcql_query": VerifierStage.pid])
        let id = try #require(made["id"]?.stringValue)
        let url = try served.address("/response/\(id)")
        let record = try #require(try await stage.store.read(id, in: VPVerifier.partition))
        let key = try PublicKey(jwk: try #require(try JSON.decode(record)["key"]))
        let bomb = try JWE.encrypt(
            Array(repeating: UInt8(ascii: " "), count: 32 << 20), to: key, .a128GCM,
            ephemeral: try PrivateKey.generate(.p256, random: stage.random), iv: stage.random.bytes(12),
            options: JWE.Options(compresses: true))
        let forms: [(String, FormFields)] = [
            ("a JWE bomb", ["response": bomb.compact]), ("no JWE", ["response": "a.b.c"]),
            ("plain where encrypted was asked", ["vp_token": "{\"pid\":[\"x\"]}"]), ("nothing", [:]),
            ("nesting", ["vp_token": String(repeating: "[", count: 200_000), "state": "x"]),
        ]
        for (what, fields) in forms {
            let response = try await stage.send(.form(url, fields))
            #expect(response.status == 400, "\(what)")
            #expect(try JSON.decode(response.bytes)["error"] == "invalid_request", "\(what)")
        }
        var wrongType = HTTPRequest.form(url, ["response": "x"])
        wrongType.headers["Content-Type"] = "text/html"
        #expect([400, 405].contains(try await stage.send(wrongType).status))
        let giant = HTTPRequest.form(url, ["vp_token": String(repeating: "x", count: 5 << 20)])
        let refused = try? await stage.send(giant)
        #expect(refused == nil || refused?.status == 413)
        let still = try await stage.transaction(served, id)
        #expect(still["status"] == "waiting")
        #expect((still["attempts"]?.arrayValue?.count ?? 0) == 5, "the last five are remembered")
        try await stage.answer(try #require(made["link"]?.stringValue))
        #expect(try await stage.transaction(served, id)["report"]?["verdict"] == "pass")
        await served.server.stop()
    }

    @Test func tenThousandDisclosuresAreJudgedAndNotPassed() async throws {
        let stage = try await VerifierStage()
        let served = try await stage.serve()
        let made = try await stage.create(served, ["dcql_query": VerifierStage.pid, "response_mode": "direct_post"])
        let id = try #require(made["id"]?.stringValue)
        let record = try #require(try await stage.store.read(id, in: VPVerifier.partition))
        let state = try #require(try JSON.decode(record)["state"]?.stringValue)
        let header = Base64URL.encode(Array("{\"alg\":\"ES256\",\"typ\":\"dc+sd-jwt\"}".utf8))
        let token = "\(header).\(Base64URL.encode(Array("{\"vct\":\"urn:eudi:pid:1\"}".utf8))).AAAA~"
        let disclosures = (0..<10_000).map { Base64URL.encode(Array("[\"salt\",\"n\($0)\",1]".utf8)) + "~" }.joined()
        let fields: FormFields = ["vp_token": "{\"pid\":[\"\(token)\(disclosures)\"]}", "state": state]
        let response = try await stage.send(.form(try served.address("/response/\(id)"), fields))
        #expect([200, 400].contains(response.status))
        #expect(try await stage.transaction(served, id)["report"]?["verdict"] == "fail")
        let page = try await stage.get(served, "/transactions/\(id)")
        #expect(page.status == 200 && page.bytes.count < 4 << 20)
        await served.server.stop()
    }

    @Test func aFormOfAnotherSiteMakesNoRequest() async throws {
        let stage = try await VerifierStage()
        let served = try await stage.serve()
        var request = HTTPRequest.form(try served.address("/transactions"), ["template": "pid"])
        request.headers["Origin"] = "https://evil.example"
        #expect(try await stage.send(request).status == 403)
        #expect(try await stage.get(served, "/", headers: ["Host": "evil.example"]).status == 421)
        await served.server.stop()
    }

    private func posted(_ stage: VerifierStage, _ served: VerifierStage.Served, _ form: FormFields) async throws -> HTTPResponse {
        // The client does not follow; the response behind the redirect is what is wanted.
        let site = try served.address("/transactions")
        let raw = try RawConnection(port: served.server.listener.port)
        raw.send(
            "POST /transactions HTTP/1.1\r\nHost: 127.0.0.1:\(served.server.listener.port)\r\nConnection: close\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.encoded.utf8.count)\r\n\r\n\(form.encoded)"
        )
        let lines = await raw.receiveAll().split(separator: "\r\n")
        #expect(lines.first?.contains("303") == true, "\(site)")
        var headers = HTTPHeaders()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { headers.add(String(parts[0]), String(parts[1].drop { $0 == " " })) }
        }
        return HTTPResponse(303, headers: headers)
    }

    private func status(
        _ stage: VerifierStage, _ served: VerifierStage.Served, _ target: String, _ headers: HTTPHeaders
    ) async -> HTTPError.Reason? {
        do throws(HTTPError) {
            guard let url = try? served.address(target) else { return nil }
            _ = try await stage.client.send(HTTPRequest("GET", url, headers: headers, limits: HTTPLimits(seconds: 3600)))
            return nil
        } catch { return error.reason }
    }
}
