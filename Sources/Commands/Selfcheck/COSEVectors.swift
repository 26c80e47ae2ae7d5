import Codec
import Credentials
import Crypto

/// COSE: `cose/*.json`.
struct COSEVectors: VectorSuite {
    func matches(_ path: String) -> Bool { Self.kinds.keys.contains { path == "cose/\($0)" } }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        guard let kind = Self.kinds[file.name] else { return [] }
        return try await kind(try file.json())
    }

    private typealias Kind = @Sendable (JSON) async throws -> [VectorCase]

    private static let kinds: [String: Kind] = [
        "cose-wg-sign1.json": { try await cases($0) { try example($0) } },
        "cose-wg-mac0.json": { try await cases($0) { try example($0) } },
        "cose-wg-rfc8152-cwt.json": { try await cases($0) { try singleProof($0) } },
        "cose-wg-x509.json": { json in try await cases(json) { try withCertificate($0, json) } },
        "gluecose-sign1.json": { try await cases($0) { try await gluecose($0) } },
        "cose-key.json": { try await keys($0) },
    ]

    private static func cases(
        _ json: JSON, _ list: String = "cases", _ body: (JSON) async throws -> Void
    ) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for entry in try json.list(list) {
            let name = entry["file"] ?? entry["id"] ?? entry["kid"]
            results.append(await VectorCase(name?.stringValue ?? "unnamed") { try await body(entry) })
        }
        return results
    }

    // MARK: cose-wg/Examples

    /// Sign1 and Mac0 only; the other structures of this file are not used by any profile here.
    private static func singleProof(_ entry: JSON) throws {
        let input = try member(entry, "input")
        if input["sign"] != nil { throw NotApplicable("COSE_Sign is not used by any profile here") }
        if input["mac"] != nil { throw NotApplicable("COSE_Mac is not used by any profile here") }
        if input["enveloped"] != nil || input["encrypted"] != nil {
            throw NotApplicable("COSE_Encrypt is not used by any profile here")
        }
        try example(entry)
        let message = try CBOR(decoding: try member(entry, "output").hex("cbor"))
        if try entry.text("file").hasPrefix("CWT/"), let claims = try COSESign1(message).payloadContent() {
            try expect(claims[1].text(), equals: "coap://as.example.com", "the issuer (claim 1)")
        }
    }

    private static func example(_ entry: JSON) throws {
        let input = try member(entry, "input")
        let verifies: Bool
        do {
            switch try proofKind(input) {
            case ("sign0", let proof): try sign1(entry, proof)
            case ("sign", let proof): try sign(entry, proof)
            case ("mac0", let proof): try mac0(entry, proof)
            case (_, let proof): try mac(entry, proof)
            }
            verifies = true
        } catch let error where error is COSEError || error is CBORError {
            guard try entry.text("expect") == "reject" else { throw error }
            verifies = false
        }
        try expect(verifies, equals: try entry.text("expect") == "accept", "\"it verifies\"")
    }

    private static func proofKind(_ input: JSON) throws -> (String, JSON) {
        for name in ["sign0", "sign", "mac0", "mac"] {
            if let proof = input[name] { return (name, proof) }
        }
        throw Mismatch("the case has no proof that is known")
    }

    private static func sign1(_ entry: JSON, _ proof: JSON) throws {
        let aad = try external(proof)
        let message = try COSESign1(CBOR(decoding: member(entry, "output").hex("cbor")))
        if try entry.text("expect") == "accept" {
            try expect(
                try message.toBeSigned(externalAAD: aad), equals: try member(entry, "intermediates").hex("ToBeSign_hex"),
                "Sig_structure")
        }
        try message.verify(with: try key(try member(proof, "key")), externalAAD: aad, requiresPair: false)
        try expect(message.encodedCBOR, equals: try member(entry, "output").hex("cbor"), "the message written again")
    }

    private static func sign(_ entry: JSON, _ proof: JSON) throws {
        let message = try COSESign(CBOR(decoding: member(entry, "output").hex("cbor")))
        let signers = try proof.list("signers")
        try expect(message.signatures.count, equals: signers.count, "the number of signatures")
        for (position, (signer, signature)) in zip(signers, message.signatures).enumerated() {
            let published = try member(entry, "intermediates").list("signers")[position]
            try expect(try message.toBeSigned(by: signature), equals: try published.hex("ToBeSign_hex"), "Sig_structure")
            try message.verify(signature, with: try key(try member(signer, "key")), requiresPair: false)
        }
    }

    private static func mac0(_ entry: JSON, _ proof: JSON) throws {
        try requireSupportedMAC(proof)
        let aad = try external(proof)
        let message = try COSEMac0(CBOR(decoding: member(entry, "output").hex("cbor")))
        if try entry.text("expect") == "accept" {
            try expect(
                try message.toBeMaced(externalAAD: aad), equals: try member(entry, "intermediates").hex("ToMac_hex"),
                "MAC_structure")
        }
        try message.verify(key: try macKey(proof), externalAAD: aad)
    }

    private static func mac(_ entry: JSON, _ proof: JSON) throws {
        try requireSupportedMAC(proof)
        let message = try COSEMac(CBOR(decoding: member(entry, "output").hex("cbor")))
        try expect(try message.toBeMaced(), equals: try member(entry, "intermediates").hex("ToMac_hex"), "MAC_structure")
        try message.verify(key: try macKey(proof))
    }

    private static func requireSupportedMAC(_ proof: JSON) throws {
        let name = (proof["protected"]?["alg"] ?? proof["unprotected"]?["alg"] ?? proof["alg"])?.stringValue ?? "none"
        switch name {
        case "HS256/64": throw NotApplicable("HMAC 256/64 is not used by any profile here")
        case let name where name.hasPrefix("AES-MAC"): throw NotApplicable("AES-MAC is not used by any profile here")
        default: return
        }
    }

    private static func macKey(_ proof: JSON) throws -> [UInt8] {
        guard let key = try proof.list("recipients").first?["key"] else { throw Mismatch("the case has no key") }
        return key["k_hex"] == nil ? try Base64URL.decode(try key.text("k")) : try key.hex("k_hex")
    }

    private static func external(_ proof: JSON) throws -> [UInt8] { proof["external"] == nil ? [] : try proof.hex("external") }

    // MARK: RFC 9360

    private static func withCertificate(_ entry: JSON, _ file: JSON) throws {
        try example(entry)
        let named = try member(file, "certificates_der_b64")
        let alice = try Base64.decode(named.text("alice.der"))
        let ca = try Certificate(der: Base64.decode(named.text("ca.der")))
        let message = try COSESign(CBOR(decoding: member(entry, "output").hex("cbor")))
        guard let signature = message.signatures.first else { throw Mismatch("no signature") }
        let headers = signature.unprotected
        if let hash = try headers.x5t {
            try expect(hash.matches(certificate: alice), "x5t is not the hash of alice.der")
            return try message.verify(signature, with: Certificate(der: alice).publicKey())
        }
        let bag = 32
        let chain = try headers.x5chain ?? headers[bag].map { item in try X5Chain(item) }
        guard let chain, let leaf = try chain.certificates.first.map({ try Certificate(der: $0) }) else {
            throw Mismatch("no certificate in the headers")
        }
        try expect(leaf.der, equals: alice, "the certificate in the headers")
        try expect(chain.form, equals: chain.certificates.count == 1 ? .byteString : .array, "the form of the chain")
        try message.verify(signature, with: leaf.publicKey())
        try expect(leaf.isSigned(by: ca), "the certificate is not signed by ca.der")
    }

    // MARK: gluecose

    private static func gluecose(_ entry: JSON) async throws {
        let name = try entry.text("alg")
        if name.hasPrefix("PS") { throw NotApplicable("RSA-PSS is not used by any profile here") }
        guard let algorithm = COSEAlgorithm.allCases.first(where: { $0.name == name }) else { throw Mismatch("algorithm \(name)") }
        if let verification = entry["sign1::verify"] {
            let message = try COSESign1(CBOR(decoding: member(verification, "taggedCOSESign1").hex("cborHex")))
            let valid: Bool
            do {
                try message.verify(with: try key(try member(entry, "key")), externalAAD: try external(verification))
                valid = true
            } catch { valid = false }
            try expect(valid, equals: verification["shouldVerify"]?.boolValue == true, "\"it verifies\"")
        } else {
            try await sign(try member(entry, "sign1::sign"), algorithm, PrivateKey(jwk: try member(entry, "key")))
        }
    }

    /// The published output verifies, and signing the same input makes the same structure but for the random signature.
    private static func sign(_ entry: JSON, _ algorithm: COSEAlgorithm, _ key: PrivateKey) async throws {
        let aad = try external(entry)
        let output = try member(entry, "expectedOutput").hex("cborHex")
        let published = try COSESign1(CBOR(decoding: output))
        try published.verify(with: key.publicKey, externalAAD: aad)
        let protected = try CBOR(decoding: try member(entry, "protectedHeaders").hex("cborHex")).map().filter {
            try $0.key.int() != COSEHeaders.Label.algorithm
        }
        let unprotected = try CBOR(decoding: try member(entry, "unprotectedHeaders").hex("cborHex")).map()
        let tbs = try member(entry, "tbsHex").hex("cborHex")
        let message = try await COSESign1.sign(
            entry.hex("payload"), algorithm: algorithm, protected: protected.map { ($0.key, $0.value) },
            unprotected: COSEHeaders(unprotected.map { ($0.key, $0.value) }), externalAAD: aad, isTagged: true
        ) { toBeSigned in
            try expect(toBeSigned, equals: tbs, "Sig_structure")
            return try key.sign(toBeSigned, hash: algorithm.hash)
        }
        try message.verify(with: key.publicKey, externalAAD: aad)
        let size = key.curve.signatureSize
        try expect(message.encodedCBOR.dropLast(size), equals: output.dropLast(size), "the structure before the signature")
    }

    // MARK: COSE_Key

    private static func keys(_ json: JSON) async throws -> [VectorCase] {
        try await cases(json) { try knownKey($0) } + cases(json, "extra") { try knownKey($0) }
            + cases(json, "negative") { entry in
                let refused: Bool
                do {
                    _ = try COSEKey(CBOR(decoding: entry.hex("cose_key_hex"))).publicKey
                    refused = false
                } catch let error where error is COSEError || error is CBORError { refused = true }
                try expect(refused, "accepted")
            }
    }

    private static func knownKey(_ entry: JSON) throws {
        let key = try COSEKey(CBOR(decoding: entry.hex("cose_key_hex")))
        if let kid = entry["kid"]?.stringValue { try expect(key.keyID ?? [], equals: Array(kid.utf8), "kid") }
        if key.keyType == COSEKey.KeyType.symmetric {
            do {
                _ = try key.publicKey
                throw Mismatch("a symmetric key has no public part")
            } catch COSEError.keyTypeUnsupported { return }
        }
        let publicKey = try key.publicKey
        try expect(try key.privateKey.publicKey == publicKey, "the private part does not belong to the public one")
        guard entry["thumbprint_input_hex"] != nil else { return }
        try expect(COSEKey(publicKey).encodedCBOR, equals: try entry.hex("thumbprint_input_hex"), "thumbprint input")
        try expect(try key.thumbprint(), equals: try entry.hex("rfc9679_sha256_hex"), "thumbprint")
    }

    // MARK: reading the files

    private static func member(_ json: JSON, _ name: String) throws(Mismatch) -> JSON {
        guard let member = json[name] else { throw Mismatch("the case has no \"\(name)\"") }
        return member
    }

    /// The public key of the examples: JWK members, in hexadecimal where the name says so.
    private static func key(_ json: JSON) throws -> PublicKey {
        guard let curve = Curve(rawValue: try json.text("crv")) else { throw Mismatch("curve \(try json.text("crv"))") }
        let coordinate = { (name: String) in
            json["\(name)_hex"] == nil ? try Base64URL.decode(json.text(name)) : try json.hex("\(name)_hex")
        }
        return try PublicKey(curve: curve, x: coordinate("x"), y: curve.isWeierstrass ? coordinate("y") : [])
    }

    let builtIn = [
        // RFC 8152 C.2.1 and RFC 9679 §6.
        VectorFile(
            path: "cose/cose-wg-sign1.json",
            text: """
                {"cases": [{"file": "RFC8152/Appendix_C_2_1", "expect": "accept", "input": {"sign0": {"key": {"crv": "P-256",
                "x": "usWxHK2PmfnHKwXPS54m0kTcGJ90UiglWiGahtagnv8", "y": "IBOL-C3BttVivg-lSreASjpkttcsz-1rb7btKLv8EX4"}}},
                "intermediates": {"ToBeSign_hex":
                "846a5369676e61747572653143a101264054546869732069732074686520636f6e74656e742e"}, "output": {"cbor":
                "d28443a10126a10442313154546869732069732074686520636f6e74656e742e58408eb33e4ca31d1c465ab05aac34cc6b23d58fef5c083106c4d25a91aef0b0117e2af9a291aa32e14ab834dc56ed2a223444547e01f11d3b0916e5a4c345cacb36"
                }}]}
                """),
        VectorFile(
            path: "cose/cose-key.json",
            text: """
                {"cases": [], "extra": [], "negative": [{"id": "point not on the curve", "cose_key_hex":
                "a40102200121582065eda5a12577c2bae829437fe338701a10aaa375e1bb5b5de108de439c08551d2258201e52ed75701163f7f9e40ddf9f341b3dc9ba860af7e0ca7ca7e9eecd0084d19d"
                }]}
                """),
    ]
}
