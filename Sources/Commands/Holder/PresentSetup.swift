import Codec
import Credentials
import Crypto
import Ports
import Proximity
import Vault

/// Everything `holder present` needs before the first reader comes; what is wrong with it is said before a QR code is shown.
struct PresentSetup: Sendable {
    let context: Context
    let wallet: Wallet
    /// What could be presented at the start; copies change with every use, see `currentDocuments`.
    let documents: [IssuedDocument]
    let consent: any ConsentProvider
    let faults: FaultSelection
    let gate: KeyGate
    let verifier: RequestVerifier
    let statuses: StatusSetup
    /// What is made of the reader's registration.
    let registrations: RegistrationVerifier
    private let curve: Curve
    private let link: LinkChoice
    private let bluetooth: LinkPlace.Bluetooth
    private let method: Presenter.DeviceAuthMethod
    private let deviceSigned: DeviceNameSpaces

    /// A running offer to one reader.
    struct Engagement: Sendable {
        let id: String
        let text: String
        let place: LinkPlace
        let driver: HolderDriver
        let trace: SessionTrace
        /// What `trace` has recorded, for the log.
        let kept: KeptTrace
        let live: LiveLine
    }

    init(_ invocation: Invocation) async throws {
        context = invocation.context
        faults = try FaultSelection(context, role: .mdoc)
        link = try LinkChoice.listening(invocation.string("link") ?? "ble")
        let mode = invocation.string("ble-mode")
        bluetooth = LinkPlace.Bluetooth(
            mode: mode, channels: try LinkChoice.channelUse(invocation), seconds: invocation.integer("timeout"),
            namesPSM: context.edition == .second)
        if case .stream = link, mode == "both" {
            throw CommandError.usage("--ble-mode both is for Bluetooth", hint: "a stream link has one mode: peripheral or central")
        }
        consent = try PresentConsent.provider(try invocation.required("consent"), invocation.console)
        method = invocation.string("device-auth").flatMap(Presenter.DeviceAuthMethod.init) ?? .automatic
        deviceSigned = try Self.deviceSigned(invocation.string("device-signed"))
        let trust = try await TrustSetup(invocation, role: .readers)
        verifier = RequestVerifier(
            readers: SignerVerifier(anchors: trust.anchors, edition: context.edition, skew: Int64(context.skew)),
            policy: invocation.string("reader-policy").flatMap(ReaderPolicy.init) ?? .warn)
        statuses = try StatusSetup(context)
        registrations = RegistrationPolicy.verifier(invocation, trust.anchors, leg: .proximity)
        wallet = try Wallet(context, creating: false)
        gate = try KeyGate(invocation, wallet)
        documents = try await Self.documents(in: wallet, invocation)
        curve = invocation.string("curve").flatMap(Curve.init) ?? Self.curve(of: documents)
    }

    /// The presenter for a request; the fault `single-key-use` changes the proof with every second one.
    ///
    /// - Parameter keys: what the person unlocked; nil: nothing is going to be signed.
    func presenter(for request: SessionRequest, _ keys: UnlockedKeys? = nil) -> Presenter {
        var method = method
        let changesProof = faults.session.contains(.singleKeyUse)
        if changesProof { method = request.ordinal.isMultiple(of: 2) ? .mac : .signature }
        return Presenter(
            keyStore: keyStore(keys, ignoresPurpose: changesProof), deviceAuth: method, deviceSigned: deviceSigned,
            tampering: faults.content)
    }

    private func keyStore(_ keys: UnlockedKeys?, ignoresPurpose: Bool) -> any KeyStore {
        guard let keys else { return wallet.keys }
        return ignoresPurpose ? keys.withoutPurpose : keys
    }

    /// Makes a key, opens the endpoint and writes the engagement.
    func engage() async throws -> Engagement {
        let key = try engagementKey()
        let id = Codec.Hex.encode(context.random.bytes(4))
        let kept = KeptTrace(passingTo: context.trace)
        let trace = SessionTrace(sink: kept, session: id, role: .mdoc, clock: context.clock, faults: faults.names)
        let live = LiveLine(context.console, role: "holder")
        let fitting = LinkFitting(trace: trace, faults: faults.session, progress: { live.note($0) })
        let place: LinkPlace
        do {
            place = try await .holder(link, bluetooth, random: context.random, fitting: fitting)
        } catch { throw CommandError(session: error) }
        let tampering = EngagementTampering(faults.session)
        let honest = DeviceEngagement(
            eDeviceKey: COSEKey(key.publicKey), retrievalMethods: [place.endpoint.method],
            capabilities: context.edition == .second ? [3] : nil)
        let engagement = tampering.engagement(from: honest)
        trace.record(.sent, layer: "engagement", "DeviceEngagement", engagement.encoded)
        trace.record(key: key, "EDeviceKey", revealing: context.reveals)
        let driver = HolderDriver(
            endpoint: place.endpoint, engagement: engagement, key: key, edition: context.edition, fitting: fitting,
            faults: faults.session
        )
        return Engagement(
            id: id, text: tampering.text(of: engagement), place: place, driver: driver, trace: trace, kept: kept, live: live)
    }

    private func engagementKey() throws -> PrivateKey {
        // The fault is that the key is the same every time.
        let isReplayed = faults.session.contains(.engagementReplayed)
        return try PrivateKey.generate(curve, random: isReplayed ? SeededRandom(seed: 0x5265_706C_6179) : context.random)
    }

    /// The documents that can be presented now, each as the copy that comes next for this reader.
    func currentDocuments(for recipient: StoredDocument.Recipient) async throws -> [IssuedDocument] {
        let ids = Set(documents.map(\.id))
        return try await wallet.presentable(to: recipient, at: context.clock.now()).documents.filter { ids.contains($0.id) }
    }

    private static func documents(in wallet: Wallet, _ invocation: Invocation) async throws -> [IssuedDocument] {
        let (documents, refused) = try await wallet.presentable(at: invocation.context.clock.now())
        let wanted = invocation.strings("doc")
        if wanted.isEmpty { for error in refused { invocation.console.talk("note: \(error.what)") } }
        guard !documents.isEmpty else {
            throw refused.first
                ?? CommandError(
                    "the wallet has no document to present", hint: "issue one with: walletbench issuer mint --type mdl --to-holder")
        }
        return wanted.isEmpty ? documents : try wanted.map { id throws(CommandError) in try find(id, in: documents, refused) }
    }

    private static func find(
        _ id: String, in documents: [IssuedDocument], _ refused: [CommandError]
    ) throws(CommandError) -> IssuedDocument {
        let found = documents.filter { $0.id == id || $0.id.hasPrefix(id) }
        guard found.count == 1 else {
            throw refused.first { $0.what.contains(id) }
                ?? .refused("no document \(id) can be presented", hint: "walletbench holder list shows them")
        }
        return found[0]
    }

    /// The curve that lets every document make a MAC too, where there is one; else P-256.
    private static func curve(of documents: [IssuedDocument]) -> Curve {
        let curves = Set(documents.map { try? $0.mobileSecurityObject.deviceKey.curve })
        guard curves.count == 1, case let only?? = curves.first, only.canAgree else { return .p256 }
        return only
    }

    private static func deviceSigned(_ path: String?) throws(CommandError) -> DeviceNameSpaces {
        guard let path else { return DeviceNameSpaces() }
        let json = try InputReader.read(path).json(as: "name spaces with values")
        do { return DeviceNameSpaces(try Claims(json, definition: nil).nameSpaces) } catch { throw .refused("\(path): \(error)") }
    }
}
