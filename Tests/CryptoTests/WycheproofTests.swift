import Codec
import Crypto
import TestSupport
import Testing

/// Project Wycheproof, one case per result and kind of flaw; all of its cases run in `walletbench selfcheck --vectors`.
@Suite struct WycheproofTests {
    private let files: JSON

    init() throws {
        files = try #require(try Fixture.json("crypto/wycheproof.json")["files"])
    }

    private func bytes(_ json: JSON, _ member: String) throws -> [UInt8] {
        try Hex.decode(#require(json[member]?.stringValue))
    }

    /// Checks every case of a file against its published result; `body` says whether the operation was accepted.
    private func judge(_ file: String, _ body: (_ group: JSON, _ test: JSON) throws -> Bool) throws {
        let cases = try #require(files[file]?.arrayValue)
        #expect(cases.contains { $0["test"]?["result"]?.stringValue == "valid" })
        for entry in cases {
            let (group, test) = (try #require(entry["group"]), try #require(entry["test"]))
            let result = try #require(test["result"]?.stringValue)
            let accepted = try body(group, test)
            #expect(result == "acceptable" || accepted == (result == "valid"), "\(file) \(test["tcId"]?.intValue ?? 0)")
        }
    }

    private func isAccepted(_ body: () throws -> Bool) throws -> Bool {
        do { return try body() } catch is CryptoError { return false }
    }

    @Test(arguments: ["ecdsa_secp256r1_sha256_p1363", "ecdsa_brainpoolP384r1_sha384_p1363"])
    func rawSignaturesAreJudgedAsPublished(_ file: String) throws {
        try judge(file) { group, test in
            try PublicKey(spki: bytes(group, "publicKeyDer")).verify(signature: bytes(test, "sig"), message: bytes(test, "msg"))
        }
    }

    @Test func derSignaturesAreJudgedAsPublished() throws {
        try judge("ecdsa_secp256r1_sha256") { group, test in
            try PublicKey(spki: bytes(group, "publicKeyDer")).verifyDER(signature: bytes(test, "sig"), message: bytes(test, "msg"))
        }
    }

    @Test func edwardsSignaturesAreJudgedAsPublished() throws {
        try judge("ed25519") { group, test in
            try PublicKey(spki: bytes(group, "publicKeyDer")).verify(signature: bytes(test, "sig"), message: bytes(test, "msg"))
        }
    }

    @Test func sealedMessagesAreJudgedAsPublished() throws {
        try judge("aes_gcm") { _, test in
            try isAccepted {
                let sealed = try bytes(test, "ct") + bytes(test, "tag")
                let opened = try AESGCM(key: bytes(test, "key")).open(sealed, nonce: bytes(test, "iv"), aad: bytes(test, "aad"))
                return try opened == bytes(test, "msg")
            }
        }
    }

    // NIST SP 800-38D allows nonces of any length; OpenSSL 3.0 stops at 128 bytes. Wycheproof aes_gcm tcId 268.
    @Test func nonces257BytesLongAreServed() throws {
        let cipher = try AESGCM(key: hex("eac3f28cd937ff29eb6158a3721b5145"))
        let nonce = hex(
            "6fd260bba87339539c37dc68fdc3656f63c83028cb8adcb531085e98bd570c6b735d0cc4b4b924696000a2d893621ae64dcce992b562b89a"
                + "5285643a08febccbc52243cbfc8d45212e047b00c87c6b6bf175f8bb678ec55c1091315cbecb8b85700f4a4653623fb78e63cfff7d6235e4"
                + "8e9832c9f0716d10992fc5b0ad4e6972bbeeb1ad670cd7ec8fac82e07ea5a64f9761a39714aaa73affd2cb190a7ac2df5e5dcea6812ae2c8"
                + "72c7ac70453c5e7ec4d0b5b18c6ff3bfb9ae15fea44cf392615b80034edae596b8821f97fca58d167fb44a093b0c009a0bd5631355b0cb25"
                + "d93ba9b79b006301d99db657e801933fc2764a0ce650eaf5a1299efe60cb53b634")
        let message = hex("098912a302773377b9c26ac3")
        let sealed = hex("e3be947153a26a3a54e3015cfd042bdde22f67c4fd298d5dc0867606")
        #expect(try cipher.seal(message, nonce: nonce) == sealed)
        #expect(try cipher.open(sealed, nonce: nonce) == message)
        for bit in 0..<sealed.count * 8 {
            #expect(throws: CryptoError.authenticationFailed) { try cipher.open(sealed.flippingBit(bit), nonce: nonce) }
        }
        #expect(throws: CryptoError.authenticationFailed) { try cipher.open(sealed, nonce: nonce, aad: [0]) }
    }

    @Test func sharedSecretsAreThosePublished() throws {
        try judge("x25519") { _, test in
            try isAccepted {
                let key = try PrivateKey(curve: .x25519, scalar: bytes(test, "private"))
                return try key.agree(with: PublicKey(curve: .x25519, point: bytes(test, "public"))) == bytes(test, "shared")
            }
        }
        try judge("ecdh_secp256r1_ecpoint") { _, test in
            try isAccepted {
                let digits = try bytes(test, "private").drop { $0 == 0 }
                let scalar = [UInt8](repeating: 0, count: max(0, 32 - digits.count)) + digits
                let key = try PrivateKey(curve: .p256, scalar: scalar)
                return try key.agree(with: PublicKey(curve: .p256, point: bytes(test, "public"))) == bytes(test, "shared")
            }
        }
    }
}
