import Codec
import Credentials
import Crypto
import OpenID
import Ports

/// What strangers send over OpenID4VP: requests to a wallet, presentations to a verifier.
struct OpenIDEntries {
    private let stage: FuzzStage
    private let wallet: VPWallet
    private let tokens: VPTokenVerifier
    private let held: [HeldCredential]

    init(_ stage: FuzzStage) {
        self.stage = stage
        let signers = SignerVerifier(anchors: stage.authority.anchors, edition: .second)
        wallet = VPWallet(VPWalletSettings(readers: signers), random: SeededRandom(seed: 8))
        tokens = VPTokenVerifier(signers: signers)
        held = stage.documents.compactMap { try? HeldCredential($0) }
    }

    var all: [FuzzEntry] {
        [
            FuzzEntry("request-object", longest: 8192) { request(String(decoding: $0, as: UTF8.self)) },
            FuzzEntry("vp-token", longest: 16384) { token(String(decoding: $0, as: UTF8.self)) },
        ]
    }

    /// A link, a request object, or JSON of the Digital Credentials API, whatever the text looks like; judged, and answered as far as
    /// a proposal goes.
    private func request(_ text: String) {
        guard let input = try? RequestInput(text) else { return }
        for origin in [nil, "https://verifier.example"] {
            guard case .resolved(let resolution) = wallet.open(input, origin: origin, at: stage.time) else { continue }
            for check in resolution.checks.checks { _ = check.reason(redacting: false) }
            switch resolution.result {
            case .failure(let refusal):
                require(resolution.checks.checks.contains { $0.outcome == .fail }, "a refused request has a failed check")
                _ = try? wallet.answer(refusal)
            case .success(let request):
                require(!request.nonce.isEmpty, "a request that is answered has a nonce")
                let proposal = try? wallet.propose(request, from: held, presenter: stage.presenter)
                require(proposal?.proposal.entries.count == request.query.credentials.count, "every query has an entry")
            }
        }
    }

    private func token(_ text: String) {
        guard let json = try? JSON.decode(text), let query = try? DCQLQuery(text: Seeds.tokenQuery) else { return }
        let binding = PresentationBinding(
            .redirect(clientID: stage.binding.audience, responseURI: "https://verifier.example/response"),
            nonce: stage.binding.nonce,
            keyThumbprint: nil)
        let report = tokens.verify(json, VPTokenVerifier.Terms(query: query, binding: binding), at: stage.time)
        require(report.checks.contains { $0.id == "VV6.object" }, "the shape of a vp_token is judged")
        require(report.verdict != .pass || report.documents.allSatisfy { $0.trusted == true }, "trust is earned")
        require((try? JSON.decode(report.json(redacting: false).encoded())) != nil, "the report is JSON")
    }
}
