package import Codec
package import Ports

/// A request on its way out, still changeable, so that faults can spoil it.
package struct OutgoingRequest: Sendable {
    package var method: String
    package var url: WebURL
    package var headers: HTTPHeaders
    /// The body as a form, or as JSON; neither: no body.
    package var form: FormFields?
    package var json: JSONObject?
    /// Sent instead of either.
    package var raw: [UInt8]?

    package init(
        _ method: String, _ url: WebURL, headers: HTTPHeaders = HTTPHeaders(), form: FormFields? = nil, json: JSONObject? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.form = form
        self.json = json
        if form != nil { self.headers["Content-Type"] = "application/x-www-form-urlencoded" }
        if json != nil { self.headers["Content-Type"] = "application/json" }
        if self.headers["Accept"] == nil { self.headers["Accept"] = "application/json" }
    }

    var request: HTTPRequest {
        let body = raw ?? form.map { Array($0.encoded.utf8) } ?? json.map { Array(JSON.object($0).encoded().utf8) } ?? []
        return HTTPRequest(method, url, headers: headers, body: body)
    }
}
