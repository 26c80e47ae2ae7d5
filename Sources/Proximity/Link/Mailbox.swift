import Ports

/// A bounded queue between one giver and one taker, either of which may be a thread without tasks. Closing it wakes both.
package final class Mailbox<Element: Sendable>: Sendable {
    private struct Contents {
        var elements: [Element] = []
        var head = 0
        var end: Result<Void, LinkError>?
        var taker: (id: Int, continuation: CheckedContinuation<Result<Element?, LinkError>, Never>)?
        var giver: (id: Int, continuation: CheckedContinuation<Void, Never>)?
        var nextID = 0

        var count: Int { elements.count - head }

        mutating func next() -> Element? {
            guard head < elements.count else { return nil }
            defer {
                head += 1
                if head == elements.count { (elements, head) = ([], 0) }
            }
            return elements[head]
        }

        mutating func identity() -> Int {
            nextID &+= 1
            return nextID
        }
    }

    private let contents = Locked(Contents())
    private let capacity: Int
    private let onSpace: @Sendable () -> Void

    /// - Parameter onSpace: called after each element taken, for a giver that is no task.
    package init(capacity: Int, onSpace: @escaping @Sendable () -> Void = {}) {
        self.capacity = capacity
        self.onSpace = onSpace
    }

    /// Whether the giver should hold back.
    package var isFull: Bool { contents.withLock { $0.count >= capacity } }

    /// Puts an element in whether or not there is room; for givers that ask `isFull` first. Ignored once closed.
    package func put(_ element: Element) {
        let taker = contents.withLock { contents -> CheckedContinuation<Result<Element?, LinkError>, Never>? in
            guard contents.end == nil else { return nil }
            guard let taker = contents.taker else {
                contents.elements.append(element)
                return nil
            }
            contents.taker = nil
            return taker.continuation
        }
        taker?.resume(returning: .success(element))
    }

    /// Waits until there is room or the mailbox closes or the task is cancelled.
    package func awaitSpace() async {
        let id = contents.withLock { $0.identity() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = contents.withLock { contents in
                    guard contents.count >= capacity, contents.end == nil, !Task.isCancelled else { return true }
                    contents.giver = (id, continuation)
                    return false
                }
                if ready { continuation.resume() }
            }
        } onCancel: {
            resumeGiver(id)
        }
    }

    /// The next element; nil when the mailbox was closed without an error. What was put in before closing still comes.
    package func take() async throws(LinkError) -> Element? {
        let id = contents.withLock { $0.identity() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = contents.withLock { contents -> Result<Element?, LinkError>? in
                    if let element = contents.next() { return .success(element) }
                    if let end = contents.end { return end.map { nil } }
                    if Task.isCancelled { return .failure(.cancelled) }
                    contents.taker = (id, continuation)
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            cancelTaker(id)
        }
        resumeGiver()
        onSpace()
        return try result.get()
    }

    /// Ends the mailbox; the first end counts.
    package func close(_ end: Result<Void, LinkError> = .success(())) {
        let (taker, giver) = contents.withLock { contents in
            contents.end = contents.end ?? end
            defer { (contents.taker, contents.giver) = (nil, nil) }
            return (contents.taker?.continuation, contents.giver?.continuation)
        }
        taker?.resume(returning: end.map { nil })
        giver?.resume()
    }

    /// The end, once there is one.
    package var end: Result<Void, LinkError>? { contents.withLock { $0.end } }

    private func cancelTaker(_ id: Int) {
        let taker = contents.withLock { contents -> CheckedContinuation<Result<Element?, LinkError>, Never>? in
            guard contents.taker?.id == id else { return nil }
            defer { contents.taker = nil }
            return contents.taker?.continuation
        }
        taker?.resume(returning: .failure(.cancelled))
    }

    private func resumeGiver(_ id: Int? = nil) {
        let giver = contents.withLock { contents -> CheckedContinuation<Void, Never>? in
            guard let giver = contents.giver, id == nil || giver.id == id else { return nil }
            contents.giver = nil
            return giver.continuation
        }
        giver?.resume()
    }
}
