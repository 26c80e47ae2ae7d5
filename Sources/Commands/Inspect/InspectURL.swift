import Codec
import Credentials
import Crypto
import OpenID
import Ports
import Reports
import Web

/// What a web address holds: an OpenID4VCI issuer's metadata with everything that is wrong with them, else the document itself.
enum InspectURL {
    /// - Returns: the explanation, and what was fetched.
    static func annotate(_ text: String, _ invocation: Invocation) async throws -> (Annotation, Input) {
        let url: WebURL
        do throws(WebURLError) { url = try WebURL(text) } catch { throw CommandError.refused("\(text): \(error)") }
        let transport = try ClientSetup.transport(invocation.context)
        if let issuer = try await metadata(of: url, transport, invocation) { return issuer }
        let response: HTTPResponse
        do throws(HTTPError) {
            response = try await transport.send(HTTPRequest("GET", url, limits: HTTPLimits(body: 8 << 20, redirects: 3)))
        } catch { throw CommandError(error) }
        guard response.isSuccess else { throw CommandError.refused("\(text) answered \(response.status)") }
        let input = try InputReader.recognise(response.bytes, origin: text)
        return (try Inspection(edition: invocation.context.edition).annotate(input), input)
    }

    /// The metadata of the issuer of this name, or at this well-known address; nil where there are none.
    private static func metadata(
        of url: WebURL, _ transport: any HTTPTransport, _ invocation: Invocation
    ) async throws -> (Annotation, Input)? {
        let context = invocation.context
        var settings = WalletSettings()
        if invocation.string("profile") == "haip" { settings.adoptHAIP() }
        if context.usesTrust { settings.anchors = try context.trustStore.anchors(adding: [], role: .documents) }
        settings.skew = Int64(context.skew)
        let wallet = VCIWallet(
            settings: settings, transport: transport, keys: MemoryKeyStore(random: context.random), provider: nil,
            clock: context.clock,
            random: context.random)
        var session = IssuanceSession(wallet)
        do throws(IssuanceError) { try await session.resolve(issuer: issuer(url)) } catch {
            guard error.party != .network else { throw CommandError(error) }
            guard error.check != "IW2.http" else { return nil }
        }
        guard let json = session.metadata?.json else { return nil }
        let server = session.metadata?.authorizationServers.first ?? session.metadata?.issuer
        if let server { try? await session.resolve(server: server) }
        let text = JSON.object(json).encoded()
        let annotation = Annotation(
            "Credential issuer metadata", session.metadata?.issuer, clause: "OpenID4VCI 1.0 12.2.4",
            children: [try Inspection(edition: context.edition).annotate(Input(origin: "", encodings: [], content: .json(text)))])
        return (annotation.with(findings: session.checks), Input(origin: url.description, encodings: [], content: .json(text)))
    }

    /// The identifier that a well-known address belongs to; other addresses are identifiers.
    private static func issuer(_ url: WebURL) -> String {
        let mark = "/.well-known/\(WellKnown.credentialIssuer.rawValue)"
        guard url.path.hasPrefix(mark) else {
            return url.description.hasSuffix("/") && url.path == "/" ? String(url.description.dropLast()) : url.description
        }
        return url.origin + url.path.dropFirst(mark.count)
    }
}
