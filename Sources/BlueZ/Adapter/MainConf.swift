/// The settings of bluetoothd (main.conf) that decide whether long transfers arrive whole and in order. Measured with BlueZ 5.66: between
/// two such daemons on default settings, notifications overtake each other, and a server drops written values of more than 510 bytes.
package struct MainConf: Sendable, Hashable {
    /// A line that is wanted, and what happens without it.
    package struct Wanted: Sendable, Hashable {
        package let section: String
        package let key: String
        package let value: String
        package let meaning: String

        /// `[GATT] Channels = 1`
        package var text: String { "[\(section)] \(key) = \(value)" }
    }

    package static let reverseDiscovery = Wanted(
        section: "General", key: "ReverseServiceDiscovery", value: "false",
        meaning:
            "as server, the MTU stays the one that the phone asked for; else one notification that is too long stops the transfer")
    package static let channels = Wanted(
        section: "GATT", key: "Channels", value: "1",
        meaning: "parts stay in order between two BlueZ machines; else messages arrive shuffled and do not open")
    package static let exchangeMTU = Wanted(
        section: "GATT", key: "ExchangeMTU", value: "513",
        meaning: "as server, parts of 512 bytes are not asked for, which BlueZ would drop")
    package static let wanted = [reverseDiscovery, channels, exchangeMTU]

    /// Values by `section/key`.
    private var values: [String: String] = [:]

    /// What an empty file means.
    package init() {}

    package init(_ text: String) {
        var section = ""
        for line in text.split(whereSeparator: \.isNewline).map(\.trimmed) where !line.hasPrefix("#") {
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = String(line.dropFirst().dropLast())
            } else if let equals = line.firstIndex(of: "=") {
                values["\(section)/\(line[..<equals].trimmed)"] = line[line.index(after: equals)...].trimmed
            }
        }
    }

    package func has(_ wanted: Wanted) -> Bool {
        values["\(wanted.section)/\(wanted.key)"]?.lowercased() == wanted.value
    }

    /// The lines that are not there.
    package var missing: [Wanted] { Self.wanted.filter { !has($0) } }

    /// The text with the wanted lines in it: each replaces a line of its key, commented out or not, or stands first in its section.
    package static func mended(_ text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        for wanted in wanted where !MainConf(text).has(wanted) { place(wanted, in: &lines) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func place(_ wanted: Wanted, in lines: inout [String]) {
        let line = "\(wanted.key) = \(wanted.value)"
        guard let head = lines.firstIndex(where: { $0.trimmed == "[\(wanted.section)]" }) else {
            lines += ["", "[\(wanted.section)]", line]
            return
        }
        let end = lines[(head + 1)...].firstIndex { $0.trimmed.hasPrefix("[") } ?? lines.count
        let isSet = { (text: String) in
            let bare = text.trimmed.drop { $0 == "#" || $0 == " " }
            return bare.prefix { $0 != "=" }.trimmed == wanted.key && bare.contains("=")
        }
        let places = (head + 1..<end).filter { isSet(lines[$0]) }
        // A later line of the same key would win.
        for place in places.dropFirst().reversed() where !lines[place].trimmed.hasPrefix("#") { lines.remove(at: place) }
        if let place = places.first { lines[place] = line } else { lines.insert(line, at: head + 1) }
    }
}
