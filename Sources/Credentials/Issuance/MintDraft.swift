import Codec
import Crypto
import Ports

/// A document on its way to being signed: everything that ends up in it, still changeable, so that faults can spoil each part.
struct MintDraft: Sendable {
    /// An item before it is encoded.
    struct Item: Sendable {
        let nameSpace: NameSpace
        let identifier: DataElementIdentifier
        var digestID: UInt64
        var random: [UInt8]
        var value: CBOR
        /// Whether the MSO lists the digest, and the right one.
        var digestIsListed = true
        var digestIsRight = true

        var reference: ElementReference { ElementReference(nameSpace: nameSpace, identifier: identifier) }
    }

    var version = "1.0"
    var docType: DocType
    var items: [Item]
    var hash: HashAlgorithm
    var digestAlgorithm: String
    var deviceKey: CBOR
    var keyAuthorizations: KeyAuthorizations?
    var signed: TDate
    var validFrom: TDate
    var validUntil: TDate
    var status: CBOR?
    var payloadIsTagged = true
    var protectedHeaders: [(label: Int, value: CBOR)]
    var unprotectedHeaders: [(label: Int, value: CBOR)]
    var spoilsSignature = false
    let certificate: Certificate
    let root: Certificate?
    let random: any RandomSource

    init(_ order: DocumentOrder, signer: IssuingIdentity, certificate: Certificate, random: any RandomSource) {
        docType = order.docType
        items = Self.items(order.claims, random)
        hash = order.hash
        digestAlgorithm = MobileSecurityObject.name(of: order.hash)
        deviceKey = CBOR(encoding: { $0.encode(order.deviceKey) })
        keyAuthorizations = order.keyAuthorizations
        signed = TDate(order.signed)
        validFrom = TDate(order.validFrom)
        validUntil = TDate(order.validUntil)
        status = order.status
        protectedHeaders = [(COSEHeaders.Label.algorithm, .int(signer.algorithm.rawValue))]
        let chain = signer.certificates.map { CBOR.bytes($0.der) }
        unprotectedHeaders = [(COSEHeaders.Label.x5chain, chain.count == 1 ? chain[0] : .array(chain))]
        self.certificate = certificate
        root = signer.root
        self.random = random
    }

    /// Items with fresh random and, within each name space, digest IDs in random order, which keeps the order of claims from
    /// telling anything (ISO/IEC 18013-5:2021 §9.1.2.4).
    private static func items(_ claims: Claims, _ random: any RandomSource) -> [Item] {
        claims.nameSpaces.flatMap { nameSpace, elements in
            zip(elements, random.permutation(of: elements.count)).map { element, digestID in
                Item(
                    nameSpace: nameSpace, identifier: element.identifier, digestID: UInt64(digestID), random: random.bytes(32),
                    value: element.value)
            }
        }
    }

    /// The items as they travel, by name space.
    var nameSpaces: [IssuerSigned.Items] { encodedItems.nameSpaces }

    /// The payload that is signed.
    var payload: [UInt8] {
        let mso = MobileSecurityObject(
            version: ProtocolVersion(version), digestAlgorithm: digestAlgorithm, valueDigests: encodedItems.digests,
            deviceKeyItem: deviceKey, keyAuthorizations: keyAuthorizations, docType: docType,
            validityInfo: ValidityInfo(signed: signed, validFrom: validFrom, validUntil: validUntil), status: status)
        return payloadIsTagged ? Embedded(mso).encoded : mso.encodedCBOR
    }

    private var encodedItems: (nameSpaces: [IssuerSigned.Items], digests: [MobileSecurityObject.Digests]) {
        var nameSpaces: [IssuerSigned.Items] = []
        var digests: [MobileSecurityObject.Digests] = []
        for item in items {
            let encoded = Embedded(
                IssuerSignedItem(
                    digestID: item.digestID, random: item.random, elementIdentifier: item.identifier, elementValue: item.value))
            if nameSpaces.last?.nameSpace != item.nameSpace {
                nameSpaces.append((item.nameSpace, []))
                digests.append((item.nameSpace, [:]))
            }
            let last = nameSpaces.count - 1
            nameSpaces[last].items.append(encoded)
            guard item.digestIsListed else { continue }
            var digest = hash.digest(encoded.encoded)
            if !item.digestIsRight { digest[0] ^= 1 }
            digests[last].digests[item.digestID] = digest
        }
        return (nameSpaces, digests)
    }
}

extension RandomSource {
    /// The numbers below `count` in random order.
    func permutation(of count: Int) -> [Int] {
        var numbers = Array(0..<count)
        for last in stride(from: count - 1, to: 0, by: -1) { numbers.swapAt(last, number(below: last + 1)) }
        return numbers
    }

    /// A uniform number from 0 to below `bound`: words beyond the last multiple of it are drawn again.
    func number(below bound: Int) -> Int {
        precondition(bound > 0, "there is no number below \(bound)")
        let limit = UInt64.max - UInt64.max % UInt64(bound)
        while true {
            let word = bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            if word < limit { return Int(word % UInt64(bound)) }
        }
    }
}
