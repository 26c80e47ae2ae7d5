import Codec
import OpenID
import Ports

/// Issuers that a home knows by name, each with the options of `holder accept` that go with it: `issuers.json`, an object of objects.
///
///     { "city": { "issuer": "https://issuer.example", "dpop": "required", "attest-keys": true, "language": ["de", "en"] } }
struct IssuerProfiles: Sendable {
    struct Profile: Sendable, Equatable {
        let name: String
        let issuer: String
        /// Values by option, as the parser gives them.
        let values: [String: [[String]]]
    }

    private(set) var profiles: [Profile] = []

    private static let file = "issuers.json"
    private static let mend = "mend or remove the file; `holder issuer add` writes it"

    /// What belongs to one issuance, not to an issuer.
    private static let ofOnce: Set<String> = ["tx-code", "type", "issuer", "wait"]

    /// The options that a profile may hold.
    static let options = ownOptions + networkOptions

    /// Those of `holder accept`.
    static let ownOptions = HolderAccept.options.filter { !ofOnce.contains($0.name) }

    /// The options of every command that belong to an issuer, too.
    private static let networkOptions = GlobalOptions.all.filter { ["allow-private", "tls-ca"].contains($0.name) }

    /// Reads the profiles of a home; none where there is no file.
    /// - Throws: exit code 3 when the file cannot be read, or holds what is no profile.
    init(home: Home) throws(CommandError) {
        let path = home.file(Self.file)
        guard Files.exists(path) else { return }
        let bytes = try Files.read(path, limit: 1 << 20)
        let json: JSON
        do { json = try JSON.decode(bytes) } catch { throw .environment("\(path): \(error)", hint: Self.mend) }
        guard let object = json.objectValue else { throw .environment("\(path): no JSON object", hint: Self.mend) }
        for (name, value) in object {
            do throws(CommandError) { profiles.append(try Self.profile(name, value)) } catch {
                throw .environment("\(path): \(name): \(error.what)", hint: Self.mend)
            }
        }
    }

    private static func profile(_ name: String, _ json: JSON) throws(CommandError) -> Profile {
        guard let object = json.objectValue, let issuer = json["issuer"]?.stringValue else {
            throw CommandError("there is no issuer")
        }
        var values: [String: [[String]]] = [:]
        for (option, value) in object where option != "issuer" {
            guard let known = options.first(where: { $0.name == option }) else {
                throw CommandError("\(option) is no option of holder accept")
            }
            let texts = (value.arrayValue ?? [value]).compactMap {
                $0.stringValue ?? $0.intValue.map(String.init) ?? ($0.boolValue == true ? "" : nil)
            }
            guard !texts.isEmpty, texts.allSatisfy({ $0.isEmpty == known.isFlag }) else {
                throw CommandError("\(option) has no usable value")
            }
            for text in texts {
                if !known.isFlag, let problem = known.kind.problem(with: text) { throw CommandError("\(option): \(problem.what)") }
                values[option, default: []].append(known.isFlag ? [] : [text])
            }
        }
        return Profile(name: name, issuer: issuer, values: values)
    }

    /// The profile of this name, or of the issuer with this identifier.
    func find(_ nameOrIssuer: String) -> Profile? {
        profiles.first { $0.name == nameOrIssuer } ?? profiles.first { $0.issuer == nameOrIssuer }
    }

    /// Puts a profile in the place of the one of its name, if there is one.
    mutating func set(_ profile: Profile) {
        remove(profile.name)
        profiles.append(profile)
    }

    @discardableResult
    mutating func remove(_ name: String) -> Bool {
        let count = profiles.count
        profiles.removeAll { $0.name == name }
        return profiles.count < count
    }

    func save(in home: Home) throws(CommandError) {
        try home.make()
        let object = JSONObject(profiles.map { (key: $0.name, value: .object($0.json)) })
        try Files.write(Array("\(JSON.object(object).encoded(pretty: true))\n".utf8), to: home.file(Self.file), mode: 0o600)
    }
}

