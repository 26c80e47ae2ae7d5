import Codec
import Credentials
import Crypto
import Ports

/// The values of a document that `issuer mint` is to make.
struct MintClaims {
    let claims: Claims

    init(_ invocation: Invocation, type: DocumentKind, signer: Certificate) throws(CommandError) {
        var claims = Claims()
        if let specimen = try Self.specimen(invocation, type) {
            claims = try Self.claims(of: specimen, type, signer, invocation.context.clock.now())
        }
        if let file = invocation.string("claims") { claims = claims.merging(try Self.claims(inFile: file, type)) }
        if let size = invocation.integer("portrait-size") { claims = try Self.padding(claims, to: size) }
        self.claims = claims
    }

    private static func specimen(_ invocation: Invocation, _ type: DocumentKind) throws(CommandError) -> Specimen? {
        if let name = invocation.string("specimen") {
            guard type.definition != nil else {
                throw .usage(
                    "--specimen \(name): there are no specimens of \(type.docType)", hint: "give the values with --claims FILE")
            }
            return Specimen.named(name)
        }
        guard invocation.string("claims") == nil else { return nil }
        guard type.definition != nil else {
            throw .usage("a document of type \(type.docType) needs values", hint: "give them with --claims FILE")
        }
        return .mira
    }

    /// The issuer that the values name is the one that signs: readers compare the two.
    private static func claims(
        of person: Specimen, _ type: DocumentKind, _ signer: Certificate, _ time: Timestamp
    ) throws(CommandError) -> Claims {
        let subject = signer.subject
        let country = subject.attribute(.countryName)?.text ?? "UT"
        let issuer = SpecimenIssuer(
            country: country, jurisdiction: subject.attribute(.stateOrProvinceName)?.text,
            authority: subject.attribute(.organizationName)?.text ?? "Test issuer")
        guard let definition = type.definition, let json = person.claims(for: definition, issuer: issuer, at: time) else {
            return Claims()
        }
        do { return try Claims(json, definition: definition) } catch { throw .refused("\(error)") }
    }

    private static func claims(inFile path: String, _ type: DocumentKind) throws(CommandError) -> Claims {
        let input = try InputReader.read(path)
        let folder = path.contains("/") && Files.exists(path) ? String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]) : "."
        let json = try embeddingFiles(in: input.json(as: "a JSON object of claims"), folder)
        do { return try Claims(json, definition: type.definition) } catch { throw .refused("\(input.origin): \(error)") }
    }

    /// `{"file": "portrait.jpg"}` becomes the bytes of that file; relative paths start at the folder of the claims.
    private static func embeddingFiles(in json: JSON, _ folder: String) throws(CommandError) -> JSON {
        switch json {
        case .object(let members):
            if members.count == 1, let name = members["file"]?.stringValue {
                let bytes = try Files.read(name.hasPrefix("/") ? name : "\(folder)/\(name)", limit: 8 << 20)
                return ["bytes": .string(Base64URL.encode(bytes))]
            }
            var object = JSONObject()
            for (name, value) in members { object.append(name, try embeddingFiles(in: value, folder)) }
            return .object(object)
        case .array(let elements):
            return .array(try elements.map { (element) throws(CommandError) in try embeddingFiles(in: element, folder) })
        default: return json
        }
    }

    private static func padding(_ claims: Claims, to size: Int) throws(CommandError) -> Claims {
        for (nameSpace, elements) in claims.nameSpaces {
            guard let portrait = elements.first(where: { $0.identifier == "portrait" }), let picture = try? portrait.value.bytes()
            else { continue }
            let padded = JPEGPadding.pad(picture, to: size)
            guard padded.count == size else {
                throw .usage("--portrait-size \(size): the portrait has \(picture.count) bytes and cannot become this size")
            }
            var larger = claims
            larger.set("portrait", in: nameSpace, to: .bytes(padded))
            return larger
        }
        throw .usage("--portrait-size: the document has no portrait")
    }
}
