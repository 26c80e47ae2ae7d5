import Codec
import Credentials
import Crypto
import Ports
import Testing
import Web

@Suite struct TLSTests {
    private static func pem(_ certificate: Certificate) -> [UInt8] { Array(PEM.encode(certificate.der, label: "CERTIFICATE").utf8) }

    @Test func aServerUnderATestRootIsReachedByWhoTrustsTheRootAlone() async throws {
        let maker = CertificateMaker(at: SystemClock().now(), random: SystemRandom())
        let root = try maker.authority("TEST Server CA")
        let leaf = try maker.endEntity(.tls, issuer: root)
        let tls = TLSIdentity(chain: Self.pem(leaf.certificate), key: Array(try leaf.key.pem().utf8))
        let server = try HTTPServer(try HTTPListener(tls: tls), handler: Answer { _ in .text("secret") })
        #expect(server.url.scheme == "https")
        let request = HTTPRequest("GET", server.url, limits: HTTPLimits(seconds: 3600))

        let trusting = CurlTransport(.init(allowsPrivate: true, authorities: Self.pem(root.certificate)))
        #expect(try await trusting.send(request).bytes == Array("secret\n".utf8))

        let stranger = try CertificateMaker(at: SystemClock().now(), random: SystemRandom()).authority("TEST Server CA")
        for authorities in [[], Self.pem(stranger.certificate)] {
            let client = CurlTransport(.init(allowsPrivate: true, authorities: authorities))
            let error = await #expect(throws: HTTPError.self) { try await client.send(request) }
            #expect(error?.reason == .notTrusted)
        }
        let otherName = try WebURL("https://[::ffff:127.0.0.1]:\(server.listener.port)/")
        let error = await #expect(throws: HTTPError.self) {
            try await trusting.send(HTTPRequest("GET", otherName, limits: HTTPLimits(seconds: 3600)))
        }
        #expect(error?.reason == .notTrusted || error?.reason == .unreachable)
        await server.stop()
    }

    @Test func keyAndCertificateThatDoNotFitAreRefused() throws {
        let maker = CertificateMaker(at: SystemClock().now(), random: SystemRandom())
        let root = try maker.authority("TEST Server CA")
        let tls = TLSIdentity(chain: Self.pem(root.certificate), key: Array("no key".utf8))
        let listener = try HTTPListener(tls: tls)
        let error = #expect(throws: HTTPServerError.self) { try HTTPServer(listener, handler: Answer { _ in .text("") }) }
        #expect(error?.hint?.contains("trust make tls") == true)
    }

    @Test func aRequestThatComesInDropsOverTLSIsAnsweredAndCutOff() async throws {
        let maker = CertificateMaker(at: SystemClock().now(), random: SystemRandom())
        let root = try maker.authority("TEST Server CA")
        let leaf = try maker.endEntity(.tls, issuer: root)
        let tls = TLSIdentity(chain: Self.pem(leaf.certificate), key: Array(try leaf.key.pem().utf8))
        var answers: [String] = []
        // On a machine that is busy the time may be over before TLS is set up: then nothing can be said. Once there is time enough.
        for seconds in [1, 4, 16, 64] where !answers.contains(where: { $0.hasPrefix("HTTP/1.1 408") }) {
            let server = try HTTPServer(
                try HTTPListener(tls: tls), limits: ServerLimits(seconds: seconds), handler: Answer { _ in .text("secret") })
            if let connection = try? RawTLSConnection(server.url) {
                _ = connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
                answers.append(await connection.receiveAll(sending: "x"))
            }
            await server.stop()
        }
        #expect(answers.last?.hasPrefix("HTTP/1.1 408") == true, "\(answers)")
        #expect(answers.dropLast().joined().isEmpty, "\(answers)")
    }
}
