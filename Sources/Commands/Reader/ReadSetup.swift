import BlueZ
import Codec
import Credentials
import Crypto
import Ports
import Proximity
import Vault

/// Everything `reader read` needs before it connects.
struct ReadSetup: Sendable {
    let context: Context
    let text: String
    let review: EngagementReview
    let requests: [ReadRequest]
    let identity: ReaderIdentity?
    let registration: ReaderRegistration
    let faults: FaultSelection
    let verifier: PresentationVerifier
    let memory: ReaderMemory
    let trust: TrustSetup
    let statuses: StatusSetup
    private let link: LinkChoice?
    private let bluetooth: LinkPlace.Bluetooth

    init(_ invocation: Invocation) async throws {
        context = invocation.context
        faults = try FaultSelection(context, role: .reader)
        link = try invocation.string("link").map { text throws(CommandError) in try LinkChoice(text) }
        bluetooth = LinkPlace.Bluetooth(
            mode: invocation.string("ble-mode"), channels: try LinkChoice.channelUse(invocation),
            seconds: invocation.integer("timeout"))
        requests = try (invocation.strings("request").isEmpty ? ["mdl"] : invocation.strings("request")).map {
            name throws(CommandError) in try ReadRequest(name)
        }
        if context.edition == .first, let request = requests.first(where: \.needsSecondEdition) {
            throw CommandError.usage("--request \(request.name) has useCases or requestInfo", hint: "they need --edition 2")
        }
        text = try await Self.engagementText(invocation)
        identity = try ReaderIdentity(invocation, fault: faults.readerCertificate, registration: faults.registration)
        registration = try await ReaderRegistration(invocation, fault: faults.registration)
        memory = await ReaderMemory(context)
        let bytes = (try? EngagementText.decode(text)).flatMap { try? DeviceEngagement(decoding: $0) }
        review = EngagementReview(text: text, edition: context.edition, history: await memory.history(for: bytes))
        trust = try await TrustSetup(invocation, role: .documents)
        statuses = try StatusSetup(context)
        let memory = memory
        verifier = PresentationVerifier(
            signers: SignerVerifier(anchors: trust.anchors, edition: context.edition, skew: Int64(context.skew)),
            rule: VerdictRule(trustWaived: !context.usesTrust, statusEnforced: true), wasSeen: { memory.wasSeen(mso: $0) })
    }

    /// Where the mdoc waits.
    /// - Throws: exit code 3 when this machine cannot go there, 1 when the engagement offers nothing this program knows.
    func place(_ engagement: DeviceEngagement, _ fitting: LinkFitting) async throws(CommandError) -> LinkPlace {
        let methods = engagement.retrievalMethods ?? []
        let stream = methods.lazy.compactMap { if case .stream(let options) = $0 { options } else { nil } }.first
        let bluetooth = methods.lazy.compactMap { if case .ble(let options) = $0 { options } else { nil } }.first
        switch (link, stream, bluetooth) {
        case (.stream(let address)?, _, _): return Self.place(address, stream?.mode ?? .peripheral, fitting)
        case (nil, let stream?, _): return Self.place(stream.address, stream.mode, fitting)
        case (nil, nil, let options?): return try await place(.any, options, fitting)
        case (.bluetooth(let adapter)?, _, let options?): return try await place(adapter, options, fitting)
        case (.bluetooth?, _, nil):
            throw .refused("the engagement offers no Bluetooth", hint: "leave --link out to take what it offers")
        case (nil, nil, nil):
            throw .refused("the engagement offers no way to the mdoc that is known here", hint: "name one with --link")
        }
    }

    private static func place(_ address: LinkAddress, _ mode: GATTMode, _ fitting: LinkFitting) -> LinkPlace {
        LinkPlace(
            endpoint: SocketConnector(address, mode: mode, fitting: fitting), description: address.description, caveat: nil)
    }

    private func place(
        _ adapter: AdapterChoice, _ options: BLEOptions, _ fitting: LinkFitting
    ) async throws(CommandError) -> LinkPlace {
        try await .reader(adapter, options, bluetooth, fitting: fitting)
    }

    /// The report when no response came: every check of a response waits for the check `cause`.
    func reportWithoutResponse(because cause: String) -> PresentationReport {
        var checks = CheckList(edition: context.edition)
        for row in CheckCatalogue.rows {
            guard row.id.first == "R", let number = Int(row.id.dropFirst().prefix { $0.isNumber }), number >= 5 else { continue }
            let id = row.isFamily ? String(row.id.dropLast(2)) : row.id
            checks.notRun(id, "response", .needs(cause))
        }
        return PresentationReport(at: context.clock.now(), rule: verifier.rule, checks: checks)
    }

    /// Keeps what later engagements and presentations are compared with.
    func remember() async {
        await memory.keep(review.engagement)
        await statuses.remember()
    }

    private static func engagementText(_ invocation: Invocation) async throws -> String {
        switch (invocation.string("qr"), invocation.string("engagement"), invocation.string("camera")) {
        case (nil, nil, let device?): return try await CameraReading.engagement(device, invocation)
        case (let picture?, nil, nil):
            let texts = try QRDecode.texts(in: picture)
            let engagements = texts.filter { URIScheme.of($0) == .mdoc }
            guard engagements.count < 2 else {
                throw CommandError.refused(
                    "\(picture): \(engagements.count) engagements in one picture", hint: "cut it to one, or use --engagement TEXT")
            }
            return engagements.first ?? texts[0]
        case (nil, let text?, nil):
            guard Files.exists(text) || text == "-" else { return text }
            let content = String(decoding: try Files.read(text, limit: 1 << 16), as: UTF8.self)
            return content.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        case (nil, nil, nil):
            throw CommandError.usage(
                "no engagement given", hint: "name a picture with --qr, give the text with --engagement, or take a --camera")
        default: throw CommandError.usage("--qr, --engagement and --camera exclude each other", hint: "give one of them")
        }
    }
}
