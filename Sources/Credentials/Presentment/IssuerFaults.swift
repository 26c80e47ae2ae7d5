import Codec
import Crypto
import Ports

extension ContentFault {
    /// Faults that are made where the document is signed.
    static let issuerFaults = algorithmFaults + chainFaults + objectFaults + itemFaults + timeFaults + deviceKeyFaults

    private static let algorithmFaults: [ContentFault] = [
        .init(
            "issuer-alg-protected", "the algorithm of issuerAuth stands in the unprotected header", also: ["R14"],
            .mint { draft in draft.unprotectedHeaders += draft.take(COSEHeaders.Label.algorithm) }),
        .init(
            "issuer-alg-allowed", "issuerAuth names RS256 (-257)", also: ["R14"],
            .mint { $0.setProtected(COSEHeaders.Label.algorithm, .int(-257)) }),
        .init(
            "issuer-alg-curve", "issuerAuth names an algorithm of another curve", also: ["R14"],
            .mint { draft in
                let curve = try draft.signerCurve(for: "issuer-alg-curve")
                let other = COSEAlgorithm.iso(for: curve) == .es384 ? COSEAlgorithm.es256 : .es384
                draft.setProtected(COSEHeaders.Label.algorithm, .int(other.rawValue))
            }),
        .init(
            "issuer-alg-fully-specified", "issuerAuth names a fully specified algorithm",
            .mint { draft in
                let curve = try draft.signerCurve(for: "issuer-alg-fully-specified")
                guard let algorithm = COSEAlgorithm.allCases.first(where: { $0.isFullySpecified && $0.allows(curve) }) else {
                    throw TamperingError.needs("a signer on a NIST or Edwards curve", fault: "issuer-alg-fully-specified")
                }
                draft.setProtected(COSEHeaders.Label.algorithm, .int(algorithm.rawValue))
            }),
        .init(
            "issuer-signature", "one bit of the issuer's signature is flipped",
            .mint { $0.spoilsSignature = true }, .document { draft in try draft.spoilIssuerSignature() }),
    ]

    private static let chainFaults: [ContentFault] = [
        .init(
            "x5chain-present", "issuerAuth carries no certificate",
            .mint { draft in _ = draft.take(COSEHeaders.Label.x5chain) }),
        .init(
            "x5chain-encoding", "x5chain is a text string",
            .mint { $0.setUnprotected(COSEHeaders.Label.x5chain, .text("certificate")) }),
        .init(
            "x5chain-single-array", "one certificate wrapped in an array",
            .mint { draft in
                draft.setUnprotected(COSEHeaders.Label.x5chain, .array([.bytes(draft.certificate.der)]))
            }),
        .init(
            "root-in-x5chain", "x5chain ends with the root",
            .mint { draft in
                guard let root = draft.root else {
                    throw TamperingError.needs("the root certificate at hand", fault: "root-in-x5chain")
                }
                draft.setUnprotected(COSEHeaders.Label.x5chain, .array([.bytes(draft.certificate.der), .bytes(root.der)]))
            }),
        .init(
            "x5chain-protected", "x5chain stands in the protected header",
            .mint { draft in draft.protectedHeaders += draft.take(COSEHeaders.Label.x5chain) }),
        .init(
            "x5t-matches", "x5t is the hash of another certificate",
            .mint { draft in
                let hash = HashAlgorithm.sha256.digest(draft.certificate.der + [0])
                draft.setUnprotected(COSEHeaders.Label.x5t, .array([.int(-16), .bytes(hash)]))
            }),
    ]

