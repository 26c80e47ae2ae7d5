import Codec
import Ports
import Testing
import Web

@Suite struct PageTests {
    @Test func whatIsInterpolatedIsTextAndNeverMarkup() {
        let name = "<script>alert(1)</script>\" onload='x' &amp;"
        let item: Markup = "<li title=\"\(name)\">\(name)</li>"
        #expect(!item.description.contains("<script"))
        #expect(
            item.description.hasPrefix("<li title=\"&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&#39;x&#39; &amp;amp;\">"))
        let list: Markup = "<ul>\([item, "<li>plain</li>"])</ul>"
        #expect(list.description.hasSuffix("<li>plain</li></ul>"))
    }

    @Test func aPageSaysItsPolicyAndRenewsItselfWithoutAScript() throws {
        let request = HTTPRequest("GET", try WebURL("http://127.0.0.1/x"))
        let waiting = Page(title: "T", live: "<p>live</p>", events: "/x/events", status: "Waiting").response(to: request)
        let html = String(decoding: waiting.bytes, as: UTF8.self)
        #expect(waiting.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)
        #expect(html.contains("http-equiv=\"refresh\""))
        #expect(!html.contains("style=") && !html.contains("onclick"))
        let done = String(decoding: Page(title: "T", live: "<p>live</p>").response(to: request).bytes, as: UTF8.self)
        #expect(!done.contains("http-equiv=\"refresh\""))
        let part = HTTPRequest("GET", try WebURL("http://127.0.0.1/x?part=live"))
        let live = String(decoding: Page(title: "T", live: "<p>live</p>").response(to: part).bytes, as: UTF8.self)
        #expect(live == "<div data-status=\"\" data-final><p>live</p></div>")
    }

    @Test func aHostileReportStaysText() throws {
        let report = try JSON.decode(
            """
            {"verdict": "pass\\"><script>", "at": "<b>", "checks": [{"id": "<i>", "name": "n", "outcome": "x' onclick='y", "reason": null}],
             "documents": [{"format": "mso_mdoc", "type": "<u>", "claims": {"<a>": {"portrait": {"bytes": "PHNjcmlwdD4"}, "<s>": ["<em>"]}}}],
             "missing": ["<q>"]}
            """)
        let html = ReportMarkup(report).summary.description + ReportMarkup(report).checks.description
        for tag in ["<script", "<i>", "<u>", "<a>", "<s>", "<em>", "<q>", "<b>", "onclick='"] {
            #expect(!html.contains(tag), "\(tag)")
        }
        // Bytes that are no picture are not shown as one.
        #expect(!html.contains("<img"))
    }

    @Test func aServerOnLoopbackIsNotForOtherSites() throws {
        let listener = try HTTPListener()
        let guardian = ControlGuard(listener, token: "secret")
        func status(_ method: String, _ headers: HTTPHeaders) throws -> Int? {
            guardian.refusal(of: HTTPRequest(method, listener.url, headers: headers))?.status
        }
        let own = "127.0.0.1:\(listener.port)"
        #expect(try status("GET", ["Host": own]) == nil)
        #expect(try status("GET", ["Host": "localhost:\(listener.port)"]) == nil)
        #expect(try status("GET", ["Host": "evil.example:\(listener.port)"]) == 421)
        #expect(try status("GET", [:]) == 421)
        #expect(try status("POST", ["Host": own, "Origin": "http://\(own)", "Sec-Fetch-Site": "same-origin"]) == nil)
        #expect(try status("POST", ["Host": own, "Origin": "https://evil.example"]) == 403)
        #expect(try status("POST", ["Host": own, "Origin": "null"]) == 403)
        #expect(try status("POST", ["Host": own, "Sec-Fetch-Site": "cross-site"]) == 403)
    }

    @Test func aServerForOthersWantsItsToken() throws {
        let listener = try HTTPListener(publicURL: try WebURL("https://verifier.example/v"))
        let guardian = ControlGuard(listener, token: "secret")
        func answer(_ target: String, _ headers: HTTPHeaders = [:]) throws -> HTTPResponse? {
            guardian.refusal(of: HTTPRequest("GET", try WebURL("https://verifier.example\(target)"), headers: headers))
        }
        #expect(try answer("/v/")?.status == 401)
        #expect(try answer("/v/?token=secreT")?.status == 401)
        let welcome = try answer("/v/?token=secret&x=1")
        #expect(welcome?.status == 303)
        #expect(welcome?.headers["Location"] == "/v/?x=1")
        #expect(welcome?.headers["Set-Cookie"] == "walletbench_token=secret; Path=/v; HttpOnly; SameSite=Lax; Secure")
        #expect(try answer("/v/", ["Cookie": "a=b; walletbench_token=secret"]) == nil)
        #expect(try answer("/v/api", ["Authorization": "Bearer secret"]) == nil)
        #expect(try answer("/v/api", ["Authorization": "Bearer other"])?.status == 401)
        #expect(guardian.entry.description == "https://verifier.example/v?token=secret")
    }

    @Test func aLongLinkHasACodeAndATooLongOneASentence() {
        #expect(QRMarkup.code(String(repeating: "x", count: 2000), label: "code").description.contains("<svg"))
        #expect(QRMarkup.code(String(repeating: "x", count: 4000), label: "code").description.contains("send the link instead"))
    }
}
