import Codec
import Credentials
import Crypto
import Ports
import Vault

/// One run of `issuer mint --format dc+sd-jwt`.
struct SDJWTMinting {
    private let invocation: Invocation
    private let signer: MintSigner
    private let type: String
    private let claims: JSONObject
    private let frame: DisclosureFrame
    private let status: MintStatus

    init(_ invocation: Invocation) throws(CommandError) {
        let context = invocation.context
        self.invocation = invocation
        try Self.refuseOptions(invocation)
        let name = try invocation.required("type")
        type = name == "pid" ? Self.identificationType : name
        guard type != name || name.contains(":") else {
            throw .usage(
                "--type \(name): no such type", hint: "pid, or a vct such as https://issuer.example/ticket or urn:example:ticket")
        }
        signer = try MintSigner(invocation)
        try signer.refuseFaults(outside: SDJWTVC.mediaType)
        let now = context.clock.now().wholeSeconds
        try signer.checkValidity(at: now)
        let end = signer.validUntil(now.adding(days: invocation.integer("valid-days") ?? 90))
        var claims: JSONObject = [
            "vct": .string(type), "iat": .integer(now.secondsSince1970), "nbf": .integer(now.secondsSince1970),
            "exp": .integer(end.secondsSince1970),
        ]
        for (name, value) in try Self.content(invocation, signer.certificate, isPerson: name == "pid", at: now) {
            claims[name] = value
        }
        self.claims = claims
        frame = try Self.frame(invocation, claims)
        status = try MintStatus(invocation, fault: signer.status)
        try status.publishRevocations(of: signer.certificate)
    }

    /// The document for the key that the command line names, or for keys that the wallet makes.
    func run() async throws(CommandError) -> ExitCode {
        invocation.flag("to-holder") ? try await toHolder() : try await toFile()
    }

    private static let identificationType = "urn:eudi:pid:1"

    /// Options that mean something for an mdoc only are no way to ask for an SD-JWT.
    private static func refuseOptions(_ invocation: Invocation) throws(CommandError) {
        for name in ["portrait-size"] where invocation.string(name) != nil {
            throw .usage("--\(name): not with dc+sd-jwt")
        }
        guard invocation.strings("authorize").isEmpty else { throw .usage("--authorize: not with dc+sd-jwt") }
    }

    /// A specimen person, the claims of a file, or both with the file on top.
    private static func content(
        _ invocation: Invocation, _ signer: Certificate, isPerson: Bool, at time: Timestamp
    ) throws(CommandError) -> JSONObject {
        let file = try invocation.string("claims").map { path throws(CommandError) -> JSONObject in
            let input = try InputReader.read(path)
            guard let object = try input.json(as: "a JSON object of claims").objectValue else {
                throw .refused("\(input.origin): no JSON object of claims")
            }
            return object
        }
        let specimen = invocation.string("specimen").flatMap(Specimen.named) ?? (file == nil && isPerson ? .mira : nil)
        guard specimen == nil || isPerson else {
            throw .usage("--specimen: specimens of SD-JWT documents are for pid only", hint: "give the values with --claims FILE")
        }
        guard specimen != nil || file != nil else {
            throw .usage("a document of this type needs values", hint: "give them with --claims FILE")
        }
        let subject = signer.subject
        let issuer = SpecimenIssuer(
            country: subject.attribute(.countryName)?.text ?? "UT", jurisdiction: subject.attribute(.stateOrProvinceName)?.text,
            authority: subject.attribute(.organizationName)?.text ?? "Test issuer")
        var claims = specimen?.identificationClaims(issuer: issuer, at: time) ?? JSONObject()
        for (name, value) in file ?? JSONObject() { claims[name] = value }
        return claims
    }

    private static func frame(_ invocation: Invocation, _ claims: JSONObject) throws(CommandError) -> DisclosureFrame {
        guard let path = invocation.string("frame") else {
            return .everyMember(of: claims, except: SDJWTVC.neverDisclosable.union(["iat"]))
        }
        let input = try InputReader.read(path)
        do { return try DisclosureFrame(input.json(as: "a disclosure frame")) } catch let error as SDJWTError {
            throw .refused("\(input.origin): \(error)")
        } catch { throw error as? CommandError ?? .refused("\(input.origin): \(error)") }
    }