    private static let objectFaults: [ContentFault] = [
        .init("mso-shape", "the MSO is not inside tag 24", .mint { $0.payloadIsTagged = false }),
        .init("mso-version", "MSO version 2.0", .mint { $0.version = "2.0" }),
        .init("mso-digest-algorithm", "the MSO names the digest algorithm SHA-1", .mint { $0.digestAlgorithm = "SHA-1" }),
        .init(
            "doctype-equal", "the MSO names another docType than the document", also: ["R24.signature", "R24.mac"],
            .mint { $0.docType += ".other" }),
        .init(
            "issuing-country", "issuing_country is not that of the signer's certificate",
            .mint { draft in try draft.setValue("issuing_country", .text("ZZ"), fault: "issuing-country") }),
        .init(
            "issuing-jurisdiction", "issuing_jurisdiction is not that of the signer's certificate",
            .mint { draft in try draft.setValue("issuing_jurisdiction", .text("ZZ-ZZ"), fault: "issuing-jurisdiction") }),
    ]

    private static let itemFaults: [ContentFault] = [
        .init(
            "digest-exists", "the MSO has no digest for one item",
            .mint { draft in draft.items[draft.victim].digestIsListed = false }),
        .init(
            "digest-wrong", "the digest of one item does not match",
            .mint { draft in draft.items[draft.victim].digestIsRight = false },
            .document { draft in try draft.alterItem(fault: "digest-wrong") { $0.withFlippedRandom } }),
        .init(
            "random-short", "the random of one item has 8 bytes",
            .mint { draft in draft.items[draft.victim].random = draft.random.bytes(8) }),
        .init(
            "random-reused", "two items share one random",
            .mint { draft in
                let (first, second) = try draft.pair(fault: "random-reused")
                draft.items[second].random = draft.items[first].random
            }),
        .init(
            "duplicate-element", "one element is there twice, each with its digest",
            .mint { draft in
                var copy = draft.items[draft.victim]
                copy.digestID = draft.freeDigestID(in: copy.nameSpace)
                copy.random = draft.random.bytes(32)
                draft.items.insert(copy, at: draft.victim + 1)
            }),
        .init(
            "duplicate-digest-id", "two items of a name space share one digestID", also: ["R16", "R17"],
            .mint { draft in
                let (first, second) = try draft.pair(fault: "duplicate-digest-id")
                draft.items[second].digestID = draft.items[first].digestID
            }),
        .init(
            "digest-id-range", "one digestID is 2^31", .mint { draft in draft.items[draft.victim].digestID = 1 << 31 }),
        .init(
            "full-date-untagged", "dates are plain text",
            .mint { draft in
                guard draft.items.contains(where: { $0.value.tagNumber == 1004 }) else {
                    throw TamperingError.needs("a document with a full-date", fault: "full-date-untagged")
                }
                for place in draft.items.indices {
                    if let content = try? draft.items[place].value.tagged(1004) { draft.items[place].value = content }
                }
            }),
    ]

    private static let timeFaults: [ContentFault] = [
        .init(
            "mso-signed-too-early", "the MSO was signed before its signer's certificate began",
            .mint { draft in draft.signed = TDate(draft.certificate.notBefore.adding(days: -30)) }),
        .init(
            "mso-not-yet-valid", "the MSO is valid from next month",
            .mint { draft in draft.validFrom = draft.signed.adding(days: 30) }),
        .init(
            "valid-from-order", "validFrom is before signed", .mint { draft in draft.validFrom = draft.signed.adding(days: -1) }),
        .init(
            "mso-expired", "the MSO has expired",
            .mint { draft in
                draft.signed = try draft.pastBeginning(fault: "mso-expired")
                draft.validFrom = draft.signed
                draft.validUntil = draft.signed.adding(seconds: 1)
            }),
        .init(
            "valid-until-order", "validUntil is not after validFrom", also: ["R21.now"],
            .mint { draft in draft.validUntil = draft.validFrom }),
        .init(
            "outlives-signer", "the MSO is valid longer than its signer's certificate",
            .mint { draft in draft.validUntil = TDate(draft.certificate.notAfter.adding(days: 30)) }),
        .init(
            "mso-fraction", "validUntil has a fraction of a second",
            .mint { draft in
                draft.validUntil = TDate(text: String(draft.validUntil.text.dropLast()) + ".123Z", isTagged: true)
            }),
    ]

