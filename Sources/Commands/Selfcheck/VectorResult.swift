import Codec
import Ports
import Reports

/// How a vector file came out.
struct VectorResult: Sendable {
    let path: String
    let cases: [VectorCase]

    var passed: Int { cases.count { $0.outcome == .passed } }
    var failures: [(name: String, reason: String)] {
        cases.compactMap { if case .failed(let reason) = $0.outcome { ($0.name, reason) } else { nil } }
    }
    var notApplicable: Int { cases.count - passed - failures.count }

    /// Reasons for not running cases, with how many each, in the order met.
    var reasons: [(reason: String, count: Int)] {
        var reasons: [(reason: String, count: Int)] = []
        for case .notApplicable(let reason) in cases.map(\.outcome) {
            if let place = reasons.firstIndex(where: { $0.reason == reason }) {
                reasons[place].count += 1
            } else {
                reasons.append((reason, 1))
            }
        }
        return reasons
    }

    var json: JSON {
        [
            "path": .string(path), "cases": .integer(Int64(cases.count)), "passed": .integer(Int64(passed)),
            "failed": .integer(Int64(failures.count)), "notApplicable": .integer(Int64(notApplicable)),
            "failures": .array(failures.map { ["case": .string($0.name), "reason": .string($0.reason)] }),
            "reasons": .array(reasons.map { ["reason": .string($0.reason), "cases": .integer(Int64($0.count))] }),
        ]
    }
}

/// The table that `selfcheck` prints.
struct VectorTable {
    let results: [VectorResult]

    var passed: Int { results.reduce(0) { $0 + $1.passed } }
    var failed: Int { results.reduce(0) { $0 + $1.failures.count } }
    var notApplicable: Int { results.reduce(0) { $0 + $1.notApplicable } }

    /// One line a file with its numbers; below it every reason and every failed case.
    var lines: [String] {
        let width = max(20, results.map(\.path.count).max() ?? 0)
        let head = row("file", ["cases", "passed", "failed", "n/a"], width)
        let total = row("total", numbers(passed + failed + notApplicable, passed, failed, notApplicable), width)
        return [head] + results.flatMap { lines($0, width) } + [total]
    }

    /// All of it in one of the forms of reports.
    func text(_ format: ReportFormat, at time: Timestamp) -> String {
        switch format {
        case .text: (lines + ["\(passed) passed, \(failed) failed"]).joined(separator: "\n")
        case .json: JSON.object(json).encoded(pretty: true) + "\n"
        case .html: report(at: time).page
        case .junit: report(at: time).junit
        }
    }

    private func report(at time: Timestamp) -> CaseReport {
        CaseReport(
            title: "walletbench selfcheck", at: time,
            files: results.map { result in
                CaseReport.File(
                    path: result.path,
                    cases: result.cases.map { entry in
                        switch entry.outcome {
                        case .passed: CaseReport.Case(entry.name, .passed)
                        case .failed(let reason): CaseReport.Case(entry.name, .failed, reason: reason)
                        case .notApplicable(let reason): CaseReport.Case(entry.name, .skipped, reason: reason)
                        }
                    })
            })
    }

    private func lines(_ result: VectorResult, _ width: Int) -> [String] {
        [row(result.path, numbers(result.cases.count, result.passed, result.failures.count, result.notApplicable), width)]
            + result.reasons.map { "    n/a ×\($0.count): \($0.reason)" }
            + result.failures.map { "    FAILED \($0.name): \($0.reason)" }
    }

    private func numbers(_ numbers: Int...) -> [String] { numbers.map(String.init) }

    private func row(_ name: String, _ cells: [String], _ width: Int) -> String {
        let cells = cells.map { String(repeating: " ", count: max(0, 8 - $0.count)) + $0 }
        return name + String(repeating: " ", count: max(0, width - name.count)) + cells.joined()
    }

    var json: JSONObject {
        [
            "passed": .integer(Int64(passed)), "failed": .integer(Int64(failed)), "notApplicable": .integer(Int64(notApplicable)),
            "files": .array(results.map(\.json)),
        ]
    }
}
