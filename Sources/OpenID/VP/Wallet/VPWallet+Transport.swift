public import Credentials
public import Ports
import Codec

/// What became of an answer that was sent.
public struct VPDelivered: Sendable {
    /// VW31.
    public let checks: CheckList
    /// Where the browser goes on, when the verifier says so: it must be followed (§8.2).
    public let redirectURI: String?
    /// As the verifier answered; nil when nothing was sent, or nothing came back.
    public let response: HTTPResponse?
}

extension VPWallet {
    /// Opens a request, fetching its object once where it is passed by reference.
    public func resolve(
        _ input: RequestInput, origin: String? = nil, over transport: any HTTPTransport, at time: Timestamp
    ) async -> VPResolution {
        switch open(input, origin: origin, at: time) {
        case .resolved(let resolution): return resolution
        case .fetch(let fetch):
            let answer: Result<HTTPResponse, HTTPError>
            do throws(HTTPError) { answer = .success(try await transport.send(fetch.request)) } catch { answer = .failure(error) }
            return receive(answer, to: fetch, at: time)
        }
    }

    /// Sends an answer that goes by POST; others are for the browser or the platform.
    ///
    /// - Parameter isSameDevice: whether HAIP wants a `redirect_uri` in what comes back.
    public func deliver(_ answer: VPAnswer, over transport: any HTTPTransport, isSameDevice: Bool = false) async -> VPDelivered {
        guard case .post(let request) = answer.delivery else {
            return VPDelivered(checks: CheckList(edition: settings.readers.edition), redirectURI: nil, response: nil)
        }
        var result = await post(request, over: transport)
        if settings.faults.contains("response-twice") { result = await post(request, over: transport) }
        return judge(result, isSameDevice: isSameDevice)
    }

    private func post(_ request: HTTPRequest, over transport: any HTTPTransport) async -> Result<HTTPResponse, HTTPError> {
        do throws(HTTPError) { return .success(try await transport.send(request)) } catch { return .failure(error) }
    }

    /// VW31 on what the response endpoint answered.
    func judge(_ result: Result<HTTPResponse, HTTPError>, isSameDevice: Bool) -> VPDelivered {
        var list = CheckList(edition: settings.readers.edition)
        let subject = "answer"
        func skip(_ list: inout CheckList, _ cause: String) {
            for id in ["VW31.status", "VW31.body", "VW31.redirect", "VW31.redirect-uri"] where list.check(id, subject) == nil {
                list.notRun(id, subject, .needs(cause))
            }
        }
        switch result {
        case .failure(let error):
            if case .redirected = error.reason {
                list.fail("VW31.redirect", subject, values: [])
                skip(&list, "VW31.redirect")
            } else {
                list.fail("VW31.status", subject, "response endpoint: \(error.detail)")
                skip(&list, "VW31.status")
            }
            return VPDelivered(checks: list, redirectURI: nil, response: nil)
        case .success(let response):
            guard !(300..<400).contains(response.status) else {
                list.fail("VW31.redirect", subject, values: [])
                skip(&list, "VW31.redirect")
                return VPDelivered(checks: list, redirectURI: nil, response: response)
            }
            list.pass("VW31.redirect", subject)
            let json = try? JSON.decode(response.bytes)
            guard response.status == 200 else {
                let words = (json?["error_description"] ?? json?["error"])?.stringValue.map { String($0.prefix(300)) }
                list.fail("VW31.status", subject, values: [String(response.status)], detail: words)
                skip(&list, "VW31.status")
                return VPDelivered(checks: list, redirectURI: nil, response: response)
            }
            list.pass("VW31.status", subject)
            guard response.headers.mediaType == "application/json", json?.objectValue != nil else {
                list.fail("VW31.body", subject, values: [])
                skip(&list, "VW31.body")
                return VPDelivered(checks: list, redirectURI: nil, response: response)
            }
            list.pass("VW31.body", subject)
            let redirectURI = json?["redirect_uri"]?.stringValue.flatMap { try? WebURL($0) }?.description
            if !settings.isHAIP {
                list.notRun("VW31.redirect-uri", subject, .profile)
            } else if !isSameDevice {
                list.notRun("VW31.redirect-uri", subject, .notRequested)
            } else if redirectURI == nil {
                list.fail(
                    "VW31.redirect-uri", subject,
                    "no redirect_uri in a same-device answer; HAIP 1.0 §5.1: \"Verifiers MUST include redirect_uri in the HTTP response\""
                )
            } else {
                list.pass("VW31.redirect-uri", subject)
            }
            return VPDelivered(checks: list, redirectURI: redirectURI, response: response)
        }
    }
}
