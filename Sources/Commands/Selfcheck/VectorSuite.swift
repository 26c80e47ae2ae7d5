import Codec

/// Checks the vector files of some kinds. Each area of the product adds one, listed in `Selfcheck.suites`.
protocol VectorSuite: Sendable {
    /// Whether this suite runs a file.
    /// - Parameter path: relative to the vectors' folder, such as `cbor/dcbor.json`.
    func matches(_ path: String) -> Bool

    /// Runs every case of a file. An error thrown counts as one failed case that stands for the file.
    func run(_ file: VectorFile) async throws -> [VectorCase]

    /// A small published subset in the same form, which runs without a folder.
    var builtIn: [VectorFile] { get }
}

extension VectorSuite {
    var builtIn: [VectorFile] { [] }
}

/// One case of a vector file with how it ended.
struct VectorCase: Sendable {
    enum Outcome: Sendable, Equatable {
        case passed
        case failed(String)
        case notApplicable(String)
    }

    /// Names the case within its file.
    let name: String
    let outcome: Outcome

    init(_ name: String, _ outcome: Outcome) {
        self.name = name
        self.outcome = outcome
    }

    /// A case that passes when the body returns; what it throws is the reason of the failure.
    init(_ name: String, _ body: () async throws -> Void) async {
        do {
            try await body()
            self.init(name, .passed)
        } catch let reason as NotApplicable {
            self.init(name, .notApplicable(reason.reason))
        } catch {
            self.init(name, .failed("\(error)"))
        }
    }
}

/// Thrown out of a case that this product does not have to pass; the reason is shown.
struct NotApplicable: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}

/// Thrown out of a case that does not come out as published.
struct Mismatch: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Ends the case as failed unless the condition holds.
func expect(_ condition: Bool, _ reason: @autoclosure () -> String) throws(Mismatch) {
    guard condition else { throw Mismatch(reason()) }
}

/// Ends the case as failed unless both values are the same.
func expect<Value: Equatable>(_ value: Value, equals published: Value, _ what: String) throws(Mismatch) {
    guard value == published else { throw Mismatch("\(what) is \(shown(value)), published is \(shown(published))") }
}

private func shown<Value>(_ value: Value) -> String {
    if let bytes = value as? [UInt8] { return Hex.encode(bytes.prefix(64)) + (bytes.count > 64 ? "…" : "") }
    let text = "\(value)"
    return text.utf8.count > 200 ? "\(text.prefix(200))…" : text
}
