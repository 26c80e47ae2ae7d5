import Codec

/// Global options that a home keeps: `settings.json` in it, an object of option names and values. The command line goes before it.
struct Settings: Sendable {
    /// Options that may be kept.
    static let names = [
        "skew", "edition", "trust", "trust-policy", "trust-for", "status-policy", "status-for", "status-source", "log-level",
        "log-file",
    ]

    private(set) var values: [(name: String, value: String)] = []

    /// Reads a home's settings; none when there is no file.
    /// - Throws: exit code 3 when the file cannot be read, is no JSON object, or holds what is no setting.
    init(home: Home) throws(CommandError) {
        let path = home.file(Self.file)
        guard Files.exists(path) else { return }
        let bytes = try Files.read(path, limit: 1 << 16)
        let json: JSON
        do { json = try JSON.decode(bytes) } catch { throw .environment("\(path): \(error)", hint: Self.mend) }
        guard let object = json.objectValue else { throw .environment("\(path): no JSON object", hint: Self.mend) }
        for (name, value) in object {
            guard let text = value.stringValue ?? value.intValue.map(String.init) else {
                throw .environment("\(path): \(name) is neither text nor number", hint: Self.mend)
            }
            do throws(CommandError) { try set(name, text) } catch {
                throw .environment("\(path): \(error.what)", hint: error.hint ?? Self.mend)
            }
        }
    }

    subscript(_ name: String) -> String? { values.first { $0.name == name }?.value }

    /// - Throws: exit code 2 when there is no such setting or the value does not fit.
    mutating func set(_ name: String, _ value: String) throws(CommandError) {
        guard Self.names.contains(name), let option = GlobalOptions.all.first(where: { $0.name == name }) else {
            let near = Suggestion.nearest(to: name, among: Self.names).map { "did you mean '\($0)'? " } ?? ""
            throw .usage("'\(name)' is no setting", hint: "\(near)one of: \(Self.names.joined(separator: ", "))")
        }
        if let problem = option.kind.problem(with: value) { throw .usage("\(name): \(problem.what)", hint: problem.hint) }
        unset(name)
        values.append((name, value))
    }

    mutating func unset(_ name: String) { values.removeAll { $0.name == name } }

    func save(in home: Home) throws(CommandError) {
        try home.make()
        let object = JSONObject(values.map { (key: $0.name, value: JSON.string($0.value)) })
        try Files.write(Array("\(JSON.object(object).encoded(pretty: true))\n".utf8), to: home.file(Self.file), mode: 0o600)
    }

    private static let file = "settings.json"
    private static let mend = "mend or remove the file; `config set` writes it"
}
