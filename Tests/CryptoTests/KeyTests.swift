import Crypto
import Ports
import Testing

/// Bytes that count up from a start: enough to make distinct keys in tests.
struct CountingRandom: RandomSource {
    let start: UInt8
    var isDeterministic: Bool { true }
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { start &+ UInt8(truncatingIfNeeded: $0) } }
}

@Suite struct SignatureTests {
    // RFC 6979 A.2.5 (P-256, SHA-256).
    @Test func deterministicNoncesAreThoseOfRFC6979() throws {
        let key = try PrivateKey(curve: .p256, scalar: hex("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"))
        #expect(key.publicKey.x == hex("60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"))
        #expect(key.publicKey.y == hex("7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"))
        #expect(
            try key.sign(Array("sample".utf8), nonce: .deterministic)
                == hex("EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716")
                + hex("F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"))
    }

    // RFC 6979 A.2.7 (P-521, SHA-512): the order is no multiple of eight bits.
    @Test func deterministicNoncesFitOrdersOfOddLength() throws {
        let key = try PrivateKey(
            curve: .p521,
            scalar: hex(
                "00FAD06DAA62BA3B25D2FB40133DA757205DE67F5BB0018FEE8C86E1B68C7E75CAA896EB32F1F47C70855836A6D16FCC1466F6D8FBEC67DB89EC0C08B0E996B83538"
            ))
        #expect(
            try key.sign(Array("sample".utf8), nonce: .deterministic)
                == hex(
                    "00C328FAFCBD79DD77850370C46325D987CB525569FB63C5D3BC53950E6D4C5F174E25A1EE9017B5D450606ADD152B534931D7D4E8455CC91F9B15BF05EC36E377FA"
                )
                + hex(
                    "00617CCE7CF5064806C467F678D3B4080D6F1CC50AF26CA209417308281B68AF282623EAA63E5B5C0723D8B8C37FF0777B1A20F8CCB1DCCC43997F1EE0E44DA4A67A"
                ))
    }

    @Test(arguments: Curve.allCases.filter(\.canSign), [SignatureNonce.random, .deterministic])
    func whatAKeySignsItsPublicKeyVerifies(_ curve: Curve, _ nonce: SignatureNonce) throws {
        let key = try PrivateKey.generate(curve, random: CountingRandom(start: 7))
        let message = Array("the message".utf8)
        let signature = try key.sign(message, nonce: nonce)
        #expect(signature.count == curve.signatureSize)
        #expect(key.publicKey.verify(signature: signature, message: message))
        #expect(key.publicKey.verify(signature: signature, parts: [Array("the ".utf8), [], Array("message".utf8)]))
        #expect(!key.publicKey.verify(signature: signature, message: message + [0]))
        #expect(!key.publicKey.verify(signature: signature + [0], message: message))
        #expect(!key.publicKey.verify(signature: [], message: message))
        for bit in stride(from: 0, to: signature.count * 8, by: 13) {
            #expect(!key.publicKey.verify(signature: signature.flippingBit(bit), message: message))
        }
        let der = try key.signDER(message, nonce: nonce)
        #expect(key.publicKey.verifyDER(signature: der, message: message))
        #expect(!key.publicKey.verifyDER(signature: der + [0], message: message))
    }

    @Test func deterministicSignaturesRepeatAndRandomOnesDoNot() throws {
        let key = try PrivateKey.generate(.brainpoolP320r1, random: CountingRandom(start: 1))
        #expect(try key.sign([1, 2, 3], nonce: .deterministic) == key.sign([1, 2, 3], nonce: .deterministic))
        #expect(try key.sign([1, 2, 3]) != key.sign([1, 2, 3]))
    }

    @Test func signatureFormsConvertBothWays() throws {
        let raw = [UInt8](repeating: 0, count: 31) + [1] + [UInt8](repeating: 0xFF, count: 32)
        let der = try ECDSASignature.der(fromRaw: raw, curve: .p256)
        #expect(der == [0x30, 0x26, 0x02, 0x01, 0x01, 0x02, 0x21, 0x00] + [UInt8](repeating: 0xFF, count: 32))
        #expect(try ECDSASignature.raw(fromDER: der, curve: .p256) == raw)
        #expect(throws: CryptoError.malformedSignature) { try ECDSASignature.raw(fromDER: der + [0], curve: .p256) }
        #expect(throws: CryptoError.malformedSignature) { try ECDSASignature.raw(fromDER: [0x30, 0x80], curve: .p256) }
        #expect(throws: CryptoError.malformedSignature) { try ECDSASignature.der(fromRaw: [1], curve: .p256) }
    }
}

