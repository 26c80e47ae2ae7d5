import Codec
import Credentials
import Crypto

/// Spoils session messages on their way out, as named faults say.
struct SessionTampering: Sendable {
    let faults: FaultSet

    /// The message to send instead.
    func rewrite(_ message: [UInt8], ordinal: Int) -> [UInt8] {
        guard let cbor = try? CBOR(decoding: message), let members = try? Array(cbor.map()) else { return message }
        if faults.contains(.sessionDataTruncated) || faults.contains(.establishmentTruncated) {
            return Array(message.dropLast(min(8, message.count - 1)))
        }
        if faults.contains(.sessionDataAsArray) { return CBOR.array(members.map(\.value)).encoded }
        if faults.contains(.sessionDataBitflip) || faults.contains(.requestBitflip) { return flipTag(members) }
        if faults.contains(.firstMessage), ordinal == 0 {
            return Self.map(members.filter { (try? $0.key.text()) == "data" })
        }
        if faults.contains(.snakeCaseKey) { return renameKey(members) }
        if faults.contains(.readerKeyCurve) { return replaceKey(members, with: Self.keyOnAnotherCurve) }
        if faults.contains(.readerKeyPoint) { return replaceKey(members, with: Self.keyOffCurve) }
        if faults.contains(.indefiniteMap) { return [0xBF] + members.flatMap { $0.key.encoded + $0.value.encoded } + [0xFF] }
        if faults.contains(.duplicateMapKey), let first = members.first { return Self.map([first] + members) }
        return message
    }

    private typealias Members = [(key: CBOR, value: CBOR)]

    private static func map(_ members: [(key: CBOR, value: CBOR)]) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.map(members.count)
        for member in members {
            encoder.item(member.key)
            encoder.item(member.value)
        }
        return encoder.bytes
    }

    private func replacing(_ name: String, in members: [(key: CBOR, value: CBOR)], _ body: (CBOR) -> CBOR) -> [UInt8] {
        Self.map(members.map { (try? $0.key.text()) == name ? (key: $0.key, value: body($0.value)) : $0 })
    }

    private func flipTag(_ members: [(key: CBOR, value: CBOR)]) -> [UInt8] {
        replacing("data", in: members) { value in
            guard var bytes = try? value.bytes(), let last = bytes.popLast() else { return value }
            return .bytes(bytes + [last ^ 0x01])
        }
    }

    private func renameKey(_ members: [(key: CBOR, value: CBOR)]) -> [UInt8] {
        Self.map(members.map { (try? $0.key.text()) == "eReaderKey" ? (key: .text("e_reader_key"), value: $0.value) : $0 })
    }

    private func replaceKey(_ members: [(key: CBOR, value: CBOR)], with body: (COSEKey) -> COSEKey) -> [UInt8] {
        replacing("eReaderKey", in: members) { value in
            guard let key = try? Embedded<COSEKey>(value).value, let item = try? CBOR(decoding: Embedded(body(key)).encoded) else {
                return value
            }
            return item
        }
    }

    /// The generator of P-384, or of P-256 where the session is on another curve than that.
    private static func keyOnAnotherCurve(_ key: COSEKey) -> COSEKey {
        let scalar: [UInt8] = key.curve == .p256 ? Array(repeating: 1, count: 48) : Array(repeating: 1, count: 32)
        guard let other = try? PrivateKey(curve: key.curve == .p256 ? .p384 : .p256, scalar: scalar) else { return key }
        return COSEKey(other.publicKey)
    }

    /// The same key with another y.
    static func keyOffCurve(_ key: COSEKey) -> COSEKey {
        var key = key
        if case .bytes(var y)? = key.y, let last = y.popLast() { key.y = .bytes(y + [last ^ 0x01]) }
        return key
    }
}
