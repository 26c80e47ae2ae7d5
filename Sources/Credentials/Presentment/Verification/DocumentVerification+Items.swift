import Codec
import Crypto

extension DocumentVerification {
    private static let itemChecks = [
        "R16", "R17", "R18.random", "R18.random-reused", "R18.element", "R18.digest-id", "R18.range",
    ]

    /// R16–R18: every item against the digest that the issuer signed, over the bytes as received.
    mutating func checkItems() {
        guard !document.issuerSigned.nameSpaces.isEmpty else {
            checkDuplicates()
            return list.notRun(Self.itemChecks.filter { $0 != "R18.element" }, subject, .notPresent)
        }
        checkDigests()
        checkRandoms()
        checkDuplicates()
        checkDigestIDs()
    }

    private mutating func checkDigests() {
        let missingInput: NotRunReason? =
            object == nil ? .needs("R15.payload") : object?.hash == nil ? .needs("R15.digest-algorithm") : nil
        presented.claims.reserveCapacity(itemCount)
        var unknown: [[String]] = []
        var different: [[String]] = []
        for (nameSpace, items) in document.issuerSigned.nameSpaces {
            let digests = object?.valueDigests.first { $0.nameSpace == nameSpace }?.digests ?? [:]
            for item in items {
                let expected = digests[item.value.digestID]
                let matches = expected.map { isDigest($0, of: item.item) } ?? false
                if expected == nil { unknown.append([nameSpace, String(item.value.digestID)]) }
                if expected != nil, !matches { different.append([nameSpace, item.value.elementIdentifier]) }
                present(nameSpace, item.value.elementIdentifier, item.value.elementValue, .issuer, isVerified: matches)
            }
        }
        if let missingInput { return list.notRun(["R16", "R17"], subject, missingInput) }
        list.judge("R16", subject, violations: unknown)
        list.judge("R17", subject, violations: different)
    }

    private func isDigest(_ expected: [UInt8], of item: CBOR) -> Bool {
        guard let hash = object?.hash else { return false }
        return item.withEncoded { hash.matches(expected, $0) }
    }

    mutating func present(
        _ nameSpace: NameSpace, _ identifier: DataElementIdentifier, _ value: CBOR, _ source: PresentedClaim.Source,
        isVerified: Bool
    ) {
        presented.claims.append(
            PresentedClaim(namespace: nameSpace, element: identifier, value: value, source: source, isVerified: isVerified))
    }

    private mutating func checkRandoms() {
        var short: [[String]] = []
        var seen: Set<[UInt8]> = Set(minimumCapacity: itemCount)
        var isReused = false
        for (nameSpace, items) in document.issuerSigned.nameSpaces {
            for item in items {
                let random = item.value.random
                if random.count < 16 { short.append([nameSpace, item.value.elementIdentifier, String(random.count)]) }
                isReused = !seen.insert(random).inserted || isReused
            }
        }
        list.judge("R18.random", subject, violations: short)
        list.judge("R18.random-reused", subject, !isReused)
    }

    private var itemCount: Int { document.issuerSigned.nameSpaces.reduce(0) { $0 + $1.items.count } }

    /// An element counts once, whoever signed it.
    private mutating func checkDuplicates() {
        let signed = document.deviceSigned?.nameSpaces.value.nameSpaces ?? []
        guard !document.issuerSigned.nameSpaces.isEmpty || !signed.isEmpty else {
            return list.notRun("R18.element", subject, .notPresent)
        }
        var twice: [[String]] = []
        for (nameSpace, items) in document.issuerSigned.nameSpaces {
            var seen = Set<DataElementIdentifier>(minimumCapacity: items.count)
            let alsoSigned = signed.filter { $0.nameSpace == nameSpace }.flatMap { $0.elements.map(\.identifier) }
            for item in items where !seen.insert(item.value.elementIdentifier).inserted {
                twice.append([nameSpace, item.value.elementIdentifier])
            }
            twice += alsoSigned.filter(seen.contains).map { [nameSpace, $0] }
        }
        list.judge("R18.element", subject, violations: twice)
    }

    private mutating func checkDigestIDs() {
        var twice: [[String]] = []
        var large: [[String]] = []
        for (nameSpace, items) in document.issuerSigned.nameSpaces {
            var seen = Set<UInt64>(minimumCapacity: items.count)
            for item in items {
                let id = item.value.digestID
                if !seen.insert(id).inserted { twice.append([String(id), nameSpace]) }
                if id >= 1 << 31 { large.append([String(id)]) }
            }
        }
        list.judge("R18.digest-id", subject, violations: twice)
        list.judge("R18.range", subject, violations: large)
    }
}