    private func facts(of token: SDJWT) -> JSONObject {
        [
            "format": .string(SDJWTVC.mediaType), "type": .string(type),
            "signer": [
                "subject": .string(signer.certificate.subject.description),
                "sha256": .string(Hex.encode(signer.certificate.sha256)),
            ],
            "claims": .array(claims.keys.map { .string($0) }), "disclosures": .integer(Int64(token.disclosures.count)),
        ]
    }

    private func summary(of token: SDJWT) -> String {
        "\(type): \(claims.count) claims, \(token.disclosures.count) disclosures\nsigned by \(signer.certificate.subject)"
    }

    /// The SD-JWT into a file or onto stdout.
    private func toFile() async throws(CommandError) -> ExitCode {
        let key = try KeyFile.publicKey(invocation.required("device-key"))
        let issued = try await status.issue(type: type, copies: 1)
        let token = try await mint(for: key, issued?.references.first)
        var answer = facts(of: token)
        if let issued { answer.append("status", issued.entry.json) }
        guard let path = invocation.string("out"), path != "-" else {
            answer.append("credential", .string(token.compact))
            invocation.console.answer(answer) { token.compact }
            return .done
        }
        try Files.write(Array(token.compact.utf8), to: path)
        answer.append("out", .string(path))
        invocation.console.answer(answer) { "\(summary(of: token))\nwritten to \(path)" }
        return .done
    }

    /// For keys that the wallet makes: one copy for each.
    private func toHolder() async throws(CommandError) -> ExitCode {
        let context = invocation.context
        let wallet = try Wallet(context, creating: true)
        let options = KeyOptions(
            batch: invocation.integer("batch") ?? 1, unlock: try await KeyGate(invocation, wallet).minting(type))
        let keys = try await keyCall { () async throws(KeyStoreError) in try await wallet.keys.createBatch(options) }
        var copies: [SDJWT] = []
        var issued: MintStatus.Issued?
        do throws(CommandError) {
            issued = try await status.issue(type: type, copies: keys.count)
            for (place, key) in keys.enumerated() {
                copies.append(try await mint(for: key.publicKey, issued?.references[place]))
            }
        } catch {
            for key in keys { try? await wallet.keys.delete(key.id) }
            throw error
        }
        let stored = try await wallet.add(
            sdJWT: zip(copies, keys).map { (Array($0.compact.utf8), $1.id) }, displayName: invocation.string("name"),
            policy: invocation.string("policy").flatMap(StoredDocument.UsePolicy.init) ?? .rotate, at: context.clock.now(),
            random: context.random)
        guard let first = copies.first else { return .done }
        var answer = facts(of: first)
        if let issued { answer.append("status", issued.entry.json) }
        answer.append("id", .string(stored.id))
        answer.append("copies", .integer(Int64(copies.count)))
        if let path = invocation.string("out"), path != "-" {
            try Files.write(Array(first.compact.utf8), to: path)
            answer.append("out", .string(path))
        }
        invocation.console.answer(answer) { "\(summary(of: first))\nin the wallet as \(stored.id)" }
        return .done
    }

    private func mint(for key: PublicKey, _ reference: StatusReference?) async throws(CommandError) -> SDJWT {
        let context = invocation.context
        var claims = claims
        claims["cnf"] = ["jwk": .object(key.jwk)]
        if let status = reference.flatMap(status.json) { claims["status"] = status }
        let hashes: [String: SDHash] = ["sha-256": .sha256, "sha-384": .sha384, "sha-512": .sha512]
        do {
            let key = try JWSSigner(signer.signing.key, nonce: context.isDeterministic ? .deterministic : .random)
            var issuer = SDJWTIssuer(
                signer: key, certificates: [signer.certificate], hash: hashes[invocation.string("digest") ?? ""] ?? .sha256,
                random: context.random)
            issuer.tampering = signer.tampering
            issuer.root = signer.identity.root
            return try await issuer.issueVC(claims, frame: frame)
        } catch { throw .refused("\(error)") }
    }
}
