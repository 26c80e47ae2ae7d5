package import Codec
import Glibc

/// Published values that tests compare with, from `fixtures/`.
package enum Fixture {
    /// Why a fixture cannot be had.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// The bytes of `fixtures/<path>`.
    package static func bytes(_ path: String) throws -> [UInt8] {
        let name = "\(root)/fixtures/\(path)"
        guard let handle = fopen(name, "rb") else { throw Missing(description: "cannot open \(name)") }
        defer { fclose(handle) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&buffer, 1, buffer.count, handle), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    /// The names in the folder `fixtures/<path>`, sorted.
    package static func names(_ path: String) throws -> [String] {
        let name = "\(root)/fixtures/\(path)"
        guard let folder = opendir(name) else { throw Missing(description: "cannot open \(name)") }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
                })
        }
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }

    /// `fixtures/<path>` as JSON.
    package static func json(_ path: String) throws -> JSON {
        try JSON.decode(bytes(path))
    }

    /// The hex value of `member` in the object `fixtures/<path>`.
    package static func hex(_ member: String, in path: String) throws -> [UInt8] {
        guard let text = try json(path)[member]?.stringValue else { throw Missing(description: "\(path) has no \(member)") }
        return try Hex.decode(text)
    }

    private static var root: Substring {
        (0..<3).reduce(#filePath[...]) { path, _ in path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }
    }
}
