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
    let faults: FaultSelection
    let verifier: PresentationVerifier
    let memory: ReaderMemory
    private let link: String?

    init(_ invocation: Invocation) async throws {
        context = invocation.context
        faults = try FaultSelection(context, role: .reader)
        link = invocation.string("link")
        requests = try (invocation.strings("request").isEmpty ? ["mdl"] : invocation.strings("request")).map {
            name throws(CommandError) in try ReadRequest(name)
        }
        if context.edition == .first, let request = requests.first(where: \.needsSecondEdition) {
            throw CommandError.usage("--request \(request.name) has useCases or requestInfo", hint: "they need --edition 2")
        }
        text = try Self.engagementText(invocation)
        identity = try ReaderIdentity(invocation, fault: faults.readerCertificate)
        memory = await ReaderMemory(context)
        let bytes = (try? EngagementText.decode(text)).flatMap { try? DeviceEngagement(decoding: $0) }
        review = EngagementReview(text: text, edition: context.edition, history: await memory.history(for: bytes))
        let store = TrustStore(of: context.home)
        let anchors = context.usesTrust ? try store.anchors(adding: invocation.strings("anchor"), role: .documents) : .none
        let memory = memory
        verifier = PresentationVerifier(
            signers: SignerVerifier(anchors: anchors, edition: context.edition, skew: Int64(context.skew)),
            rule: VerdictRule(trustWaived: !context.usesTrust), wasSeen: { memory.wasSeen(mso: $0) })
    }

    /// Where the mdoc waits.
    /// - Throws: exit code 3 when the engagement offers Bluetooth only, 1 when it offers nothing this program knows.
    func endpoint(_ engagement: DeviceEngagement, _ fitting: LinkFitting) throws(CommandError) -> SocketConnector {
        let stream = engagement.retrievalMethods?.compactMap { if case .stream(let options) = $0 { options } else { nil } }.first
        if let link {
            return SocketConnector(try LinkChoice.address(link), mode: stream?.mode ?? .peripheral, fitting: fitting)
        }
        if let stream { return SocketConnector(stream.address, mode: stream.mode, fitting: fitting) }
        if engagement.retrievalMethods?.contains(where: { if case .ble = $0 { true } else { false } }) ?? false {
            throw LinkChoice.noBluetooth("the mdoc is reachable by Bluetooth only")
        }
        throw .refused("the engagement offers no way to the mdoc that is known here", hint: "name one with --link")
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
    func remember() async { await memory.keep(review.engagement) }

    private static func engagementText(_ invocation: Invocation) throws(CommandError) -> String {
        switch (invocation.string("qr"), invocation.string("engagement")) {
        case (let picture?, nil):
            let texts = try QRDecode.texts(in: picture)
            let engagements = texts.filter { URIScheme.of($0) == .mdoc }
            guard engagements.count < 2 else {
                throw .refused(
                    "\(picture): \(engagements.count) engagements in one picture", hint: "cut it to one, or use --engagement TEXT")
            }
            return engagements.first ?? texts[0]
        case (nil, let text?):
            guard Files.exists(text) || text == "-" else { return text }
            let content = String(decoding: try Files.read(text, limit: 1 << 16), as: UTF8.self)
            return content.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        case (nil, nil): throw .usage("no engagement given", hint: "name a picture with --qr, or give the text with --engagement")
        case (_?, _?): throw .usage("--qr and --engagement exclude each other", hint: "give one of them")
        }
    }
}

/// Who the reader says it is.
struct ReaderIdentity: Sendable {
    let key: PrivateKey
    /// DER, leaf first, without the root.
    let chain: [[UInt8]]
    private let nonce: SignatureNonce

    /// - Returns: nil where requests are not to be signed, or the home has no reader certificate.
    init?(_ invocation: Invocation, fault: ReaderCertificateFault?) throws(CommandError) {
        if invocation.flag("no-reader-auth") { return nil }
        nonce = invocation.context.isDeterministic ? .deterministic : .random
        if let fault {
            let made = try fault.identity(invocation.context)
            (key, chain) = (made.key, [made.certificate.der])
            return
        }
        switch (invocation.string("reader-cert"), invocation.string("reader-key")) {
        case (let certificate?, let key?):
            self.key = try KeyFile.privateKey(key)
            chain = try CertificateFile.certificates(certificate).map(\.der)
            guard let leaf = try CertificateFile.certificates(certificate).first, (try? leaf.publicKey()) == self.key.publicKey
            else {
                throw .refused("\(key) is not the key of \(certificate)")
            }
        case (nil, nil):
            guard let made = try CertificateFolder(of: invocation.context.home).identity("reader") else { return nil }
            (key, chain) = (made.key, [made.certificate.der])
        default:
            throw .usage("--reader-cert and --reader-key go together")
        }
    }

    /// Signs one docRequest.
    func sign(_ items: Embedded<ItemsRequest>, over transcript: SessionTranscript, _ faults: RequestFaults) throws -> COSESign1 {
        try sign(
            ReaderAuthentication.bytes(transcript: transcript, itemsRequest: items), spoiled: faults.contains(.wrongSignature),
            faults)
    }

    /// Signs everything that is asked, once more as a whole (WD2 §12.5.4).
    func signAll(
        _ docRequests: [DocRequest], _ info: Embedded<DeviceRequestInfo>?, over transcript: SessionTranscript,
        _ faults: RequestFaults
    ) throws -> COSESign1 {
        let payload = ReaderAuthenticationAll.bytes(
            transcript: transcript, itemsRequests: docRequests.map(\.itemsRequest), deviceRequestInfo: info)
        return try sign(payload, spoiled: faults.contains(.wrongSignatureOverAll), faults)
    }

    private func sign(_ payload: [UInt8], spoiled: Bool, _ faults: RequestFaults) throws -> COSESign1 {
        guard let algorithm = COSEAlgorithm.iso(for: key.curve) else {
            throw CommandError("a reader key on \(key.curve.rawValue) cannot sign")
        }
        let isProtected = !faults.contains(.unprotectedAlgorithm)
        let unsigned = COSESign1(
            protected: isProtected ? COSEHeaders(algorithm: algorithm) : .empty,
            unprotected: COSEHeaders(algorithm: isProtected ? nil : algorithm, x5chain: chain), payload: nil, signature: [])
        var signature = try key.sign(try unsigned.toBeSigned(detachedPayload: payload), hash: algorithm.hash, nonce: nonce)
        if spoiled, let last = signature.popLast() { signature.append(last ^ 1) }
        return COSESign1(protected: unsigned.protected, unprotected: unsigned.unprotected, payload: nil, signature: signature)
    }
}
