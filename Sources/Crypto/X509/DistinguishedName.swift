public import Codec

/// A name of RFC 5280 §4.1.2.4: relative names, each with one or more attributes. The received bytes are kept, and two names
/// are equal when their bytes are: ISO/IEC 18013-5 Annex B chains names by bytes.
public struct DistinguishedName: Sendable, Hashable, CustomStringConvertible {
    /// `SEQUENCE { type, value }`.
    public struct Attribute: Sendable, Hashable {
        public let type: OID
        public let form: StringForm
        /// The characters, encoded as `form` says.
        public let value: [UInt8]

        /// An attribute to be made; `form` nil is UTF8String, or PrintableString where RFC 5280 leaves no choice.
        public init(_ type: OID, _ text: String, form: StringForm? = nil) {
            let form = form ?? (type == .countryName || type == .nameSerialNumber ? .printable : .utf8)
            self.type = type
            self.form = form
            self.value = form.encode(text)
        }

        init(type: OID, form: StringForm, value: [UInt8]) {
            self.type = type
            self.form = form
            self.value = value
        }

        /// The value as text; nil where the bytes are not characters of `form`.
        public var text: String? { form.decode(value) }
    }

    /// DER, as received or built.
    public let encoded: [UInt8]
    /// In the order of the encoding; nearly always one attribute each.
    public let relativeNames: [[Attribute]]

    /// A name of single-valued relative names, in this order.
    public init(_ attributes: [Attribute]) {
        relativeNames = attributes.map { [$0] }
        encoded = Self.encode(relativeNames)
    }

    init(encoded: [UInt8], relativeNames: [[Attribute]]) {
        self.encoded = encoded
        self.relativeNames = relativeNames
    }

    public static func == (a: DistinguishedName, b: DistinguishedName) -> Bool { a.encoded == b.encoded }

    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }

    public var isEmpty: Bool { relativeNames.isEmpty }
    /// All attributes, in order.
    public var attributes: [Attribute] { relativeNames.flatMap { $0 } }

    /// The first attribute of this type.
    public func attribute(_ type: OID) -> Attribute? {
        for names in relativeNames {
            for attribute in names where attribute.type == type { return attribute }
        }
        return nil
    }

    /// C of the first attribute that has it; likewise ST, O, CN.
    public var country: String? { attribute(.countryName)?.text }
    public var stateOrProvince: String? { attribute(.stateOrProvinceName)?.text }
    public var organization: String? { attribute(.organizationName)?.text }
    public var commonName: String? { attribute(.commonName)?.text }

    /// The same name with the attributes of `type` replaced; nil removes them.
    public func adding(_ type: OID, _ text: String) -> DistinguishedName {
        DistinguishedName(attributes + [Attribute(type, text)])
    }

    /// The name with the attribute of a type exchanged, or taken out.
    public func replacing(_ type: OID, with attribute: Attribute?) -> DistinguishedName {
        var names: [Attribute] = []
        var isPlaced = false
        for old in attributes {
            guard old.type == type else {
                names.append(old)
                continue
            }
            if let attribute, !isPlaced { names.append(attribute) }
            isPlaced = true
        }
        if let attribute, !isPlaced { names.append(attribute) }
        return DistinguishedName(names)
    }

    /// The string of RFC 4514: last relative name first, `CN=utopia iaca,C=US`.
    public var description: String {
        relativeNames.reversed().map { names in
            names.map { "\(Self.keyword($0.type))=\(Self.escape($0.text ?? "#" + Hex.encode($0.value)))" }.joined(separator: "+")
        }.joined(separator: ",")
    }

    /// RFC 4514 §3.
    private static func keyword(_ type: OID) -> String {
        switch type {
        case .commonName: "CN"
        case .localityName: "L"
        case .stateOrProvinceName: "ST"
        case .organizationName: "O"
        case .organizationalUnitName: "OU"
        case .countryName: "C"
        case .streetAddress: "STREET"
        case .domainComponent: "DC"
        case .userID: "UID"
        default: type.description
        }
    }

    /// RFC 4514 §2.4.
    private static func escape(_ text: String) -> String {
        var result = ""
        let last = text.unicodeScalars.count - 1
        for (index, scalar) in text.unicodeScalars.enumerated() {
            switch scalar {
            case "\"", "+", ",", ";", "<", ">", "\\": result += "\\"
            case "#" where index == 0: result += "\\"
            case " " where index == 0 || index == last: result += "\\"
            // Controls could pass for more lines of what shows the name.
            case _ where scalar.properties.generalCategory == .control:
                result += Array(String(scalar).utf8).map { "\\" + Hex.encode([$0]) }.joined()
                continue
            default: break
            }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}

extension DistinguishedName {
    /// Reads `Name ::= SEQUENCE OF SET OF SEQUENCE { type, value }`.
    public init(_ node: DERNode) throws(DERError) {
        var names: [[Attribute]] = []
        for set in try node.sequence() {
            var attributes: [Attribute] = []
            for pair in try set.set() { attributes.append(try Attribute(pair)) }
            guard !attributes.isEmpty else { throw set.error(.missing("attribute of a relative name")) }
            names.append(attributes)
        }
        self.init(encoded: node.encoded, relativeNames: names)
    }

    private static func encode(_ names: [[Attribute]]) -> [UInt8] {
        DERWriter.encode { writer in
            writer.sequence { writer in
                for attributes in names {
                    // DER sorts a SET OF by its encodings.
                    let encoded = attributes.map(\.encoded).sorted { $0.lexicographicallyPrecedes($1) }
                    writer.set { writer in encoded.forEach { writer.raw($0) } }
                }
            }
        }
    }
}

extension DistinguishedName.Attribute {
    init(_ node: DERNode) throws(DERError) {
        self = try node.sequence { cursor throws(DERError) in
            let type = try cursor.next("type").oid()
            let value = try cursor.next("value")
            return DistinguishedName.Attribute(type: type, form: StringForm(value), value: value.content)
        }
    }

    fileprivate var encoded: [UInt8] {
        DERWriter.encode { writer in
            writer.sequence { writer in
                writer.oid(type)
                writer.element(form.tag, value)
            }
        }
    }
}