@Suite struct AgreementTests {
    // RFC 7748 §6.1.
    @Test func x25519IsThatOfRFC7748() throws {
        let alice = try PrivateKey(
            curve: .x25519, scalar: hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
        let bob = try PrivateKey(
            curve: .x25519, scalar: hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
        #expect(alice.publicKey.point == hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"))
        let secret = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
        #expect(try alice.agree(with: bob.publicKey) == secret)
        #expect(try bob.agree(with: alice.publicKey) == secret)
    }

    @Test(arguments: Curve.allCases.filter(\.canAgree))
    func bothSidesAgreeOnOneSecret(_ curve: Curve) throws {
        let alice = try PrivateKey.generate(curve, random: CountingRandom(start: 1))
        let bob = try PrivateKey.generate(curve, random: CountingRandom(start: 99))
        let secret = try alice.agree(with: bob.publicKey)
        #expect(secret == (try bob.agree(with: alice.publicKey)))
        #expect(secret.count == curve.fieldSize)
    }

    @Test func pointsOfSmallOrderAreRefused() throws {
        let key = try PrivateKey.generate(.x25519, random: CountingRandom(start: 1))
        let zero = try PublicKey(curve: .x25519, point: [UInt8](repeating: 0, count: 32))
        #expect(throws: CryptoError.weakSharedSecret(.x25519)) { try key.agree(with: zero) }
        let key448 = try PrivateKey.generate(.x448, random: CountingRandom(start: 1))
        let one = try PublicKey(curve: .x448, point: [1] + [UInt8](repeating: 0, count: 55))
        #expect(throws: CryptoError.weakSharedSecret(.x448)) { try key448.agree(with: one) }
    }

    @Test func keysOfDifferentOrUnfitCurvesDoNotAgree() throws {
        let p256 = try PrivateKey.generate(.p256, random: CountingRandom(start: 1))
        let p384 = try PrivateKey.generate(.p384, random: CountingRandom(start: 1))
        let ed25519 = try PrivateKey.generate(.ed25519, random: CountingRandom(start: 1))
        let x25519 = try PrivateKey.generate(.x25519, random: CountingRandom(start: 1))
        #expect(throws: CryptoError.curveMismatch(own: .p256, peer: .p384)) { try p256.agree(with: p384.publicKey) }
        #expect(throws: CryptoError.cannotAgree(.ed25519)) { try ed25519.agree(with: ed25519.publicKey) }
        #expect(throws: CryptoError.cannotSign(.x25519)) { try x25519.sign([1]) }
        #expect(!x25519.publicKey.verify(signature: [UInt8](repeating: 1, count: 64), message: [1]))
    }
}

@Suite struct KeyFormTests {
    @Test(arguments: Curve.allCases)
    func everyFormOfAPublicKeyIsTheSameKey(_ curve: Curve) throws {
        let key = try PrivateKey.generate(curve, random: CountingRandom(start: 3)).publicKey
        #expect(try PublicKey(curve: curve, point: key.point) == key)
        #expect(try PublicKey(curve: curve, x: key.x, y: key.y) == key)
        #expect(try PublicKey(spki: key.spki) == key)
        if curve.isWeierstrass, let last = key.y.last {
            #expect(try PublicKey(curve: curve, x: key.x, yIsOdd: last & 1 == 1) == key)
            #expect(try PublicKey(curve: curve, x: key.x, yIsOdd: last & 1 == 0) != key)
        }
    }

    @Test(arguments: Curve.allCases.filter(\.isWeierstrass))
    func pointsOffTheCurveAreRefused(_ curve: Curve) throws {
        let key = try PrivateKey.generate(curve, random: CountingRandom(start: 3)).publicKey
        let wrong = key.point.flippingBit(8 * key.point.count - 8)
        #expect(throws: CryptoError.invalidPoint(curve)) { try PublicKey(curve: curve, point: wrong) }
        #expect(throws: CryptoError.invalidPoint(curve)) { try PublicKey(curve: curve, point: [0]) }
        #expect(throws: CryptoError.invalidPoint(curve)) { try PublicKey(curve: curve, point: []) }
        #expect(throws: CryptoError.invalidPoint(curve)) { try PublicKey(curve: curve, point: [6] + key.point.dropFirst()) }
        #expect(throws: CryptoError.invalidPoint(curve)) { try PublicKey(curve: curve, point: Array(key.point.dropLast())) }
        #expect(throws: CryptoError.invalidPoint(curve)) { try PublicKey(curve: curve, x: key.x, y: Array(key.y.dropLast())) }
        #expect(throws: CryptoError.self) { try PublicKey(spki: Array(key.spki.dropLast()) + [key.spki[key.spki.count - 1] ^ 1]) }
    }

    @Test(arguments: Curve.allCases.filter(\.isWeierstrass))
    func scalarsOutsideTheGroupAreRefused(_ curve: Curve) {
        let size = curve.fieldSize
        #expect(throws: CryptoError.invalidScalar(curve)) {
            try PrivateKey(curve: curve, scalar: [UInt8](repeating: 0, count: size))
        }
        #expect(throws: CryptoError.invalidScalar(curve)) {
            try PrivateKey(curve: curve, scalar: [UInt8](repeating: 255, count: size))
        }
        #expect(throws: CryptoError.invalidScalar(curve)) { try PrivateKey(curve: curve, scalar: [1]) }
    }

    @Test func oneSeedMakesOneKey() throws {
        for curve in Curve.allCases {
            let first = try PrivateKey.generate(curve, random: CountingRandom(start: 5))
            #expect(try PrivateKey.generate(curve, random: CountingRandom(start: 5)).publicKey == first.publicKey)
            #expect(try PrivateKey.generate(curve, random: CountingRandom(start: 6)).publicKey != first.publicKey)
        }
    }

    @Test func anUnknownKeyTypeIsNamedAsSuch() {
        #expect(throws: CryptoError.self) { try PublicKey(spki: [0x30, 0x00]) }
    }
}
