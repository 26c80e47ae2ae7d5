import Codec
import Credentials
import Crypto
import Ports
import Testing

@Suite struct COSESign1Tests {
    private let payload = Array("payload".utf8)
    private let key: PrivateKey

    init() throws { key = try PrivateKey.generate(.p256, random: SeededRandom(seed: 1)) }

    private func signed(
        _ algorithm: COSEAlgorithm = .es256, by signer: PrivateKey? = nil, protected: [(CBOR, CBOR)] = [], detached: Bool = false,
        aad: [UInt8] = [], isTagged: Bool = false
    ) async throws -> COSESign1 {
        let signer = signer ?? key
        return try await COSESign1.sign(
            payload, algorithm: algorithm, protected: protected, unprotected: COSEHeaders(x5chain: [[0x30, 0x00]]),
            detached: detached, externalAAD: aad, isTagged: isTagged
        ) { try signer.sign($0, hash: algorithm.hash, nonce: .deterministic) }
    }

    @Test(arguments: [
        (COSEAlgorithm.es256, Curve.p256), (.es256, .brainpoolP256r1), (.es384, .p384), (.es384, .brainpoolP320r1),
        (.es384, .brainpoolP384r1), (.es512, .p521), (.es512, .brainpoolP512r1), (.edDSA, .ed25519), (.edDSA, .ed448),
        (.esp256, .p256), (.esp384, .p384), (.esp512, .p521), (.ed25519, .ed25519), (.ed448, .ed448),
    ])
    func everyPairOfTheStandardSignsAndVerifies(_ algorithm: COSEAlgorithm, _ curve: Curve) async throws {
        #expect(algorithm.allows(curve))
        let signer = try PrivateKey.generate(curve, random: SeededRandom(seed: 2))
        let message = try COSESign1(decoding: try await signed(algorithm, by: signer).encodedCBOR)
        #expect(message.signature.count == curve.signatureSize)
        #expect(try message.algorithm() == algorithm)
        try message.verify(with: signer.publicKey)
    }

    @Test(arguments: COSEAlgorithm.allCases, Curve.allCases)
    func anyOtherPairIsRefusedByName(_ algorithm: COSEAlgorithm, _ curve: Curve) async throws {
        guard !algorithm.allows(curve), !algorithm.isMAC else { return }
        let other = try PrivateKey.generate(curve, random: SeededRandom(seed: 3)).publicKey
        let message = COSESign1(
            protected: COSEHeaders(algorithm: algorithm), payload: payload,
            signature: [UInt8](repeating: 1, count: curve.signatureSize))
        #expect(throws: COSEError.algorithmNotAllowed(algorithm, curve)) { try message.verify(with: other) }
    }

    @Test func pairAndSignatureCanBeJudgedApart() async throws {
        let message = try await signed(.es512)
        #expect(throws: COSEError.algorithmNotAllowed(.es512, .p256)) { try message.verify(with: key.publicKey) }
        try message.verify(with: key.publicKey, requiresPair: false)
    }

