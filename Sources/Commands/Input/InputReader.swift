import Codec

/// Reads an argument that may be a path, `-` for stdin, or the text itself, and recognises what it holds.
enum InputReader {
    /// - Parameter argument: as it stands on the command line.
    /// - Throws: exit code 3 when a file cannot be read, 1 when the content is not recognised (with what it looks like).
    static func read(_ argument: String) throws(CommandError) -> Input {
        if argument == "-" { return try recognise(try Files.read("-"), origin: "stdin") }
        if Files.exists(argument) { return try recognise(try Files.read(argument), origin: argument) }
        if let content = Sniffer.content(ofText: argument) {
            return Input(origin: "the text", encodings: content.encodings, content: content.content)
        }
        if argument.utf8.count > 8, argument.utf8.count % 2 == 1, argument.allSatisfy(\.isHexDigit) {
            throw .refused("the text looks like hexadecimal, but \(argument.utf8.count) digits are no whole number of bytes")
        }
        throw isPath(argument)
            ? .environment("\(argument): no such file")
            : .refused("the text \(excerpt(argument)) is neither a file nor anything known", hint: known)
    }

    /// Recognises bytes that are at hand.
    /// - Parameter origin: for messages.
    static func recognise(_ bytes: [UInt8], origin: String) throws(CommandError) -> Input {
        guard !bytes.isEmpty else { throw .refused("\(origin): empty") }
        guard let content = Sniffer.content(of: bytes) else {
            throw .refused("\(origin): not recognised, it looks like \(Sniffer.looks(of: bytes))", hint: known)
        }
        return Input(origin: origin, encodings: content.encodings, content: content.content)
    }

    private static let known =
        "known are CBOR (in diagnostic notation too), DER, PEM (raw, hex, base64, base64url), JSON, JWS, JWE, SD-JWT, mdoc: and openid links, PNG and JPEG"

    private static func isPath(_ text: String) -> Bool {
        text.utf8.count < 256 && !text.contains { $0.isNewline }
            && (text.contains("/") || text.contains(".") || text.utf8.count < 24)
    }

    private static func excerpt(_ text: String) -> String {
        "'\(text.prefix(24).replacing("\n", with: " "))\(text.count > 24 ? "…" : "")'"
    }
}

extension CommandError {
    /// The input is not what it should be: exit code 1.
    static func refused(_ what: String, hint: String? = nil) -> CommandError {
        CommandError(what, hint: hint, exit: .refused)
    }
}

extension Input {
    /// The bytes of a CBOR input.
    func cbor(as what: String) throws(CommandError) -> [UInt8] {
        if case .cbor(let bytes) = content { return bytes }
        throw wrong(what)
    }

    /// The text of a JSON input, decoded.
    func json(as what: String) throws(CommandError) -> JSON {
        guard case .json(let text) = content else { throw wrong(what) }
        do { return try JSON.decode(text) } catch { throw .refused("\(origin): \(error)") }
    }

    /// Says that the input is of another kind than the command needs.
    func wrong(_ wanted: String) -> CommandError {
        .refused("\(origin): \(content.name), where \(wanted) is needed")
    }
}
