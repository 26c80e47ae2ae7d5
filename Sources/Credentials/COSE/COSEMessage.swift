import Codec

/// What COSE_Sign1 and COSE_Mac0 have in common (RFC 9052 §4.2, §6.2):
///
///     [ protected: bstr, unprotected: map, payload: bstr / nil, proof: bstr ]
struct COSEMessage: Sendable, Hashable {
    let protectedBytes: [UInt8]
    let protected: COSEHeaders
    let unprotected: COSEHeaders
    let payload: [UInt8]?
    /// Whether a detached payload left `undefined` where null belongs, as wallets in the field do.
    let payloadIsUndefined: Bool
    let proof: [UInt8]
    let isTagged: Bool
    /// The whole structure as received; nil for one made here.
    let received: CBOR?

    init(_ cbor: CBOR, tag: UInt64, name: String) throws(CBORError) {
        isTagged = cbor.kind == .tag
        let body = isTagged ? try cbor.tagged(tag) : cbor
        guard body.kind == .array, body.count == 4 else {
            throw body.error(.invalid("\(name) is an array of 4, found \(body.kind.cddlName) of \(body.count)"))
        }
        let elements = Array(try body.array())
        (protectedBytes, protected) = try Self.protected(elements[0])
        unprotected = try COSEHeaders(received: elements[1])
        payloadIsUndefined = elements[2].kind == .undefined
        payload = elements[2].isNull || payloadIsUndefined ? nil : try elements[2].bytes()
        proof = try elements[3].bytes()
        received = cbor
    }

    init(protected: COSEHeaders, unprotected: COSEHeaders, payload: [UInt8]?, proof: [UInt8], isTagged: Bool) {
        protectedBytes = protected.isEmpty ? [] : protected.map.encoded
        self.protected = protected
        self.unprotected = unprotected
        self.payload = payload
        payloadIsUndefined = false
        self.proof = proof
        self.isTagged = isTagged
        received = nil
    }

    /// The protected map and its bytes as received; a zero-length string stands for the empty map.
    static func protected(_ item: CBOR) throws(CBORError) -> ([UInt8], COSEHeaders) {
        let bytes = try item.bytes()
        return (bytes, bytes.isEmpty ? .empty : try COSEHeaders(received: item.embeddedContent()))
    }

    /// The payload decoded as one CBOR item, whose errors name their place in the whole message.
    func payloadContent() throws(CBORError) -> CBOR? {
        guard let received else { return try payload.map { bytes throws(CBORError) in try CBOR(decoding: bytes) } }
        let body = isTagged ? try received.tagContent() : received
        return payload == nil ? nil : try body[2].embeddedContent()
    }

    /// The payload that the proof covers: the one inside, or the caller's when it is detached.
    func covered(_ detached: [UInt8]?) throws(COSEError) -> [UInt8] {
        switch (payload, detached) {
        case (let payload?, nil): return payload
        case (nil, let detached?): return detached
        case (nil, nil): throw .payloadMissing
        case (_?, _?): throw .payloadNotDetached
        }
    }

    /// Sig_structure or MAC_structure (RFC 9052 §4.4, §6.3) in two parts, so that the payload is not copied.
    func toBeProved(_ context: String, aad: [UInt8], payload: [UInt8]) -> [[UInt8]] {
        Self.structure(context, [protected.isEmpty ? [] : protectedBytes], aad: aad, payload: payload)
    }

    static func structure(_ context: String, _ protected: [[UInt8]], aad: [UInt8], payload: [UInt8]) -> [[UInt8]] {
        var encoder = CBOREncoder(capacity: 64 + protected.reduce(aad.count) { $0 + $1.count })
        encoder.array(3 + protected.count)
        encoder.text(context)
        for bytes in protected { encoder.bytes(bytes) }
        encoder.bytes(aad)
        encoder.byteStringHead(payload.count)
        return [encoder.bytes, payload]
    }

    /// The algorithm, from the protected map if it stands there.
    func algorithm() throws(COSEError) -> COSEAlgorithm {
        try Self.algorithm(protected, unprotected)
    }

    static func algorithm(_ protected: COSEHeaders, _ unprotected: COSEHeaders) throws(COSEError) -> COSEAlgorithm {
        let headers = protected[COSEHeaders.Label.algorithm] != nil ? protected : unprotected
        guard let text = headers.algorithmText else { throw .algorithmMissing }
        guard let algorithm = headers.algorithm.flatMap(COSEAlgorithm.init) else { throw .algorithmUnsupported(text) }
        return algorithm
    }

    /// Refuses what `crit` marks and this program does not know (RFC 9052 §3.1).
    func checkCritical() throws(COSEError) {
        try Self.checkCritical(protected, unprotected)
    }

    static func checkCritical(_ protected: COSEHeaders, _ unprotected: COSEHeaders) throws(COSEError) {
        guard unprotected[COSEHeaders.Label.critical] == nil else { throw .criticalHeader("it stands in the unprotected map") }
        guard let critical = protected[COSEHeaders.Label.critical] else { return }
        guard critical.kind == .array, critical.count > 0, let labels = try? critical.array() else {
            throw .criticalHeader("it is no array of labels")
        }
        for label in labels {
            guard let number = try? label.int(), understood.contains(number) else {
                throw .criticalHeader("\(name(of: label)) is not understood")
            }
            guard protected[number] != nil else { throw .criticalHeader("\(number) is listed but not protected") }
        }
    }

    private static func name(of label: CBOR) -> String {
        if let number = try? label.int() { return String(number) }
        if let text = try? label.text() { return JSON.string(text).encoded() }
        return "a label of type \(label.kind.cddlName)"
    }

    private static let understood: Set<Int> = [
        COSEHeaders.Label.algorithm, COSEHeaders.Label.contentType, COSEHeaders.Label.keyID, COSEHeaders.Label.type,
        COSEHeaders.Label.x5chain, COSEHeaders.Label.x5t,
    ]

    var encodedSizeHint: Int {
        let parts = [protectedBytes.count, unprotected.map.encodedSizeHint, payload?.count ?? 0, proof.count]
        return received?.encodedSizeHint ?? parts.reduce(32, +)
    }

    func encode(tag: UInt64, to encoder: inout CBOREncoder) {
        if let received { return encoder.item(received) }
        if isTagged { encoder.tag(tag) }
        encoder.array(4)
        encoder.bytes(protectedBytes)
        encoder.item(unprotected.map)
        if let payload { encoder.bytes(payload) } else { encoder.null() }
        encoder.bytes(proof)
    }
}

extension CBOREncoder {
    /// The head of a byte string of which the content follows elsewhere.
    fileprivate mutating func byteStringHead(_ count: Int) {
        let start = bytes.count
        int(count)
        bytes[start] |= 0x40  // major type 2 where `int` wrote 0
    }
}
