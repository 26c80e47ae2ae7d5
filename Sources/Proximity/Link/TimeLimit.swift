/// Bounds how long an operation may wait.
package enum TimeLimit {
    /// Runs `body`; cancels it when `seconds` have passed.
    /// - Throws: `.timedOut` then, whatever the cancelled body threw.
    package static func run<Value: Sendable>(
        seconds: Int, doing: String, _ body: @escaping @Sendable () async throws(LinkError) -> Value
    ) async throws(LinkError) -> Value {
        let result: Result<Value, LinkError> = await withTaskGroup(of: Result<Value, LinkError>?.self) { group in
            group.addTask {
                do throws(LinkError) { return .success(try await body()) } catch { return .failure(error) }
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(seconds))
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            // The limit may have struck while the body was just ending: what it has got is not thrown away.
            if let first { return first }
            if case .success(let value)?? = await group.next() { return .success(value) }
            return Task.isCancelled ? .failure(.cancelled) : .failure(.timedOut(seconds: seconds, doing: doing))
        }
        return try result.get()
    }
}
