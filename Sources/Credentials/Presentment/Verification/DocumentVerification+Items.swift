import Codec
import Crypto

extension DocumentVerification {
    private static let itemChecks = ["R16", "R17", "R18.random", "R18.random-reused", "R18.digest-id", "R18.range"]

    /// R16–R18: every item against the digest that the issuer signed, over the bytes as received.
    mutating func checkItems() {
        let deviceSigned = document.deviceSigned?.nameSpaces.value.nameSpaces ?? []
        guard !document.issuerSigned.nameSpaces.isEmpty else {
            // An element counts once, whoever signed it.
            if deviceSigned.isEmpty { list.notRun("R18.element", subject, .notPresent) } else { list.pass("R18.element", subject) }
            return list.notRun(Self.itemChecks, subject, .notPresent)
        }
        let findings = judgeItems(deviceSigned)
        if object == nil {
            list.notRun(["R16", "R17"], subject, .needs("R15.payload"))
        } else if object?.hash == nil {
            list.notRun(["R16", "R17"], subject, .needs("R15.digest-algorithm"))
        } else {
            list.judge("R16", subject, violations: findings.unknown)
            list.judge("R17", subject, violations: findings.different)
        }
        list.judge("R18.random", subject, violations: findings.short)
        list.judge("R18.random-reused", subject, !findings.isRandomReused)
        list.judge("R18.element", subject, violations: findings.elementsTwice)
        list.judge("R18.digest-id", subject, violations: findings.digestIDsTwice)
        list.judge("R18.range", subject, violations: findings.outOfRange)
    }

    /// One pass over all items, which also presents each as a claim.
    private mutating func judgeItems(_ deviceSigned: [DeviceNameSpaces.Elements]) -> ItemFindings {
        let count = document.issuerSigned.nameSpaces.reduce(0) { $0 + $1.items.count }
        var findings = ItemFindings(hash: object?.hash, count: count)
        presented.claims.reserveCapacity(count)
        for (nameSpace, items) in document.issuerSigned.nameSpaces {
            let digests = object?.valueDigests.first { $0.nameSpace == nameSpace }?.digests ?? [:]
            let alsoSigned = deviceSigned.filter { $0.nameSpace == nameSpace }.flatMap { $0.elements.map(\.identifier) }
            findings.add(items, in: nameSpace, digests, deviceSigned: alsoSigned) { item, matches in
                present(nameSpace, item.elementIdentifier, item.elementValue, .issuer, isVerified: matches)
            }
        }
        return findings
    }

    mutating func present(
        _ nameSpace: NameSpace, _ identifier: DataElementIdentifier, _ value: CBOR, _ source: PresentedClaim.Source,
        isVerified: Bool
    ) {
        presented.claims.append(
            PresentedClaim(namespace: nameSpace, element: identifier, value: value, source: source, isVerified: isVerified))
    }
}
