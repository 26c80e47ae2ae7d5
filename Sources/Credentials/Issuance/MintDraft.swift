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
            let digestIDs = random.permutation(of: elements.count)
            let salts = random.bytes(saltLength * elements.count)
            return elements.indices.map { place in
                Item(
                    nameSpace: nameSpace, identifier: elements[place].identifier, digestID: UInt64(digestIDs[place]),
                    random: Array(salts[place * saltLength..<(place + 1) * saltLength]), value: elements[place].value)
            }
        }
    }

    /// Bytes of random in an item: twice what a reader asks for at least.
    private static let saltLength = 32

    /// The payload that is signed, over the digests of the encoded items.
    func payload(_ digests: [MobileSecurityObject.Digests]) -> [UInt8] {
        let mso = MobileSecurityObject(
            version: ProtocolVersion(version), digestAlgorithm: digestAlgorithm, valueDigests: digests,
            deviceKeyItem: deviceKey, keyAuthorizations: keyAuthorizations, docType: docType,
            validityInfo: ValidityInfo(signed: signed, validFrom: validFrom, validUntil: validUntil), status: status)
        return payloadIsTagged ? Embedded(mso).encoded : mso.encodedCBOR
    }

    /// The items as they travel and their digests, by name space.
    func encodedItems() -> (nameSpaces: [IssuerSigned.Items], digests: [MobileSecurityObject.Digests]) {
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
            var digest = encoded.item.withEncoded { hash.digest($0) }
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
        // One draw for all: each call of the kernel's generator costs as much as the rest.
        let words = bytes(8 * max(0, count - 1))
        for (place, last) in stride(from: count - 1, to: 0, by: -1).enumerated() {
            numbers.swapAt(last, number(below: last + 1, from: words[place * 8..<place * 8 + 8]))
        }
        return numbers
    }

    /// A uniform number from 0 to below `bound`, of a word of 8 random bytes; one beyond the last multiple of it is drawn again.
    private func number(below bound: Int, from word: ArraySlice<UInt8>) -> Int {
        precondition(bound > 0, "there is no number below \(bound)")
        let limit = UInt64.max - UInt64.max % UInt64(bound)
        let value = word.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return value < limit ? Int(value % UInt64(bound)) : number(below: bound, from: bytes(8)[...])
    }
}
