import Codec
import Credentials
import Testing

@Suite struct COSEMac0Tests {
    private let key = [UInt8](repeating: 7, count: 32)

    @Test func anyFlippedBitIsRefused() throws {
        let message = try COSEMac0.authenticate([1, 2, 3], key: key)
        let bytes = message.encodedCBOR
        try COSEMac0(decoding: bytes).verify(key: key)
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: (any Error).self, "bit \(bit)") { try COSEMac0(decoding: changed).verify(key: key) }
        }
    }

    @Test func shortenedTagsAreRefused() throws {
        let message = try COSEMac0.authenticate([1, 2, 3], key: key)
        let short = COSEMac0(
            protected: message.protected, payload: [1, 2, 3], authenticationTag: Array(message.authenticationTag.prefix(8)))
        #expect(throws: COSEError.invalidTag) { try short.verify(key: key) }
    }

    @Test func detachedPayloadsAreCovered() throws {
        let message = try COSEMac0.authenticate([1, 2, 3], key: key, detached: true)
        #expect(message.payload == nil)
        try message.verify(key: key, detachedPayload: [1, 2, 3])
        #expect(throws: COSEError.payloadMissing) { try message.verify(key: key) }
        #expect(throws: COSEError.invalidTag) { try message.verify(key: key, detachedPayload: [1, 2]) }
        #expect(throws: COSEError.invalidTag) {
            try message.verify(key: key.reversed().map { $0 ^ 1 }, detachedPayload: [1, 2, 3])
        }
    }

    @Test func signatureAlgorithmsMakeNoMACs() {
        #expect(throws: COSEError.algorithmUnsupported("-7 for MACs")) {
            try COSEMac0.authenticate([1], algorithm: .es256, key: key)
        }
    }
}
