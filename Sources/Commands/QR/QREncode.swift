import Codec
import Glibc
import QR

/// `walletbench qr encode TEXT`
enum QREncode {
    static let command = Command(
        name: "encode", summary: "draw a text as QR code",
        discussion: "Draws in the terminal, or writes a PNG or SVG picture by the name's ending.",
        examples: [
            Example("walletbench qr encode 'https://example.com' -o code.png", "a picture"),
            Example("echo -n text | walletbench qr encode - --ecc H", "the text from stdin, drawn in the terminal"),
        ],
        options: [
            .file("out", short: "o", "F.png|F.svg", "Write a picture"),
            .choice("ecc", QRSymbol.Correction.allCases.map(\.rawValue), "Error correction: 7, 15, 25 or 30 %", default: "M"),
            .integer("scale", "PIXELS", "Pixels along one side of a module, for PNG", in: 1...64, default: 6),
        ],
        arguments: [Argument("TEXT", "The text; - reads it from stdin")]
    ) { invocation in
        let symbol = try symbol(invocation)
        guard let path = invocation.string("out") else {
            let console = invocation.console
            let colours = console.showsColours
            console.answer(["size": .integer(Int64(symbol.size)), "svg": .string(symbol.svg())]) {
                symbol.terminal(colours: colours)
            }
            return .done
        }
        try Files.write(picture(symbol, path: path, scale: invocation.integer("scale") ?? 6), to: path)
        invocation.console.answer(["path": .string(path), "size": .integer(Int64(symbol.size))]) {
            "\(path): \(symbol.size) × \(symbol.size) modules"
        }
        return .done
    }

    private static func symbol(_ invocation: Invocation) throws -> QRSymbol {
        let text =
            invocation.argument == "-"
            ? String(decoding: try Files.read("-", limit: 1 << 20), as: UTF8.self) : invocation.argument
        let correction = invocation.string("ecc").flatMap(QRSymbol.Correction.init) ?? .medium
        do {
            return try QRSymbol(text, correction: correction)
        } catch .tooLong(let bytes, let capacity, let level) where level != .low {
            throw CommandError(
                "\(QRSymbol.Failure.tooLong(bytes: bytes, capacity: capacity, correction: level))",
                hint: "--ecc L holds \(QRSymbol.Correction.low.capacity)")
        } catch {
            throw CommandError("\(error)")
        }
    }

    /// The picture that a file name's ending asks for.
    static func picture(_ symbol: QRSymbol, path: String, scale: Int = 6) throws(CommandError) -> [UInt8] {
        let name = path.lowercased()
        if name.hasSuffix(".svg") { return Array(symbol.svg().utf8) }
        guard name.hasSuffix(".png") else {
            throw .usage("\(path): the name ends in neither .png nor .svg", hint: "name it code.png or code.svg")
        }
        do { return try symbol.png(scale: scale) } catch { throw CommandError("\(path): \(error)", exit: .environment) }
    }
}
