package import Codec
import Credentials
package import Ports

/// One request on its way through the issuer: what was checked so far, and which issuance it belongs to.
struct Exchange: Sendable {
    let request: HTTPRequest
    let time: Timestamp
    let settings: IssuerSettings
    /// `token`, `credential`…
    let endpoint: String
    var issuance: String?
    var detail = ""
    /// The JSON of an encrypted request.
    var opened: [UInt8]?
    var checks = CheckList(edition: .first)

    var subject: String { endpoint }

    /// Notes that a check passed, or ends the exchange with its refusal.
    mutating func require(_ check: String, _ holds: Bool, _ detail: @autoclosure () -> String) throws(Refusal) {
        guard holds else { throw Refusal(check, detail()) }
        checks.pass(check, subject)
    }

    mutating func pass(_ ids: [String]) { for id in ids { checks.pass(id, subject) } }

    /// The form of the body (II1).
    mutating func form() throws(Refusal) -> FormFields {
        let type = request.headers["Content-Type"]?.split(separator: ";").first.map { $0.lowercased() } ?? ""
        let text = String(validating: request.body, as: UTF8.self)
        guard type == "application/x-www-form-urlencoded", let text, let fields = try? FormFields(text) else {
            throw Refusal("II1.form", "the body is no application/x-www-form-urlencoded")
        }
        checks.pass("II1.form", subject)
        try require("II1.twice", fields.repeated == nil, "\(fields.repeated ?? "") is repeated")
        return fields
    }
}

/// An answer on its way out, still changeable, so that faults can spoil it.
package struct AnswerDraft: Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    package var json: JSONObject
    /// Sent instead of the JSON.
    package var raw: [UInt8]?
    /// What an encrypted answer holds.
    var sealed: [UInt8]?

    package init(_ json: JSONObject = JSONObject(), status: Int = 200, headers: HTTPHeaders = HTTPHeaders()) {
        self.status = status
        self.json = json
        self.headers = headers
        if self.headers["Content-Type"] == nil, status != 204 { self.headers["Content-Type"] = "application/json" }
        if self.headers["Cache-Control"] == nil { self.headers["Cache-Control"] = "no-store" }
    }

    init(text: String, type: String, status: Int = 200, headers: HTTPHeaders = HTTPHeaders()) {
        self.init(status: status, headers: headers)
        self.headers["Content-Type"] = type
        raw = Array(text.utf8)
    }

    var response: HTTPResponse {
        let bytes = raw ?? (status == 204 ? [] : Array(JSON.object(json).encoded().utf8))
        return HTTPResponse(status, headers: headers, body: .bytes(bytes))
    }
}
