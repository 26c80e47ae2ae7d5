import Codec

/// Why a DeviceRequest cannot be answered, with the response status to send (ISO/IEC 18013-5:2021 §8.3.2.1.2.3, Table 8) and the
/// check of the catalogue that says so.
public struct DeviceRequestRefusal: Error, Sendable {
    /// The checks that a request can fail before anything is looked up.
    public enum Check: String, Sendable {
        case cbor = "H4.cbor"
        case major = "H4.major"
        case tag = "H5.tag"
        case shape = "H5.shape"
        case useCases = "H12.shape"
    }

    /// The check that fails.
    public let check: Check
    /// `DeviceResponse.Status`: 10, 11 or 12.
    public let status: UInt64
    /// What is wrong, with path and offset.
    public let reason: String
}

extension DeviceRequest {
    /// Reads a request as the mdoc receives it.
    public static func receive(_ bytes: [UInt8]) throws(DeviceRequestRefusal) -> DeviceRequest {
        let item: CBOR
        do { item = try CBOR(decoding: bytes) } catch {
            throw DeviceRequestRefusal(
                check: .cbor, status: DeviceResponse.Status.decodingError, reason: "request is not valid CBOR: \(error)")
        }
        if let version = try? item["version"].text(), !ProtocolVersion(version).isSupported {
            throw DeviceRequestRefusal(
                check: .major, status: DeviceResponse.Status.generalError, reason: "DeviceRequest major version \(version)")
        }
        try requireTaggedItemsRequests(item)
        do { return try DeviceRequest(item) } catch {
            throw DeviceRequestRefusal(check: .shape, status: DeviceResponse.Status.validationError, reason: "\(error)")
        }
    }

    private static func requireTaggedItemsRequests(_ item: CBOR) throws(DeviceRequestRefusal) {
        guard let requests = try? item["docRequests"].array() else { return }
        for (position, request) in requests.enumerated() {
            guard let itemsRequest = try? request["itemsRequest"], (try? itemsRequest.tagged(24)) == nil else { continue }
            throw DeviceRequestRefusal(
                check: .tag, status: DeviceResponse.Status.validationError,
                reason: "itemsRequest of docRequest \(position) is not tag 24, at offset \(itemsRequest.offset)")
        }
    }
}
