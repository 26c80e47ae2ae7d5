import Glibc

/// The kernel's radio switches.
enum Rfkill {
    enum Block: Sendable { case soft, hard }

    /// What blocks an adapter.
    /// - Parameter name: `hci0`
    static func block(of name: String, folder: String = "/sys/class/rfkill") -> Block? {
        for entry in TextFile.names(in: folder) {
            let path = "\(folder)/\(entry)"
            guard TextFile.read("\(path)/name")?.trimmed == name else { continue }
            if TextFile.read("\(path)/hard")?.trimmed == "1" { return .hard }
            if TextFile.read("\(path)/soft")?.trimmed == "1" { return .soft }
        }
        return nil
    }
}

/// Small text files of the system.
enum TextFile {
    /// At most 1 MiB; nil when the file cannot be read.
    static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 20 {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The names in a folder; empty when it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}

extension StringProtocol {
    /// Without blanks and line ends around it.
    var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest = rest.dropFirst() }
        while rest.last?.isWhitespace == true { rest = rest.dropLast() }
        return String(rest)
    }
}
