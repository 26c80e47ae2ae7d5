import Codec
import Ports
import Reports

/// `walletbench inspect INPUT`
enum Inspect {
    static let command = Command(
        name: "inspect", summary: "say what something is, and show what is in it",
        discussion: """
            Takes a file, - for stdin, or the text itself: CBOR (in diagnostic notation too) and every mdoc structure, mdoc: engagements, NFC handover messages, COSE, \
            certificates, CRLs, keys, VICALs, JWS, JWE, SD-JWT, JSON, links, traces, reports, and pictures with QR codes; raw, hexadecimal, base64, \
            base64url or PEM. A web address is fetched: an OpenID4VCI issuer's metadata are checked, anything else is explained. Prints a tree with the offset of each item, the names that the specification gives, and its clause. Nothing is verified. \
            Ends 1, with the reason, for what is damaged or not recognised.
            """,
        examples: [
            Example("walletbench inspect response.cbor", "a DeviceResponse, item by item"),
            Example("walletbench inspect 'mdoc:owBjMS4w...'", "the text of an engagement's QR code"),
            Example("walletbench inspect https://issuer.example", "the metadata of an issuer, checked"),
            Example("walletbench inspect response.cbor --diagnostic", "the same bytes in diagnostic notation, whole"),
        ],
        options: [
            .flag("diagnostic", "For CBOR: diagnostic notation of RFC 8949 with offsets, nothing shortened"),
            .choice("profile", ["haip"], "For an issuer's metadata: the stricter rules of HAIP 1.0"),
        ],
        arguments: [Argument("INPUT", "A file, - for stdin, or the text itself", kind: .file)]
    ) { invocation in
        let input = try InputReader.read(invocation.argument)
        if case .uri(let scheme, let text) = input.content, scheme == .http || scheme == .https {
            let (annotation, fetched) = try await InspectURL.annotate(text, invocation)
            show(annotation, fetched, invocation.console)
            return .done
        }
        if invocation.flag("diagnostic") { return try showDiagnostic(input, invocation) }
        let annotation = try Inspection(edition: invocation.context.edition).annotate(input)
        show(annotation, input, invocation.console)
        return .done
    }

    private static func show(_ annotation: Annotation, _ input: Input, _ console: Console) {
        let encodings = input.encodings.map { " in \($0)" }.joined()
        let answer: JSONObject = [
            "origin": .string(input.origin), "encodings": .array(input.encodings.map(JSON.string)),
            "kind": .string(annotation.label),
            "annotation": annotation.json,
        ]
        console.answer(answer) {
            let lines = AnnotationText(annotation).lines.map { line in
                let label = line.label.isEmpty ? "" : console.style(line.label, .bold)
                let offset = line.offset.isEmpty ? "" : console.style(line.offset, .dim) + "  "
                return offset + label + (line.value.map { ": \($0)" } ?? "")
                    + (line.clause.map { console.style("  [\($0)]", .dim) } ?? "")
            }
            return (["\(input.origin): \(input.content.name)\(encodings)"] + lines).joined(separator: "\n")
        }
    }

    private static func showDiagnostic(_ input: Input, _ invocation: Invocation) throws(CommandError) -> ExitCode {
        let bytes: [UInt8] =
            switch input.content {
            case .uri(.mdoc, let text): try Inspection.engagementBytes(text)
            default: try input.cbor(as: "CBOR")
            }
        let item = try Inspection.decode(bytes, input.origin)
        let text = CBORDiagnostic.format(item, options: .init(isMultiline: true, showsOffsets: true))
        invocation.console.answer(["origin": .string(input.origin), "diagnostic": .string(CBORDiagnostic.format(item))]) { text }
        return .done
    }
}
