import Fuzzing
import Glibc

@_silgen_name("LLVMFuzzerRunDriver")
private func runLibFuzzer(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ take: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The entry that this process feeds; set once, before the first input.
nonisolated(unsafe) private var entry: FuzzEntry?

/// `FuzzDriver --list` names the entries and their longest input, `FuzzDriver --seeds FOLDER` writes the start of each corpus,
/// `FuzzDriver ENTRY [libFuzzer's arguments]` feeds one. Built by `scripts/fuzz` alone: libFuzzer brings the function that
/// this file declares.
@main
struct FuzzDriver {
    static func main() async throws {
        let entries = try await FuzzEntries()
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "--list": for entry in entries.all { print(entry.name, entry.longest) }
        case "--seeds" where arguments.count == 3: try Seeds(entries.stage).write(to: arguments[2])
        case let name?:
            guard let found = entries[name] else { stop("no entry \(name)") }
            entry = found
            exit(fuzz(Array(arguments.dropFirst())))
        case nil: stop("which entry?")
        }
    }

    private static func fuzz(_ arguments: [String]) -> CInt {
        var count = CInt(arguments.count)
        var texts = arguments.map { strdup($0) } + [nil]
        return texts.withUnsafeMutableBufferPointer { texts in
            guard var start = texts.baseAddress else { return 2 }
            return runLibFuzzer(&count, &start) { bytes, length in
                entry?.take(Array(UnsafeBufferPointer(start: bytes, count: length)))
                return 0
            }
        }
    }

    private static func stop(_ reason: String) -> Never {
        let line = Array("error: \(reason)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(2)
    }
}