    private static let deviceKeyFaults: [ContentFault] = [
        .init(
            "device-key-curve", "the device key is on secp256k1 (8)", also: ["R24.form", "R24.alg", "R24.signature", "R24.mac"],
            .mint { draft in draft.deviceKey = draft.deviceKey.replacing(-1, with: .int(8)) }),
        .init(
            "device-key-point", "the device key is no point of its curve",
            also: ["R24.form", "R24.alg", "R24.signature", "R24.mac"],
            .mint { draft in
                guard let x = try? draft.deviceKey[-2].bytes(), let y = try? draft.deviceKey[-3].bytes() else {
                    throw TamperingError.needs("a device key of type EC2", fault: "device-key-point")
                }
                let other = x.indices.map { $0 == x.count - 1 ? y[$0] ^ 1 : y[$0] }
                draft.deviceKey = draft.deviceKey.replacing(-3, with: .bytes(other))
            }),
    ]
}

extension MintDraft {
    /// The item that faults spoil: the second if there are several, so that a fault does not hide at an edge.
    fileprivate var victim: Int { min(1, items.count - 1) }

    /// Two items of one name space.
    fileprivate func pair(fault: String) throws(TamperingError) -> (Int, Int) {
        for second in items.indices.dropFirst() where items[second].nameSpace == items[second - 1].nameSpace {
            return (second - 1, second)
        }
        throw TamperingError.needs("a name space with two elements", fault: fault)
    }

    fileprivate func freeDigestID(in nameSpace: NameSpace) -> UInt64 {
        (items.filter { $0.nameSpace == nameSpace }.map(\.digestID).max() ?? 0) + 1
    }

    fileprivate mutating func take(_ label: Int) -> [(label: Int, value: CBOR)] {
        let taken = (protectedHeaders + unprotectedHeaders).filter { $0.label == label }
        protectedHeaders.removeAll { $0.label == label }
        unprotectedHeaders.removeAll { $0.label == label }
        return taken
    }

    fileprivate mutating func setProtected(_ label: Int, _ value: CBOR) {
        _ = take(label)
        protectedHeaders.append((label, value))
    }

    fileprivate mutating func setUnprotected(_ label: Int, _ value: CBOR) {
        _ = take(label)
        unprotectedHeaders.append((label, value))
    }

    fileprivate func signerCurve(for fault: String) throws(TamperingError) -> Curve {
        guard let key = try? certificate.publicKey() else {
            throw TamperingError.needs("a signer's certificate with an EC key", fault: fault)
        }
        return key.curve
    }

    fileprivate mutating func setValue(
        _ identifier: DataElementIdentifier, _ value: CBOR, fault: String
    ) throws(TamperingError) {
        guard let place = items.firstIndex(where: { $0.identifier == identifier }) else {
            throw TamperingError.needs("a document with \(identifier)", fault: fault)
        }
        items[place].value = value
    }

    /// A time well before now at which the signer's certificate was valid already.
    fileprivate func pastBeginning(fault: String) throws(TamperingError) -> TDate {
        guard let now = signed.timestamp else { throw TamperingError.needs("a readable signing time", fault: fault) }
        let beginning = max(certificate.notBefore, now.adding(days: -2))
        guard now.seconds(since: beginning) > 120 else {
            throw TamperingError.needs("a signer's certificate that is valid for more than two minutes already", fault: fault)
        }
        return TDate(beginning)
    }
}

extension TDate {
    fileprivate func adding(seconds: Int64) -> TDate { timestamp.map { TDate($0.adding(seconds: seconds)) } ?? self }
    fileprivate func adding(days: Int) -> TDate { timestamp.map { TDate($0.adding(days: days)) } ?? self }
}

extension CBOR {
    /// A copy of a map with the value of an integer key exchanged.
    fileprivate func replacing(_ key: Int, with value: CBOR) -> CBOR {
        guard let members = try? map() else { return self }
        return .map(members.map { member in ((try? member.key.int()) == key ? (member.key, value) : (member.key, member.value)) })
    }
}
