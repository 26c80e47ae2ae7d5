import Codec

/// A file of published vectors.
struct VectorFile: Sendable {
    /// Relative to the vectors' folder: `mdoc/vical/aamva-vical-2024-09-24.cbor`.
    let path: String
    let bytes: [UInt8]
    /// The folder, for files that belong together; nil for built-in ones.
    let folder: String?

    init(path: String, bytes: [UInt8], folder: String? = nil) {
        self.path = path
        self.bytes = bytes
        self.folder = folder
    }

    /// A built-in file.
    init(path: String, text: String) { self.init(path: path, bytes: Array(text.utf8)) }

    /// The last part of the path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The content as JSON. Integers beyond 64 bits, which vectors about bignums have, become strings of their digits.
    func json() throws(JSONError) -> JSON { try JSON.decode(Self.quotingBigIntegers(bytes)) }

    /// Another file of the same folder, by its path from there.
    func companion(_ path: String) throws(CommandError) -> VectorFile {
        guard let folder else { throw CommandError("\(self.path) is built in and has no \(path) beside it") }
        return VectorFile(path: path, bytes: try Files.read("\(folder)/\(path)"), folder: folder)
    }

    private static func quotingBigIntegers(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var position = 0
        while position < text.count {
            let token = text[position...].prefix(tokenLength(text, position))
            let isInteger = token.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 == UInt8(ascii: "-") }
            let isBig = token.count > 18 && isInteger && Int64(String(decoding: token, as: UTF8.self)) == nil
            result += isBig ? [0x22] + token + [0x22] : token
            position += token.count
        }
        return result
    }

    /// A string, a run of digits and number characters, or one byte of anything else.
    private static func tokenLength(_ text: [UInt8], _ start: Int) -> Int {
        var end = start + 1
        if text[start] == 0x22 {
            while end < text.count, text[end] != 0x22 { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
            return min(end + 1, text.count) - start
        }
        let isNumber = { (byte: UInt8) in byte >= 0x30 && byte <= 0x39 || "+-.eE".utf8.contains(byte) }
        guard isNumber(text[start]) else { return 1 }
        while end < text.count, isNumber(text[end]) { end += 1 }
        return end - start
    }
}

extension VectorFile {
    /// Every vector file below a folder, sorted by path. Explanations in Markdown are no vectors.
    static func all(in folder: String) throws(CommandError) -> [VectorFile] {
        var files: [VectorFile] = []
        try collect(folder, "", into: &files, depth: 0)
        return files.sorted { $0.path < $1.path }
    }

    private static func collect(_ folder: String, _ prefix: String, into files: inout [VectorFile], depth: Int) throws(CommandError)
    {
        guard depth < 8 else { throw CommandError("\(folder)/\(prefix) lies too deep") }
        for name in try Files.list("\(folder)/\(prefix)") where !name.hasPrefix(".") && !name.hasSuffix(".md") {
            let path = prefix + name
            if Files.isDirectory("\(folder)/\(path)") {
                try collect(folder, path + "/", into: &files, depth: depth + 1)
            } else {
                files.append(VectorFile(path: path, bytes: try Files.read("\(folder)/\(path)"), folder: folder))
            }
        }
    }
}
