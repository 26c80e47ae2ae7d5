import Codec
import Ports
import QR

/// `walletbench qr decode PICTURE…`
enum QRDecode {
    static let command = Command(
        name: "decode", summary: "read the QR codes in pictures",
        discussion: """
            Reads PNG and JPEG: screenshots, slanted photos, inverted and faint ones, several codes in one picture. Prints one text a line. \
            Ends 1, with the reason, when a picture has no code that can be read.
            """,
        examples: [Example("walletbench qr decode photo.jpg --explain", "the text, how it was found, and what it means")],
        options: [.flag("explain", "Say where and how each code was found, and what its text is")],
        arguments: [Argument("PICTURE", "A PNG or JPEG file; - reads stdin", kind: .file, isRepeatable: true)]
    ) { invocation in
        let outcomes = invocation.arguments.map(outcome)
        show(outcomes, invocation)
        let failures = outcomes.compactMap(\.failure)
        guard let last = failures.last else { return .done }
        for failure in failures.dropLast() { invocation.console.talk("error: \(failure.what)") }
        invocation.console.report(last)
        return last.exit
    }

    private struct Outcome {
        let path: String
        var codes: [QRCode] = []
        var failure: CommandError?
    }

    private static func outcome(of path: String) -> Outcome {
        do throws(CommandError) {
            return outcome(of: try Files.read(path), from: path)
        } catch { return Outcome(path: path, failure: error) }
    }

    private static func outcome(of bytes: [UInt8], from path: String) -> Outcome {
        do throws(PictureError) {
            let picture = try Picture(bytes)
            let codes = QRReader.read(picture.frame)
            if codes.isEmpty { return Outcome(path: path, failure: noCode(path, picture)) }
            return Outcome(path: path, codes: codes)
        } catch {
            return Outcome(path: path, failure: CommandError("\(path): \(error)", hint: error.hint))
        }
    }

    /// Reads the codes of one picture file.
    /// - Throws: exit code 3 when the file cannot be read, 1 when it is no picture or has no code that can be read.
    static func texts(in path: String) throws(CommandError) -> [String] {
        let outcome = outcome(of: path)
        if let failure = outcome.failure { throw failure }
        return outcome.codes.map(\.text)
    }

    private static func noCode(_ path: String, _ picture: Picture) -> CommandError {
        let frame = picture.frame
        let size = "\(frame.width) × \(frame.height) pixels"
        if let damage = picture.damage {
            return CommandError(
                "\(path): no QR code found, the \(picture.format) is damaged: \(damage)", hint: "copy the picture again")
        }
        return CommandError(
            "\(path): no QR code found in the \(picture.format) of \(size)",
            hint: "the whole code with its light border must be visible, sharp, and each module at least 2 pixels wide")
    }

    private static func show(_ outcomes: [Outcome], _ invocation: Invocation) {
        let explains = invocation.flag("explain")
        let edition = invocation.context.edition
        if invocation.console.isJSON {
            return invocation.console.json(["pictures": .array(outcomes.map { json($0, edition) })])
        }
        for outcome in outcomes {
            for code in outcome.codes {
                invocation.console.out(code.text)
                if explains { for line in explanation(code, outcome.path, edition) { invocation.console.out("  \(line)") } }
            }
        }
    }

    private static func explanation(_ code: QRCode, _ path: String, _ edition: Edition) -> [String] {
        let corners = code.corners.map { "(\($0.x), \($0.y))" }.joined(separator: " ")
        return ["found in \(path) at \(corners) by \(code.method)"] + QRText.explanation(code.text, edition: edition)
    }

    private static func json(_ outcome: Outcome, _ edition: Edition) -> JSON {
        [
            "path": .string(outcome.path), "codes": .array(outcome.codes.map { json($0, edition) }),
            "error": outcome.failure.map { .string($0.what) } ?? .null,
        ]
    }

    private static func json(_ code: QRCode, _ edition: Edition) -> JSON {
        let corners = code.corners.map { JSON.array([.integer(Int64($0.x)), .integer(Int64($0.y))]) }
        return [
            "text": .string(code.text), "corners": .array(corners), "method": .string(code.method),
            "explanation": .array(QRText.explanation(code.text, edition: edition).map { .string($0) }),
        ]
    }
}
