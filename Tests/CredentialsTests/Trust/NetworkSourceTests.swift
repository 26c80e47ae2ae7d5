import Ports
import Testing

@testable import Credentials

/// Lists over HTTP: what is asked for, and what counts as an answer.
@Suite struct NetworkSourceTests {
    private static let uri = "https://lists.utopia.test/status/1"

    /// Answers as told, and keeps what it was asked.
    private final class Answering: HTTPTransport {
        let asked = Locked<[HTTPRequest]>([])
        private let answer: Result<HTTPResponse, HTTPError>

        init(_ answer: Result<HTTPResponse, HTTPError>) { self.answer = answer }

        func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
            asked.withLock { $0.append(request) }
            return try answer.get()
        }
    }

    private func fetch(
        _ answer: Result<HTTPResponse, HTTPError>, _ uri: String = uri
    ) async -> (Result<Resource, ResourceError>, asked: [HTTPRequest]) {
        let transport = Answering(answer)
        do throws(ResourceError) {
            let resource = try await NetworkSource(transport).fetch(uri, accept: ["application/statuslist+jwt"], limit: 1000)
            return (.success(resource), transport.asked.withLock { $0 })
        } catch { return (.failure(error), transport.asked.withLock { $0 }) }
    }

    @Test func asksOnceWithTheWantedTypeAndWithinLimits() async throws {
        let (result, asked) = await fetch(.success(HTTPResponse(type: "Application/statuslist+jwt; x=y", [1, 2])))
        #expect(result == .success(Resource([1, 2], contentType: "application/statuslist+jwt")))
        let request = try #require(asked.first)
        #expect(asked.count == 1 && request.method == "GET" && request.url.description == Self.uri)
        #expect(request.headers["Accept"] == "application/statuslist+jwt")
        #expect(request.limits.body == 1000 && request.limits.redirects == 3 && request.limits.seconds == 15)
    }

    @Test(arguments: [204, 304, 404, 406, 500])
    func onlyStatus200IsAnAnswer(_ status: Int) async {
        let (result, _) = await fetch(.success(HTTPResponse(status)))
        #expect(result == .failure(ResourceError(Self.uri, "answered \(status)", status: status)))
    }

    @Test(arguments: [
        (HTTPError.Reason.timedOut, "no whole answer within 15 seconds", false),
        (.tooLarge(limit: 1000), "the body is longer", false),
        (.redirected(to: "/"), "sends us on", false), (.unreachable, "nobody answers", false), (.cancelled, "cancelled", true),
    ])
    func saysWhyNothingCame(_ reason: HTTPError.Reason, _ detail: String, _ isCancelled: Bool) async {
        let (result, _) = await fetch(.failure(HTTPError(reason, url: Self.uri, detail)))
        #expect(result == .failure(ResourceError(Self.uri, detail, isCancelled: isCancelled)))
    }

    @Test func aPrivateAddressNamesTheMend() async {
        let (result, _) = await fetch(.failure(HTTPError(.privateAddress, url: Self.uri, "is private")))
        guard case .failure(let error) = result else {
            Issue.record("something was fetched")
            return
        }
        #expect(error.reason.contains("--allow-private"))
    }

    @Test(arguments: ["https://status.utopia.example/1", "http://nobody.invalid/", "ldap://directory.test/cn", "urn:uuid:1", "no"])
    func whatNobodyHasIsNotAskedFor(_ uri: String) async {
        let (result, asked) = await fetch(.success(HTTPResponse(200)), uri)
        #expect(asked.isEmpty)
        guard case .failure(let error) = result else {
            Issue.record("something was fetched")
            return
        }
        #expect(error.reason.hasPrefix("is no"))
    }

    @Test func namesForExamplesAreAskedForWhereTheyAreServed() async throws {
        let transport = Answering(.success(HTTPResponse(type: "a/b", [1])))
        let source = NetworkSource(transport, asksReservedNames: true)
        #expect(try await source.fetch("https://status.utopia.example/1", accept: [], limit: 10).bytes == [1])
        #expect(transport.asked.withLock { $0.first?.headers["Accept"] } == "*/*")
    }
}