    @Test func aFullySpecifiedAlgorithmNeverFitsAnotherCurve() async throws {
        let message = try await signed(.esp384)
        #expect(throws: COSEError.algorithmNotAllowed(.esp384, .p256)) {
            try message.verify(with: key.publicKey, requiresPair: false)
        }
    }

    @Test func anyFlippedBitIsRefused() async throws {
        let bytes = try await signed().encodedCBOR
        let unprotectedStart = try #require(bytes.firstRange(of: [0xA1, 0x18, 0x21])?.lowerBound)
        let unprotected = unprotectedStart..<unprotectedStart + 6
        for bit in 0..<bytes.count * 8 where !unprotected.contains(bit / 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: (any Error).self, "bit \(bit)") {
                try COSESign1(decoding: changed).verify(with: key.publicKey)
            }
        }
    }

    @Test func anotherKeyOrOtherExternalDataIsRefused() async throws {
        let other = try PrivateKey.generate(.p256, random: SeededRandom(seed: 9)).publicKey
        let message = try await signed(aad: [1])
        try message.verify(with: key.publicKey, externalAAD: [1])
        #expect(throws: COSEError.invalidSignature) { try message.verify(with: other, externalAAD: [1]) }
        #expect(throws: COSEError.invalidSignature) { try message.verify(with: key.publicKey) }
    }

    @Test func aDetachedPayloadHasToBeSupplied() async throws {
        let message = try COSESign1(decoding: try await signed(detached: true).encodedCBOR)
        #expect(message.payload == nil)
        try message.verify(with: key.publicKey, detachedPayload: payload)
        #expect(throws: COSEError.payloadMissing) { try message.verify(with: key.publicKey) }
        #expect(throws: COSEError.invalidSignature) { try message.verify(with: key.publicKey, detachedPayload: []) }
        let attached = try await signed()
        #expect(throws: COSEError.payloadNotDetached) {
            try attached.verify(with: key.publicKey, detachedPayload: payload)
        }
    }

    @Test func noPayloadAndAnEmptyOneDiffer() throws {
        let empty = try COSESign1(decoding: Hex.decode("8440a04040"))
        let none = try COSESign1(decoding: Hex.decode("8440a0f640"))
        #expect(empty.payload == [] && none.payload == nil && empty != none)
    }

    @Test func tagsAreOptionalButNotArbitrary() async throws {
        let tagged = try await signed(isTagged: true)
        #expect(tagged.encodedCBOR.first == 0xD2)
        let read = try COSESign1(decoding: tagged.encodedCBOR)
        #expect(read.isTagged && read.encodedCBOR == tagged.encodedCBOR)
        #expect(throws: CBORError.self) { try COSESign1(decoding: [0xD1] + tagged.encodedCBOR.dropFirst()) }
    }

    @Test func protectedBytesStayAsReceived() throws {
        // {1: -7} with a two-byte head for the value: not preferred, and signed like this by the sender.
        let protected = try Hex.decode("a1013806")
        let toBeSigned = CBOR.array([.text("Signature1"), .bytes(protected), .bytes([]), .bytes(payload)]).encoded
        let message = try COSESign1(
            CBOR.array([.bytes(protected), .map([]), .bytes(payload), .bytes(key.sign(toBeSigned))]))
        #expect(message.protectedBytes == protected)
        #expect(try message.toBeSigned() == toBeSigned)
        try message.verify(with: key.publicKey)
    }

    @Test func theAlgorithmIsTakenFromTheProtectedMapFirst() throws {
        let message = COSESign1(
            protected: COSEHeaders(algorithm: .es384), unprotected: COSEHeaders(algorithm: .es256), payload: [], signature: [])
        #expect(try message.algorithm() == .es384)
        #expect(
            COSESign1(protected: .empty, unprotected: COSEHeaders(algorithm: .es256), payload: [], signature: []).protected
                .algorithm == nil)
    }

    @Test(arguments: [
        ("a0", COSEError.algorithmMissing), ("a101390100", .algorithmUnsupported("-257")),
        ("a1016345533 2", .algorithmUnsupported("ES2")),
        ("a10105", .algorithmUnsupported("5 for signatures")),
    ])
    func missingAndUnknownAlgorithmsAreNamed(_ protected: String, _ expected: COSEError) throws {
        let bytes = try Hex.decode(protected.filter { $0 != " " })
        let message = try COSESign1(CBOR.array([.bytes(bytes), .map([]), .bytes([]), .bytes([])]))
        #expect(throws: expected) { try message.verify(with: key.publicKey) }
    }

    @Test func unknownCriticalParametersAreRefused() async throws {
        let unknown = try await signed(protected: [(.int(2), .array([.int(99)])), (.int(99), .int(1))])
        #expect(throws: COSEError.criticalHeader("99 is not understood")) { try unknown.verify(with: key.publicKey) }
        let known = try await signed(protected: [(.int(2), .array([.int(3)])), (.int(3), .int(0))])
        try known.verify(with: key.publicKey)
        let absent = try await signed(protected: [(.int(2), .array([.int(3)]))])
        #expect(throws: COSEError.criticalHeader("3 is listed but not protected")) { try absent.verify(with: key.publicKey) }
        let empty = try await signed(protected: [(.int(2), .array([]))])
        #expect(throws: COSEError.criticalHeader("it is no array of labels")) { try empty.verify(with: key.publicKey) }
    }

    @Test(arguments: ["80", "8340a040", "8540a0404040", "a0", "84a0a04040", "8440404040", "8440a00140", "8440a040f6", "d28440a04"])
    func otherShapesAreRefused(_ text: String) {
        #expect(throws: (any Error).self) { try COSESign1(decoding: Hex.decode(text)) }
    }

    @Test func errorsInThePayloadNameTheirPlaceInTheMessage() throws {
        let message = try COSESign1(decoding: Hex.decode("8440a041ff40"))
        #expect(throws: CBORError.self) { try message.payloadContent() }
        do { _ = try message.payloadContent() } catch {
            #expect(error.offset == 4)
        }
    }

    @Test func chainsKeepTheirForm() throws {
        func chain(_ value: String) throws -> X5Chain? {
            try COSESign1(decoding: Hex.decode("8440a11821\(value)4040")).x5chain
        }
        #expect(try chain("4130")?.form == .byteString)
        #expect(try chain("814130")?.form == .arrayOfOne)
        #expect(try chain("8241304131")?.form == .array)
        #expect(try chain("8241304131")?.certificates == [[0x30], [0x31]])
        #expect(throws: CBORError.self) { try chain("80") }
        #expect(throws: CBORError.self) { try chain("01") }
        #expect(throws: CBORError.self) { try chain("8101") }
        #expect(COSEHeaders(x5chain: [[1]]).map.encoded == [0xA1, 0x18, 0x21, 0x41, 1])
        #expect(COSEHeaders(x5chain: [[1], [2]]).map.encoded == [0xA1, 0x18, 0x21, 0x82, 0x41, 1, 0x41, 2])
    }

    @Test func certificateHashesMatchOnlyTheirCertificate() throws {
        let certificate: [UInt8] = [0x30, 0x01, 0x02]
        let item = CBOR.array([.int(-16), .bytes(HashAlgorithm.sha256.digest(certificate))])
        #expect(try X5T(item).matches(certificate: certificate))
        #expect(try !X5T(item).matches(certificate: certificate + [0]))
        #expect(try !X5T(.array([.int(-15), .bytes([])])).matches(certificate: certificate))
        #expect(throws: CBORError.self) { try X5T(.array([.int(-16)])) }
    }
}
