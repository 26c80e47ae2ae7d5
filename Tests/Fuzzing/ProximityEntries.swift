import Codec
import Credentials
import Crypto
import Ports
import Proximity

/// What comes over the air, or from a QR code.
struct ProximityEntries {
    private let stage: FuzzStage
    private let credentials: CredentialEntries

    init(_ stage: FuzzStage) {
        self.stage = stage
        credentials = CredentialEntries(stage)
    }

    var all: [FuzzEntry] {
        [
            FuzzEntry("engagement", engagement), FuzzEntry("holder-session", holder),
            FuzzEntry("reader-session", longest: 16384, reader), FuzzEntry("gatt", gatt),
        ]
    }

    /// An engagement as text or bytes, and NFC handover messages.
    private func engagement(_ bytes: [UInt8]) {
        for edition in [Edition.first, .second] {
            for review in [
                EngagementReview(text: String(decoding: bytes, as: UTF8.self), edition: edition),
                EngagementReview(bytes: bytes, edition: edition),
            ] {
                require(!review.isUsable || review.engagement != nil, "what is usable was read")
                guard let engagement = review.engagement, let key = review.eDeviceKey, key.curve == .p256 else { continue }
                require(EngagementText.encode(engagement).hasPrefix("mdoc:"), "an engagement can be shown")
                _ = try? ReaderSession(engagement: engagement, eDeviceKey: key, key: stage.readerKey, edition: edition)
            }
            let (handover, checks) = NFCHandover.review(bytes, edition: edition)
            _ = (handover?.carriers, checks.checks.count)
        }
    }

    /// Both ends of a session that has not begun.
    private func pair() -> (HolderSession, ReaderSession)? {
        let holder = HolderSession(engagement: stage.engagement, key: stage.deviceKey, edition: .first)
        let reader = try? ReaderSession(
            engagement: stage.engagement, eDeviceKey: stage.deviceKey.publicKey, key: stage.readerKey, edition: .first)
        return reader.map { (holder, $0) }
    }

    /// The holder's side: 0 a raw message, 1 a request sealed as it should be, 2 the holder's answer, 3 the end of the link.
    private func holder(_ input: [UInt8]) {
        guard var (holder, reader) = pair() else { return }
        for (choice, bytes) in Script(input) {
            switch choice % 4 {
            case 0: take(bytes, &holder)
            case 1: if let message = try? reader.request(bytes) { take(message, &holder) }
            case 2: if let message = try? holder.respond(bytes) { _ = try? reader.receive(message) }
            default: holder.linkEnded(bytes.isEmpty ? .orderly : .broken(.lost(.betweenMessages), idleSeconds: 1), oddities: [])
            }
        }
        _ = (holder.checks.checks.count, holder.terminate())
        require(holder.isEnded, "a session that was ended is over")
    }

    private func take(_ message: [UInt8], _ holder: inout HolderSession) {
        do throws(SessionError) {
            if case .request(let request) = try holder.receive(message) {
                credentials.request(request.bytes, over: request.transcript)
            }
        } catch {
            require(holder.isEnded && !error.description.isEmpty, "a refused message ends the session, for a reason")
            _ = error.replyMessage
        }
    }

    /// The reader's side, after its first request: 0 a raw message, 1 a response sealed as it should be, 2 the next request,
    /// 3 the end of the link.
    private func reader(_ input: [UInt8]) {
        guard var (holder, reader) = pair(), let first = try? reader.request(stage.request) else { return }
        _ = try? holder.receive(first)
        for (choice, bytes) in Script(input) {
            switch choice % 4 {
            case 0: take(bytes, &reader)
            case 1: if let message = try? holder.respond(bytes) { take(message, &reader) }
            case 2: if let message = try? reader.request(bytes) { _ = try? holder.receive(message) }
            default: reader.linkEnded(bytes.isEmpty ? .orderly : .broken(.lost(.betweenMessages), idleSeconds: 1), oddities: [])
            }
        }
        _ = (reader.checks.checks.count, reader.terminate())
        require(reader.isEnded, "a session that was ended is over")
    }

    private func take(_ message: [UInt8], _ reader: inout ReaderSession) {
        do throws(SessionError) {
            if case .response(let response, _) = try reader.receive(message) { credentials.response(response) }
        } catch {
            require(reader.isEnded && !error.description.isEmpty, "a refused message ends the session, for a reason")
            _ = error.replyMessage
        }
    }

    /// Values on characteristics, to either role in either mode: the choice of the first step says which, those of the others
    /// the characteristic.
    private func gatt(_ input: [UInt8]) {
        var script = Script(input)
        guard let (choice, setting) = script.next() else { return }
        let mode = GATTMode.allCases[Int(choice) % 2]
        let limit = 1024
        var channel = GATTChannel(
            mode: mode, role: choice & 2 == 0 ? .mdoc : .reader, mtu: setting.reduce(0) { $0 &* 256 &+ Int($1) },
            messageLimit: limit)
        if channel.isClient { _ = channel.start() }
        while let (choice, bytes) = script.next() {
            let characteristic = GATTCharacteristic.allCases[Int(choice) % GATTCharacteristic.allCases.count]
            if case .message(let message)? = try? channel.receive(GATTValue(characteristic, bytes)) {
                require(message.count <= limit, "messages stay within their limit")
            }
            require(channel.pendingParts <= limit + 1, "empty parts do not go on for ever")
        }
        let parts = channel.parts(of: input)
        require(parts.allSatisfy { $0.bytes.count <= channel.partSize }, "parts fit the connection")
        require(parts.flatMap { $0.bytes.dropFirst() } == input, "parts make up the message")
        _ = (channel.disconnected(), channel.end(), channel.oddities.count)
    }
}
