import Codec
import Credentials
import Crypto
import QR

/// `walletbench trust export`
enum TrustExport {
    static let command = Command(
        name: "export", summary: "write anchors as PEM, DER or QR code",
        discussion: """
            PEM holds any number of anchors; DER and QR one. The QR code carries the certificate as PEM text, for phone apps that take roots \
            from the camera: drawn in the terminal, or written to a picture with -o; text prints what the code would carry.
            """,
        examples: [
            Example("walletbench trust export --role documents -o roots.pem", "all issuers"),
            Example("walletbench trust export 1f2e3d4c5b6a7988 --format qr -o root.png", "one, for a phone"),
        ],
        options: TrustStore.choices + [
            .choice("format", ["pem", "der", "qr", "text"], "How to write it", default: "pem"),
            .file("out", short: "o", "FILE", "Write here instead of stdout"),
        ],
        arguments: [Argument("ANCHOR", "Id or part of the subject", isRequired: false, isRepeatable: true)]
    ) { invocation in
        let entries = try invocation.context.trustStore.chosen(by: invocation)
        let format = invocation.string("format") ?? "pem"
        guard let first = entries.first else {
            throw CommandError.refused("no anchor to export", hint: "walletbench trust add FILE adds one")
        }
        guard format == "pem" || entries.count == 1 else {
            throw CommandError.refused("\(entries.count) anchors match, \(format) holds one", hint: "name one by its id")
        }
        let pem = entries.map { PEM.encode($0.anchor.certificate.der, label: "CERTIFICATE") }.joined()
        switch format {
        case "der": try write(first.anchor.certificate.der, entries, invocation)
        case "qr": try drawCode(pem, entries, invocation)
        default: try write([UInt8](pem.utf8), entries, invocation)
        }
        return .done
    }

    private static func write(_ bytes: [UInt8], _ entries: [TrustStore.Entry], _ invocation: Invocation) throws(CommandError) {
        if let path = invocation.string("out") {
            try Files.write(bytes, to: path)
            if path != "-" { answer(path, entries, invocation) }
        } else if invocation.console.isJSON {
            var object: JSONObject = ["anchors": .array(entries.map { .string(Hex.encode($0.anchor.certificate.sha256)) })]
            let text = String(validating: bytes, as: UTF8.self)
            object.append("content", text.map { .string($0) } ?? ["bytes": .string(Base64URL.encode(bytes))])
            invocation.console.json(object)
        } else {
            invocation.console.out(bytes: bytes)
        }
    }

    private static func drawCode(_ text: String, _ entries: [TrustStore.Entry], _ invocation: Invocation) throws(CommandError) {
        let symbol: QRSymbol
        do { symbol = try QRSymbol(text, correction: .low) } catch { throw .refused("\(entries[0].id): \(error)") }
        if let path = invocation.string("out") {
            try Files.write(QREncode.picture(symbol, path: path), to: path)
            return answer(path, entries, invocation)
        }
        let colours = invocation.console.showsColours
        invocation.console.answer(["text": .string(text), "size": .integer(Int64(symbol.size)), "svg": .string(symbol.svg())]) {
            symbol.terminal(colours: colours)
        }
    }

    private static func answer(_ path: String, _ entries: [TrustStore.Entry], _ invocation: Invocation) {
        invocation.console.answer([
            "path": .string(path), "anchors": .array(entries.map { .string(Hex.encode($0.anchor.certificate.sha256)) }),
        ]) { "\(path): \(entries.map(\.anchor.certificate.subject.description).joined(separator: "; "))" }
    }
}
