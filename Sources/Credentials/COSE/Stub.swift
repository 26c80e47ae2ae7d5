// Only what the mdoc model needs to compile, until the COSE types are here: delete this file when they are.
public import Codec

public struct COSEKey: Sendable, CBORCodable {
    let item: CBOR
    public init(_ cbor: CBOR) throws(CBORError) { item = cbor }
    public func encode(to encoder: inout CBOREncoder) { encoder.item(item) }
}

public struct COSESign1: Sendable, CBORCodable {
    let item: CBOR
    public var payload: [UInt8]? { try? item.array(count: 4)[2].bytes() }
    public init(_ cbor: CBOR) throws(CBORError) { item = cbor }
    public func encode(to encoder: inout CBOREncoder) { encoder.item(item) }
}

public struct COSEMac0: Sendable, CBORCodable {
    let item: CBOR
    public init(_ cbor: CBOR) throws(CBORError) { item = cbor }
    public func encode(to encoder: inout CBOREncoder) { encoder.item(item) }
}
