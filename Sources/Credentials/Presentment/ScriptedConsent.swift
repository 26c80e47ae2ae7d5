public import Codec

/// Consent that a file gives, element by element: `--consent FILE`.
///
///     {
///         "default": true,
///         "org.iso.18013.5.1.mDL": { "org.iso.18013.5.1": { "portrait": false }, "option": 2 },
///         "eu.europa.ec.eudi.pid.1": false,
///         "urn:eudi:pid:1": { "family_name": true, "address.locality": false }
///     }
///
/// By document type: a boolean for the whole document, or the name spaces with a boolean for each element, or the
/// elements and claims alone, whatever their name space; `"option"` picks one of several documents (from 1). What is not named follows `"default"`, which is false when absent.
public struct ScriptedConsent: ConsentProvider {
    /// Why a file is no consent script.
    public struct Malformed: Error, Sendable, CustomStringConvertible {
        /// The member that is wrong.
        public let path: String
        /// What belongs there.
        public let expected: String
        public var description: String { "consent script: \(path) is not \(expected)" }
    }

    private let byDefault: Bool
    private let documents: [DocType: Rule]

    private enum Rule: Sendable {
        case whole(Bool)
        case elements(option: Int?, [ElementReference: Bool])
    }

    /// Reads a script.
    /// - Throws: which member is not what it has to be.
    public init(_ script: JSON) throws(Malformed) {
        guard let members = script.objectValue else { throw Malformed(path: "the file", expected: "a JSON object") }
        var byDefault = false
        var documents: [DocType: Rule] = [:]
        for (name, value) in members {
            if name == "default" {
                byDefault = try Self.decision(value, "default")
            } else {
                documents[name] = try Self.rule(value, name)
            }
        }
        self.byDefault = byDefault
        self.documents = documents
    }

    public var name: String { "scripted" }

    public func decide(_ proposal: Proposal) async -> Selection? {
        let choices = proposal.entries.compactMap(choice)
        return choices.isEmpty ? nil : Selection(choices: choices)
    }

    private func choice(_ entry: Proposal.Entry) -> Selection.Choice? {
        let types = [entry.request.docType] + entry.options.map(\.credential.type)
        let rule = types.compactMap { documents[$0] }.first ?? .whole(byDefault)
        var number = entry.preferred
        if case .elements(let option?, _) = rule { number = option }
        guard entry.isWanted, let option = entry.options.first(where: { $0.number == number }) else { return nil }
        let approved = option.elements.map(\.reference).filter { allows($0, by: rule) }
        // A query may want the document alone, without any of its claims.
        guard !approved.isEmpty || option.elements.isEmpty && allowsDocument(rule) else { return nil }
        return Selection.Choice(requestID: entry.request.id, option: number, approved: Set(approved))
    }

    private func allows(_ element: ElementReference, by rule: Rule) -> Bool {
        switch rule {
        case .whole(let decision): decision
        case .elements(_, let decisions):
            decisions[element] ?? decisions[ElementReference(nameSpace: "", identifier: element.identifier)] ?? byDefault
        }
    }

    private func allowsDocument(_ rule: Rule) -> Bool {
        switch rule {
        case .whole(let decision): decision
        case .elements: byDefault
        }
    }

    private static func rule(_ value: JSON, _ docType: DocType) throws(Malformed) -> Rule {
        if let decision = value.boolValue { return .whole(decision) }
        guard let members = value.objectValue else { throw Malformed(path: docType, expected: "a boolean or an object") }
        var option: Int?
        var decisions: [ElementReference: Bool] = [:]
        for (nameSpace, elements) in members {
            if nameSpace == "option", let number = elements.intValue {
                option = Int(clamping: number)
                continue
            }
            if let decision = elements.boolValue {
                decisions[ElementReference(nameSpace: "", identifier: nameSpace)] = decision
                continue
            }
            guard let elements = elements.objectValue else {
                throw Malformed(path: "\(docType).\(nameSpace)", expected: "an object of elements")
            }
            for (identifier, value) in elements {
                let reference = ElementReference(nameSpace: nameSpace, identifier: identifier)
                decisions[reference] = try decision(value, "\(docType).\(nameSpace).\(identifier)")
            }
        }
        return .elements(option: option, decisions)
    }

    private static func decision(_ value: JSON, _ path: String) throws(Malformed) -> Bool {
        guard let decision = value.boolValue else { throw Malformed(path: path, expected: "true or false") }
        return decision
    }
}
