/// The identifier of an age statement, `age_over_NN` (ISO/IEC 18013-5:2021 §7.2.5).
public struct AgeStatement: Sendable, Hashable {
    /// 0…99.
    public let age: Int

    /// - Parameter identifier: "age_over_" and exactly two digits; nil for anything else.
    public init?(_ identifier: DataElementIdentifier) {
        let prefix = "age_over_"
        let digits = identifier.utf8.dropFirst(prefix.utf8.count)
        guard identifier.hasPrefix(prefix), digits.count == 2, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let age = Int(identifier.dropFirst(prefix.count))
        else { return nil }
        self.age = age
    }

    /// The statement for an age of 0…99 (precondition).
    public init(age: Int) {
        precondition((0...99).contains(age), "an age statement has two digits")
        self.age = age
    }

    /// "age_over_" and two digits.
    public var identifier: DataElementIdentifier { "age_over_" + (age < 10 ? "0" : "") + String(age) }

    /// The statement that answers the question "is the holder at least `age`?": the nearest true one at or above it, else the
    /// nearest false one at or below it (ISO/IEC 18013-5:2021 §7.2.5 and Table D.1). nil when neither exists.
    public static func nearest(
        to age: Int, among statements: [(age: Int, value: Bool)]
    ) -> (age: Int, value: Bool)? {
        let proof = statements.filter { $0.value && $0.age >= age }.min { $0.age < $1.age }
        let refutation = statements.filter { !$0.value && $0.age <= age }.max { $0.age < $1.age }
        return proof ?? refutation
    }
}
