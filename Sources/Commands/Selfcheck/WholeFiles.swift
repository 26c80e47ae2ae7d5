import Codec
import Ports

/// Files that are no vectors: each is read as what it looks like, to the end. Asked last, so that it gets what no other suite knows.
struct WholeFiles: VectorSuite {
    func matches(_ path: String) -> Bool { true }

    func run(_ file: VectorFile) throws -> [VectorCase] {
        let input: Input
        do { input = try InputReader.recognise(file.bytes, origin: file.name) } catch { throw Mismatch("\(error)") }
        // JSON says nothing of what it should be.
        if case .json = input.content { throw Mismatch("no known kind of vector file") }
        do {
            let kind = try Inspection(edition: .first).annotate(input).label
            return [VectorCase("reads as \(kind)", .passed)]
        } catch { throw Mismatch("\(error)") }
    }
}
