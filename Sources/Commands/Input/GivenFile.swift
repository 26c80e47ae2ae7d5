import Codec
import Ports
import Reports

/// A file as commands take it, for tests of what they make of hostile ones.
package struct GivenFile {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The documents in it, as `holder import` finds them; nil when it is refused.
    @discardableResult
    package func importable() -> [String]? {
        guard let input = try? InputReader.recognise(bytes, origin: "file") else { return nil }
        return (try? ImportedCopy.all(in: input))?.map(\.docType)
    }

    /// What `inspect` calls it; nil when it is refused.
    @discardableResult
    package func inspect() -> String? {
        guard let input = try? InputReader.recognise(bytes, origin: "file") else { return nil }
        return (try? Inspection(edition: .second).annotate(input)).map { $0.json.encoded() }
    }
}