extension IssuerProfiles.Profile {
    var json: JSONObject {
        var object: JSONObject = ["issuer": .string(issuer)]
        for (name, given) in values.sorted(by: { $0.key < $1.key }) {
            let texts = given.flatMap { $0 }
            object[name] = texts.isEmpty ? true : texts.count == 1 ? .string(texts[0]) : .array(texts.map { .string($0) })
        }
        return object
    }
}

extension Invocation {
    /// The same command with the profile's options, where the command line says nothing.
    func following(_ profile: IssuerProfiles.Profile) -> Invocation {
        var parsed = parsed
        for (name, value) in profile.values where parsed.values[name] == nil { parsed.values[name] = value }
        if parsed.values["issuer"] != nil { parsed.values["issuer"] = [[profile.issuer]] }
        return Invocation(parsed: parsed, context: context.with(NetworkUse(parsed)))
    }
}

/// `walletbench holder issuer …`
enum HolderIssuer {
    static let command = Command(
        name: "issuer", summary: "keep issuers by name, with the options that go with each",
        discussion: """
            `holder accept` takes the name in the place of --issuer. An offer of an issuer that is kept is accepted with its options, too; \
            what the command line says goes before them.
            """,
        subcommands: [add, list, remove])

    private static let add = Command(
        name: "add", summary: "keep an issuer, or change what is kept",
        examples: [
            Example("walletbench holder issuer add city --issuer https://issuer.example --dpop required --copies 5"),
            Example("walletbench holder accept --issuer city --type mdl", "then"),
        ],
        options: [.value("issuer", "URL", "The issuer's identifier")] + IssuerProfiles.ownOptions,
        arguments: [Argument("NAME", "What it is called here")]
    ) { invocation in
        let issuer = try invocation.required("issuer")
        guard (try? WellKnown.credentialIssuer.url(of: issuer)) != nil else {
            throw CommandError.usage("--issuer \(issuer): an http or https URL is needed")
        }
        let names = Set(IssuerProfiles.options.map(\.name))
        let profile = IssuerProfiles.Profile(
            name: invocation.argument, issuer: issuer, values: invocation.parsed.values.filter { names.contains($0.key) })
        var profiles = try IssuerProfiles(home: invocation.context.home)
        profiles.set(profile)
        try profiles.save(in: invocation.context.home)
        invocation.console.answer(["issuers": [row(profile)]]) { text(profile) }
        return .done
    }

    private static let list = Command(
        name: "list", summary: "list the issuers that are kept", examples: [Example("walletbench holder issuer list")]
    ) { invocation in
        let profiles = try IssuerProfiles(home: invocation.context.home).profiles
        invocation.console.answer(["issuers": .array(profiles.map(row))]) {
            profiles.isEmpty ? "no issuers yet" : profiles.map(text).joined(separator: "\n")
        }
        return .done
    }

    private static let remove = Command(
        name: "remove", summary: "forget an issuer; its documents stay",
        examples: [Example("walletbench holder issuer remove city")],
        arguments: [Argument("NAME", "The issuer")]
    ) { invocation in
        var profiles = try IssuerProfiles(home: invocation.context.home)
        guard profiles.remove(invocation.argument) else {
            throw CommandError.refused(
                "no issuer is called \(invocation.argument)",
                hint: "there are \(profiles.profiles.map(\.name).joined(separator: ", "))")
        }
        try profiles.save(in: invocation.context.home)
        invocation.console.answer(["removed": .string(invocation.argument)]) { "removed \(invocation.argument)" }
        return .done
    }

    private static func row(_ profile: IssuerProfiles.Profile) -> JSON {
        var options = profile.json
        options["issuer"] = nil
        return ["name": .string(profile.name), "issuer": .string(profile.issuer), "options": .object(options)]
    }

    private static func text(_ profile: IssuerProfiles.Profile) -> String {
        let options = profile.values.sorted { $0.key < $1.key }.map { name, given in
            let texts = given.flatMap { $0 }
            return texts.isEmpty ? "--\(name)" : texts.map { "--\(name) \($0)" }.joined(separator: " ")
        }
        return ([profile.name, profile.issuer] + options).joined(separator: "  ")
    }
}
