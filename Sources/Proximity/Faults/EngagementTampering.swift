import Codec
import Credentials
import Crypto

/// Spoils an engagement, as named faults say.
public struct EngagementTampering: Sendable {
    let faults: FaultSet

    /// Faults of other kinds have no effect here.
    public init(_ faults: FaultSet) { self.faults = faults }

    /// The text for the QR code.
    public func text(of engagement: DeviceEngagement) -> String {
        let bytes = faults.contains(.engagementCBOR) ? Array(engagement.encoded.dropLast()) : engagement.encoded
        let text = Base64URL.encode(bytes)
        if faults.contains(.qrScheme) { return "mdoc://" + text }
        return "mdoc:" + text + (faults.contains(.qrBase64url) ? "=" : "")
    }

    /// The engagement to use for QR code and transcript, which is the honest one unless a fault changes its members.
    public func engagement(from honest: DeviceEngagement) -> DeviceEngagement {
        var members: [(Int, CBOR)] = []
        members.append((0, .text(version(honest))))
        if !faults.contains(.engagementShape) { members.append((1, security(honest))) }
        if !faults.contains(.retrievalPresent) { members.append((2, .array(methods(honest)))) }
        if honest.originInfos != nil, !faults.contains(.capabilitiesNeedOrigins) { members.append((5, .array([]))) }
        if faults.contains(.capabilitiesNeedOrigins) {
            members.append((6, .map([(.int(3), .bool(true))])))
        } else if faults.contains(.capabilityTrue) {
            if honest.originInfos == nil { members.append((5, .array([]))) }
            members.append((6, .map([(.int(3), .bool(false))])))
        } else if let capabilities = honest.capabilities {
            members.append((6, .map(capabilities.sorted { $0.key < $1.key }.map { (.int($0.key), .bool($0.value)) })))
        }
        let item = CBOR.map(members.map { (.int($0.0), $0.1) })
        // What no longer decodes goes out all the same; the transcript never gets that far.
        return (try? DeviceEngagement(item)) ?? honest.with(encoded: item.encoded)
    }

    private func version(_ honest: DeviceEngagement) -> String {
        if faults.contains(.engagementMajor) { return "2.0" }
        if faults.contains(.engagementMinor) { return honest.version == "1.0" ? "1.1" : "1.0" }
        let isSecond = [.capabilitiesNeedOrigins, .capabilityTrue].contains(where: faults.contains)
        return isSecond ? "1.1" : honest.version
    }

    private func security(_ honest: DeviceEngagement) -> CBOR {
        let key = (try? CBOR(decoding: keyBytes(honest))) ?? .null
        return .array([.int(faults.contains(.cipherSuite) ? 2 : honest.cipherSuite), key])
    }

    private func keyBytes(_ honest: DeviceEngagement) -> [UInt8] {
        guard let key = try? honest.eDeviceKey() else { return honest.eDeviceKeyBytes }
        if faults.contains(.deviceKeyTag) { return CBOR.bytes(key.encodedCBOR).encoded }
        if faults.contains(.deviceKeyPoint) { return Embedded(SessionTampering.keyOffCurve(key)).encoded }
        if faults.contains(.deviceKeyCurve), let other = try? PrivateKey(curve: .ed25519, scalar: Array(repeating: 1, count: 32)) {
            return Embedded(COSEKey(other.publicKey)).encoded
        }
        return honest.eDeviceKeyBytes
    }

    private func methods(_ honest: DeviceEngagement) -> [CBOR] {
        var methods = honest.retrievalMethods ?? []
        if faults.contains(.retrievalKnown) {
            methods = [.other(type: 99, version: 1, encoded: CBOR.array([.int(99), .int(1), .map([])]).encoded)]
        }
        if let options = bleOptions(honest) { methods.append(.ble(options)) }
        if faults.contains(.retrievalDuplicate) { methods += methods }
        return methods.compactMap { try? CBOR(decoding: $0.encodedCBOR) }
    }

    private func bleOptions(_ honest: DeviceEngagement) -> BLEOptions? {
        // Of this transaction only, unless to be the same every time is the fault.
        let seed = faults.contains(.bleUUIDFresh) ? [] : HashAlgorithm.sha256.digest(honest.eDeviceKeyBytes)
        let one = BluetoothUUID(bytes: Array(seed.prefix(16))) ?? BluetoothUUID(mdocService: 0x51)
        let two = BluetoothUUID(bytes: Array(seed.suffix(16))) ?? BluetoothUUID(mdocService: 0x52)
        var options = BLEOptions(peripheralServerUUID: one)
        if faults.contains(.bleUUIDMissing) {
            options.peripheralServerUUID = nil
        } else if faults.contains(.bleUUIDSurplus) {
            options.centralClientUUID = two.bytes
        } else if faults.contains(.bleUUIDLength) {
            options.peripheralServerUUID = Array(one.bytes.dropLast())
        } else if faults.contains(.bleUUIDDistinct) {
            options = BLEOptions(peripheralServerUUID: one, centralClientUUID: one)
        } else if faults.contains(.bleOptionsPeripheral) {
            options = BLEOptions(centralClientUUID: two, psm: 192)
        } else if !faults.contains(.bleUUIDFresh) {
            return nil
        }
        return options
    }
}

extension DeviceEngagement {
    /// The same values over other bytes.
    fileprivate func with(encoded: [UInt8]) -> DeviceEngagement {
        DeviceEngagement(
            encoded: encoded, version: version, cipherSuite: cipherSuite, eDeviceKeyBytes: eDeviceKeyBytes,
            retrievalMethods: retrievalMethods, originInfos: originInfos, capabilities: capabilities)
    }
}
