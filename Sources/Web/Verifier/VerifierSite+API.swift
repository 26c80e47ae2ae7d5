import Codec
import OpenID
import Ports

extension VerifierSite {
    /// `/api/…`, after the guard.
    func api(_ request: HTTPRequest, _ steps: [String]) async -> HTTPResponse {
        guard steps.first == "transactions" else { return Self.missing }
        switch (request.method, steps.count) {
        case ("POST", 1): return await create(request)
        case ("GET", 1):
            var list: [JSON] = []
            for id in ledger.newest(100) {
                if let (_, transaction) = await find(id) { list.append(summary(transaction, withReport: false)) }
            }
            return .json(["transactions": .array(list)], headers: Self.fresh)
        case ("GET", 2):
            guard let (_, transaction) = await find(steps[1]) else { return Self.missing }
            return .json(summary(transaction, withReport: true), headers: Self.fresh)
        case ("GET", 3) where steps[2] == "events":
            guard await find(steps[1]) != nil else { return Self.missing }
            return hub.response(for: "api/\(steps[1])")
        case (_, 1): return Self.wrong(request, "GET, POST")
        case (_, 2), (_, 3): return Self.wrong(request, "GET")
        default: return Self.missing
        }
    }

    private func create(_ request: HTTPRequest) async -> HTTPResponse {
        // A form of another site cannot send this type without being asked first.
        guard request.headers.mediaType == "application/json" else {
            return Self.error(415, "invalid_request", "send application/json")
        }
        let json: JSON
        do { json = try JSON.decode(request.body) } catch { return Self.error(400, "invalid_request", "\(error)") }
        do throws(Refused) {
            let transaction = try await begin(json, session: nil)
            var response = HTTPResponse.json(summary(transaction, withReport: false), status: 201, headers: Self.fresh)
            response.headers["Location"] = "\(base)/api/transactions/\(transaction.id)"
            return response
        } catch { return Self.error(400, "invalid_request", error.description) }
    }

    private func summary(_ transaction: VPTransaction, withReport: Bool) -> JSON {
        var object = transaction.summary
        if transaction.status == .waiting, transaction.isExpired(at: clock.now()) { object["status"] = "expired" }
        object["page"] = .string("\(origin)\(base)/transactions/\(transaction.id)")
        if !withReport {
            object["verdict"] = transaction.report?["verdict"]
            object["report"] = nil
        }
        return .object(object)
    }

    private static let fresh: HTTPHeaders = ["Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"]
    private static var missing: HTTPResponse { error(404, "not_found", "there is nothing here") }

    private static func wrong(_ request: HTTPRequest, _ allowed: String) -> HTTPResponse {
        var response = error(405, "method_not_allowed", "\(request.method) is not for this place")
        response.headers["Allow"] = allowed
        return response
    }

    private static func error(_ status: Int, _ code: String, _ reason: String) -> HTTPResponse {
        .json(["error": .string(code), "error_description": .string(reason)], status: status, headers: fresh)
    }
}
