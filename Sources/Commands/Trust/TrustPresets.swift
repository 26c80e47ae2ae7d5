import Ports

/// Named sets of trust sources: each has anchors and lists of its own in `trust/presets/<name>` of the home, laid out as the home's.
/// `--trust NAME` makes a run use them in place of the home's; `config set trust NAME` makes every run.
enum TrustPresets {
    /// The preset that `--trust` names; nil for `home` and `none`.
    /// - Throws: exit code 2 for what cannot be the name of a folder.
    static func name(_ text: String) throws(CommandError) -> String? {
        guard !["home", "none"].contains(text) else { return nil }
        let isName = text.utf8.allSatisfy { byte in
            byte == 0x2D || byte == 0x5F || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
        }
        guard isName, !text.isEmpty, text.utf8.count <= 64 else {
            throw .usage(
                "--trust \(text): letters, digits, - and _ make the name of a preset", hint: "home, none, or for example eudi")
        }
        return text
    }

    /// Where a preset is.
    static func home(_ name: String, of home: Home) -> Home { Home(path: home.file("trust/presets/\(name)"), source: home.source) }

    /// The presets of a home, sorted.
    static func all(of home: Home) -> [String] { (try? Files.list(home.file("trust/presets"))) ?? [] }
}

extension Context {
    /// Anchors of the home, or of the preset that `--trust` names.
    var trustStore: TrustStore {
        guard let trustPreset else { return TrustStore(of: home) }
        return TrustStore(of: TrustPresets.home(trustPreset, of: home), preset: trustPreset)
    }

    /// Trust lists of the home, or of the preset that `--trust` names.
    var trustSources: TrustSources { TrustSources(of: trustPreset.map { TrustPresets.home($0, of: home) } ?? home) }
}
