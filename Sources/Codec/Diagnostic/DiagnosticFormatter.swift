/// Writes items as diagnostic notation.
struct DiagnosticFormatter {
    let options: CBORDiagnostic.Options
    private(set) var text = ""

    init(options: CBORDiagnostic.Options) { self.options = options }

    mutating func write(_ item: CBOR, _ level: Int) {
        switch item.kind {
        case .unsigned, .negative: text += item.document.index.diagnosticKey(Int(item.node)) + indicator(item)
        case .bytes, .text: writeString(item, level)
        case .array: writeContainer("[", "]", item, level) { $0.writeElements(item, level + 1) }
        case .map: writeContainer("{", "}", item, level) { $0.writePairs(item, level + 1) }
        case .tag: writeTag(item, level)
        case .bool: text += item.raw.argument == 21 ? "true" : "false"
        case .null: text += "null"
        case .undefined: text += "undefined"
        case .simple: text += "simple(\(item.raw.argument))"
        case .float: text += CBORFloat(bits: item.raw.argument, width: item.raw.info).diagnostic + indicator(item)
        }
    }

    private func indicator(_ item: CBOR) -> String {
        guard options.showsEncoding, !item.raw.isPreferred, !item.isIndefinite else { return "" }
        return "_\(item.raw.info - 24)"
    }

    private mutating func writeString(_ item: CBOR, _ level: Int) {
        guard item.isIndefinite else {
            text += literal(item.document.index.content(of: Int(item.node)), isText: item.kind == .text) + indicator(item)
            return
        }
        let index = item.document.index
        let chunks = index.chunks(of: Int(item.node))
        guard !chunks.isEmpty else {
            text += item.kind == .text ? "\"\"_" : "''_"
            return
        }
        text += "(_ " + chunks.map { literal($0, index, isText: item.kind == .text) }.joined(separator: ", ") + ")"
    }

    private func literal(_ chunk: CBORIndex.Chunk, _ index: CBORIndex, isText: Bool) -> String {
        let isLong = options.showsEncoding && !chunk.isPreferred
        return literal(index.bytes[chunk.content], isText: isText) + (isLong ? "_\(chunk.info - 24)" : "")
    }

    private func literal(_ content: ArraySlice<UInt8>, isText: Bool) -> String {
        if isText { return JSON.string(String(decoding: content, as: UTF8.self)).encoded() }
        guard content.count > options.longestBytes else { return "h'\(Hex.encode(content))'" }
        return "h'\(Hex.encode(content.prefix(options.longestBytes)))' / … \(content.count) bytes /"
    }

    private mutating func writeTag(_ item: CBOR, _ level: Int) {
        if let number = item.decimalBignum {
            text += number
            return
        }
        let content = item.child(Int(item.node) + 1)
        text += "\(item.raw.argument)\(indicator(item))("
        if options.opensEmbedded, item.raw.argument == 24, content.kind == .bytes, !content.isIndefinite, content.raw.isPreferred,
            let embedded = try? content.embeddedContent()
        {
            text += "<<"
            nested(embedded, level)
            text += ">>"
        } else {
            write(content, level)
        }
        text += ")"
    }

    private mutating func nested(_ item: CBOR, _ level: Int) {
        guard options.isMultiline, item.kind == .map || item.kind == .array || item.kind == .tag else { return write(item, level) }
        newline(level + 1)
        offset(item)
        write(item, level + 1)
        newline(level)
    }

    private mutating func writeContainer(
        _ open: String, _ close: String, _ item: CBOR, _ level: Int, _ body: (inout DiagnosticFormatter) -> Void
    ) {
        text += open
        let marker = item.isIndefinite ? "_" : indicator(item)
        text += marker.isEmpty || (options.isMultiline && item.count > 0) ? marker : marker + " "
        body(&self)
        if item.count > 0 { newline(level) }
        text += close
    }

    private mutating func writeElements(_ item: CBOR, _ level: Int) {
        for (position, element) in CBORArray(item).enumerated() {
            separate(position, level)
            offset(element)
            write(element, level)
        }
    }

    private mutating func writePairs(_ item: CBOR, _ level: Int) {
        for (position, pair) in CBORMap(item).enumerated() {
            separate(position, level)
            offset(pair.key)
            write(pair.key, level)
            text += ": "
            write(pair.value, level)
        }
    }

    private mutating func separate(_ position: Int, _ level: Int) {
        if position > 0 { text += options.isMultiline ? "," : ", " }
        newline(level)
    }

    private mutating func newline(_ level: Int) {
        if options.isMultiline { text += "\n" + String(repeating: "  ", count: level) }
    }

    private mutating func offset(_ item: CBOR) {
        if options.showsOffsets { text += "/ 0x\(String(item.offset, radix: 16)) / " }
    }
}

extension CBOR {
    /// The decimal digits of a bignum in preferred encoding, up to 128 bytes; the text reads back to the same bytes.
    fileprivate var decimalBignum: String? {
        guard let magnitude = document.index.magnitude(Int(node)), magnitude.count <= 128, usesPreferredEncoding else { return nil }
        return raw.argument == 2 ? decimal(Array(magnitude)) : "-" + decimal(incremented(Array(magnitude)))
    }

    private func incremented(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = [0] + bytes
        for place in bytes.indices.reversed() {
            bytes[place] &+= 1
            if bytes[place] != 0 { break }
        }
        return bytes
    }

    private func decimal(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = [0]
        for byte in bytes {
            var carry = Int(byte)
            for place in digits.indices {
                carry += Int(digits[place]) * 256
                digits[place] = UInt8(carry % 10)
                carry /= 10
            }
            while carry > 0 {
                digits.append(UInt8(carry % 10))
                carry /= 10
            }
        }
        return String(decoding: digits.reversed().map { $0 + 0x30 }, as: UTF8.self)
    }
}

extension CBORFloat {
    /// `1.5`, `1.0e+300`, `Infinity`, `NaN`; a NaN with a sign or payload by its shortest bits.
    var diagnostic: String {
        let value = value
        if value.isNaN {
            let short = shortest
            return short == CBORFloat(bits: 0x7e00, width: 25) ? "NaN" : "float'\(short.hexadecimal)'"
        }
        guard value.isFinite else { return value < 0 ? "-Infinity" : "Infinity" }
        let parts = String(value).split(separator: "e")
        let mantissa = String(parts[0])
        guard parts.count == 2, let exponent = Int(parts[1]) else { return mantissa }
        return (mantissa.contains(".") ? mantissa : mantissa + ".0") + "e\(exponent < 0 ? "" : "+")\(exponent)"
    }

    private var hexadecimal: String {
        let digits = 2 << (Int(width) - 24)
        let text = String(bits, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
