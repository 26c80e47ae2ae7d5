import Codec

extension DocumentVerification {
    private typealias Element = RequestedElements.Element

    /// R26, R29, R30: whether the answer fits the request.
    mutating func checkRequest() {
        guard let request = session.request else {
            return list.notRun(["R26.missing", "R26.extra", "R29", "R30.nearest", "R30.count"], subject, .notPresent)
        }
        guard let asked = request.elements(of: document.docType) else {
            list.notRun("R26.missing", subject, .notRequested)
            judgeExtra(presented.claims.map { Element(nameSpace: $0.namespace, identifier: $0.element) })
            return list.notRun(["R29", "R30.nearest", "R30.count"], subject, .notRequested)
        }
        judgeMissing(asked.filter { !isAnswered($0) })
        judgeExtra(presented.claims.filter { !isAsked($0, asked) }.map { Element(nameSpace: $0.namespace, identifier: $0.element) })
        checkPortrait(asked)
        checkAges(asked)
    }

    private mutating func judgeMissing(_ elements: [Element]) {
        missing += elements.map(name)
        let names = words(elements)
        list.judge("R26.missing", subject, elements.isEmpty, [names])
    }

    private mutating func judgeExtra(_ elements: [Element]) {
        unrequested += elements.map(name)
        let names = words(elements)
        list.judge("R26.extra", subject, elements.isEmpty, [names])
    }

    private func name(_ element: Element) -> String { "\(document.docType)/\(element.nameSpace)/\(element.identifier)" }

    private func words(_ elements: [Element]) -> String {
        elements.map { "\($0.nameSpace)/\($0.identifier)" }.joined(separator: ", ")
    }

    /// An age question is answered by any statement that settles it; everything else by itself.
    private func isAnswered(_ element: Element) -> Bool {
        presented.claims.contains { claim in
            guard claim.namespace == element.nameSpace else { return false }
            return claim.element == element.identifier || Self.answers(claim, element)
        }
    }

    private func isAsked(_ claim: PresentedClaim, _ asked: [Element]) -> Bool {
        asked.contains { element in
            guard claim.namespace == element.nameSpace else { return false }
            return claim.element == element.identifier || Self.answers(claim, element)
        }
    }

    private static func answers(_ claim: PresentedClaim, _ element: Element) -> Bool {
        guard let statement = AgeStatement(claim.element), let question = AgeStatement(element.identifier),
            let value = try? claim.value.bool()
        else { return false }
        return statement.answers(question, value: value)
    }

    /// R29: who asked for the portrait of an mDL gets it, or nothing.
    private mutating func checkPortrait(_ asked: [Element]) {
        guard document.docType == Self.mDL else { return list.notRun("R29", subject, .profile) }
        let portrait = Element(nameSpace: Self.mDLNameSpace, identifier: "portrait")
        guard asked.contains(portrait) else { return list.notRun("R29", subject, .notRequested) }
        let count = presented.claims.count
        list.judge("R29", subject, count == 0 || isAnswered(portrait), [String(count)])
    }

    /// R30: an age statement of an mDL answers one of the questions, and at most two come.
    private mutating func checkAges(_ asked: [Element]) {
        let questions = asked.filter { $0.nameSpace == Self.mDLNameSpace }.compactMap { AgeStatement($0.identifier) }
        let answers = presented.claims.filter { $0.namespace == Self.mDLNameSpace && AgeStatement($0.element) != nil }
        guard let first = questions.first else { return list.notRun(["R30.nearest", "R30.count"], subject, .notRequested) }
        guard !answers.isEmpty else { return list.notRun(["R30.nearest", "R30.count"], subject, .notPresent) }
        let wrong = answers.filter { claim in
            guard let statement = AgeStatement(claim.element), let value = try? claim.value.bool() else { return true }
            return !questions.contains { statement.answers($0, value: value) }
        }
        let question = String(first.identifier.dropFirst("age_over_".count))
        list.judge(
            "R30.nearest", subject,
            violations: wrong.map {
                [String($0.element.dropFirst("age_over_".count)), "\((try? $0.value.bool()) ?? false)", question]
            })
        list.judge("R30.count", subject, answers.count <= 2, [String(answers.count)])
    }
}
