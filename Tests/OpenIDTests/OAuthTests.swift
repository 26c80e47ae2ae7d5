import Codec
import Credentials
import OpenID
import Ports
import TestSupport
import Testing

struct OAuthTests {
    /// RFC 7636 appendix B.
    @Test func theChallengeIsThatOfTheSpecification() {
        let pkce = PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(pkce.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(PKCE.isWellFormed(pkce.challenge))
        #expect(!PKCE.isWellFormed("short"))
        #expect(!PKCE.isWellFormed(String(repeating: "a", count: 129)))
        #expect(!PKCE.isWellFormed(String(repeating: "ä", count: 43)))
    }

    /// RFC 9449 figure 5.
    private static let proof =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdC"
        + "RnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRj"
        + "IiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0z"
        + "drj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"
    private static let time = Timestamp(secondsSince1970: 1_562_262_616)

    @Test func theProofOfTheSpecificationVerifies() throws {
        let verified = try DPoP.verify(
            Self.proof, method: "POST", url: WebURL("https://server.example.com/token"), at: Self.time)
        #expect(verified.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        #expect(verified.identifier == "-BwC3ESc6acc2lTc")
    }

    @Test(
        arguments: [
            ("GET", "https://server.example.com/token", 0, nil, "htm"), ("POST", "https://server.example.com/other", 0, nil, "htu"),
            ("POST", "https://server.example.com/token", 301, nil, "iat"),
            ("POST", "https://server.example.com/token", 0, "token", "ath"),
        ] as [(String, String, Int64, String?, String)])
    func aProofIsForItsRequestOnly(_ method: String, _ url: String, _ late: Int64, _ token: String?, _ member: String) throws {
        let target = try WebURL(url)
        let error = #expect(throws: DPoP.Rejection.self) {
            _ = try DPoP.verify(Self.proof, method: method, url: target, accessToken: token, at: Self.time.adding(seconds: late))
        }
        #expect(error?.member == member)
    }

    @Test func caseDefaultPortAndQueryOfTheTargetDoNotCount() throws {
        for text in ["HTTPS://Server.Example.com:443/token", "https://server.example.com/token?a=b"] {
            _ = try DPoP.verify(Self.proof, method: "POST", url: WebURL(text), at: Self.time)
        }
    }

    @Test func aPeersTextIsShownEscapedAndCut() {
        #expect(ErrorText.shown("a\"b\u{1b}") == "a\\u{22}b\\u{1b}")
        #expect(ErrorText.shown(String(repeating: "x", count: 600)).count == 501)
    }

    @Test(arguments: [
        ("https://issuer.example", "https://issuer.example/.well-known/openid-credential-issuer"),
        ("https://issuer.example/", "https://issuer.example/.well-known/openid-credential-issuer"),
        ("https://issuer.example:8443/tenant/a", "https://issuer.example:8443/.well-known/openid-credential-issuer/tenant/a"),
    ])
    func theWellKnownStringGoesBetweenHostAndPath(_ issuer: String, _ url: String) throws {
        #expect(try WellKnown.credentialIssuer.url(of: issuer).description == url)
    }

    @Test func everyCodeHasItsSentenceAtItsEndpointOnly() {
        #expect(ErrorMeaning.of("invalid_nonce", at: .credential) != nil)
        #expect(ErrorMeaning.of("invalid_transaction_id", at: .deferred) != nil)
        #expect(ErrorMeaning.of("invalid_transaction_id", at: .credential) == nil)
        #expect(ErrorMeaning.of("invalid_nonce", at: .token) == nil)
    }
}

struct ReusePolicyTests {
    private func policy(_ option: JSON) -> JSON { ["id": "arf_annex_ii", "options": [option]] }

    @Test(
        arguments: [
            (["details": "once_only", "batch_size": 10, "reissue_trigger_unused": 2], .onceOnly),
            (["details": "limited_time", "reissue_trigger_lifetime_left": 86400], .limitedTime),
            (["details": "rotating-batch", "batch_size": 3], .rotatingBatch), (["details": "rotating_batch"], .rotatingBatch),
            (["details": "per-relying-party"], .perRelyingParty),
        ] as [(JSON, ReusePolicy.Method)])
    func everyMethodIsReadInBothSpellings(_ option: JSON, _ method: ReusePolicy.Method) throws {
        guard case .use(let read) = ReusePolicy.choose(policy(option), support: .supported).choice else {
            Issue.record("not used: \(option.encoded())")
            return
        }
        #expect(read.method == method)
    }

    /// Supported, required, not supported × no policy, a usable one, none that is usable.
    @Test func theMatrixOfSupportAndPolicyHolds() {
        let (good, bad): (JSON, JSON) = (policy(["details": "once_only"]), policy(["details": "whenever"]))
        func choice(_ json: JSON?, _ support: ReusePolicy.Support) -> String {
            switch ReusePolicy.choose(json, support: support).choice {
            case .none: "none"
            case .use: "use"
            case .refuse: "refuse"
            }
        }
        #expect([nil, good, bad].map { choice($0, .supported) } == ["none", "use", "refuse"])
        #expect([nil, good, bad].map { choice($0, .required) } == ["refuse", "use", "refuse"])
        #expect([nil, good, bad].map { choice($0, .notSupported) } == ["none", "none", "none"])
    }

    @Test func aTriggerOfNoneLeftIsTakenWithAWarning() {
        let chosen = ReusePolicy.choose(policy(["details": "once_only", "reissue_trigger_unused": 0]), support: .supported)
        #expect(chosen.findings.map(\.check) == ["IW16"])
        guard case .use(let read) = chosen.choice else { return #expect(Bool(false), "not used") }
        #expect(read.triggerUnused == 0)
    }
}
