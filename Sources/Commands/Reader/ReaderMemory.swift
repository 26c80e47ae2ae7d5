import Codec
import Credentials
import Crypto
import Ports
import Proximity
import Vault

/// What a reader remembers from transaction to transaction, in the service vault: engagements, mobile security objects, and how each
/// device key proved itself. Hashes only.
final class ReaderMemory: Sendable {
    private let vault: Vault?
    private let known: Set<String>
    private let asked = Locked<Set<String>>([])
    private let context: Context

    /// Copied engagements come back within days, not years.
    private static let engagementDays = 30

    /// A reader without a readable vault still reads; it then knows nothing of before.
    init(_ context: Context) async {
        self.context = context
        do {
            let vault = try context.serviceVault()
            known = Set(try await vault.keys(in: "seen-mso"))
            self.vault = vault
        } catch {
            context.console.talk("note: earlier transactions are not known: \((error as? CommandError)?.what ?? "\(error)")")
            (known, vault) = ([], nil)
        }
    }

    /// Whether a mobile security object was presented before; remembers that it was asked.
    func wasSeen(mso hash: [UInt8]) -> Bool {
        let name = Hex.encode(hash)
        asked.withLock { _ = $0.insert(name) }
        return known.contains(name)
    }

    /// What of this engagement was met before.
    func history(for engagement: DeviceEngagement?) async -> EngagementHistory {
        guard let vault, let engagement else { return EngagementHistory() }
        var history = EngagementHistory()
        if (try? await vault.read(Self.name(engagement.eDeviceKeyBytes), in: "seen-engagement")) ?? nil != nil {
            history.eDeviceKeys.insert(engagement.eDeviceKeyBytes)
        }
        for uuid in engagement.serviceUUIDs where (try? await vault.read(Self.name(uuid), in: "seen-uuid")) ?? nil != nil {
            history.serviceUUIDs.insert(uuid)
        }
        return history
    }

    /// P49: notes how a device key proved itself.
    /// - Returns: false when it did so the other way before.
    func note(deviceKey: COSEKey, form: DeviceAuth.Form) async -> Bool {
        guard let vault, let thumbprint = try? deviceKey.thumbprint(), form == .mac || form == .signature else { return true }
        let word = Array((form == .mac ? "mac" : "signature").utf8)
        let earlier = try? await vault.update(Hex.encode(thumbprint), in: "device-key-use") { record -> [UInt8]? in
            defer { record = record ?? word }
            return record
        }
        return (earlier ?? nil).map { $0 == word } ?? true
    }

    /// Keeps what this transaction showed.
    func keep(_ engagement: DeviceEngagement?) async {
        guard let vault else { return }
        let expiry = context.clock.now().adding(days: Self.engagementDays)
        do {
            if let engagement {
                try await vault.write([1], Self.name(engagement.eDeviceKeyBytes), in: "seen-engagement", expiring: expiry)
                for uuid in engagement.serviceUUIDs {
                    try await vault.write([1], Self.name(uuid), in: "seen-uuid", expiring: expiry)
                }
            }
            for name in asked.withLock({ $0 }) { try await vault.write([1], name, in: "seen-mso") }
        } catch {
            context.console.talk("warning: this transaction will not be remembered: \(error)")
        }
    }

    private static func name(_ bytes: [UInt8]) -> String { Hex.encode(HashAlgorithm.sha256.digest(bytes)) }
}

extension DeviceEngagement {
    /// The UUIDs of its BLE methods.
    fileprivate var serviceUUIDs: [[UInt8]] {
        (retrievalMethods ?? []).flatMap { method -> [[UInt8]] in
            guard case .ble(let options) = method else { return [] }
            return [options.peripheralServerUUID, options.centralClientUUID].compactMap { $0 }
        }
    }
}
