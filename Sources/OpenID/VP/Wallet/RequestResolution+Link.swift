import Codec
import Credentials
import Ports

extension RequestResolution {
    /// VW1 and VW2 on the link itself; nil when it cannot be followed.
    mutating func readLink(_ fields: FormFields) -> LinkParameters? {
        evidence.append(("link.txt", Array(fields.encoded.utf8)))
        let method = fields["request_uri_method"]
        let uriText = fields["request_uri"]
        if let method {
            list.judgeVP("VW2.alone", uriText != nil, [])
            list.judgeVP("VW2.value", method == "get" || method == "post", [method])
        } else {
            list.notRun("VW2.alone", Self.subject, .notPresent)
            list.notRun("VW2.value", Self.subject, .notPresent)
        }
        if let name = fields.repeated {
            list.fail("VW1", Self.subject, "unreadable request: \(name) stands there twice")
            return nil
        }
        if fields["request"] != nil, uriText != nil {
            list.fail("VW1", Self.subject, "both `request` and `request_uri`")
            return nil
        }
        var uri: WebURL?
        if let uriText {
            guard let read = try? WebURL(uriText), read.isWeb else {
                list.fail("VW1", Self.subject, "unreadable request: request_uri is no http(s) URL: \(uriText.prefix(120))")
                return nil
            }
            guard read.scheme == "https" || read.isLoopback && !settings.isHAIP else {
                list.fail("VW1", Self.subject, "unreadable request: request_uri is not https")
                return nil
            }
            uri = read
        }
        guard list.checks.allSatisfy({ $0.outcome != .fail }) else { return nil }
        let names = fields.pairs.map { (name: $0.name, value: $0.value) }
        return LinkParameters(
            fields: names, clientID: fields["client_id"], requestURI: uri, object: fields["request"], isPost: method == "post")
    }

    /// VW3: the request object as the request_uri answered; nil when it cannot be had.
    mutating func readAnswer(_ answer: Result<HTTPResponse, HTTPError>, limit: HTTPLimits) -> String? {
        let ids = ["VW3.http", "VW3.redirect", "VW3.type", "VW3.limit"]
        func skip(_ list: inout CheckList, _ cause: String) {
            for id in ids where list.check(id, Self.subject) == nil { list.notRun(id, Self.subject, .needs(cause)) }
        }
        switch answer {
        case .failure(let error):
            switch error.reason {
            case .redirected(let place):
                list.fail("VW3.redirect", Self.subject, values: [], detail: "to \(place.prefix(200))")
                skip(&list, "VW3.redirect")
            case .tooLarge, .timedOut:
                list.fail("VW3.limit", Self.subject, values: [String(limit.body), String(limit.seconds)])
                skip(&list, "VW3.limit")
            default:
                list.fail("VW3.http", Self.subject, values: [error.detail])
                skip(&list, "VW3.http")
            }
            return nil
        case .success(let response):
            guard !(300..<400).contains(response.status) else {
                list.fail(
                    "VW3.redirect", Self.subject, values: [], detail: response.headers["Location"].map { "to \($0.prefix(200))" })
                skip(&list, "VW3.redirect")
                return nil
            }
            list.pass("VW3.redirect", Self.subject)
            list.judgeVP("VW3.http", response.status == 200, [String(response.status)])
            list.judgeVP("VW3.limit", response.bytes.count <= limit.body, [String(limit.body), String(limit.seconds)])
            guard response.status == 200, response.bytes.count <= limit.body else {
                skip(&list, response.status == 200 ? "VW3.limit" : "VW3.http")
                return nil
            }
            let type = response.headers.mediaType
            list.judgeVP("VW3.type", type == "application/\(RequestObject.mediaType)", [type ?? "missing"])
            guard type == "application/\(RequestObject.mediaType)" else { return nil }
            return String(decoding: response.bytes, as: UTF8.self)
        }
    }
}
