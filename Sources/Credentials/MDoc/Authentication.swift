public import Codec
public import Crypto

/// The bytes that device authentication signs or MACs (ISO/IEC 18013-5:2021 §9.1.3.4).
///
///     DeviceAuthentication = [ "DeviceAuthentication", SessionTranscript, DocType, DeviceNameSpacesBytes ]
public enum DeviceAuthentication {
    /// `DeviceAuthenticationBytes = #6.24(bstr .cbor DeviceAuthentication)`: the detached payload of deviceSignature and deviceMac.
    public static func bytes(
        transcript: SessionTranscript, docType: DocType, nameSpaces: Embedded<DeviceNameSpaces>
    ) -> [UInt8] {
        authenticationBytes("DeviceAuthentication", count: 4, transcript) { encoder in
            encoder.text(docType)
            encoder.encode(nameSpaces)
        }
    }

    /// EMacKey (§9.1.3.5): HKDF-SHA-256 of the agreement of SDeviceKey with EReaderKey, 32 bytes.
    /// - Parameter sharedSecret: the x-coordinate that key agreement yields.
    public static func macKey(sharedSecret: [UInt8], transcript: SessionTranscript) throws(CryptoError) -> [UInt8] {
        try HKDF.sha256(ikm: sharedSecret, salt: transcript.hash, info: Array("EMacKey".utf8), length: 32)
    }
}

/// The bytes that the reader signs for one document request (ISO/IEC 18013-5:2021 §9.1.4.5).
///
///     ReaderAuthentication = [ "ReaderAuthentication", SessionTranscript, ItemsRequestBytes ]
public enum ReaderAuthentication {
    /// `ReaderAuthenticationBytes = #6.24(bstr .cbor ReaderAuthentication)`: the detached payload of readerAuth.
    public static func bytes(transcript: SessionTranscript, itemsRequest: Embedded<ItemsRequest>) -> [UInt8] {
        authenticationBytes("ReaderAuthentication", count: 3, transcript) { $0.encode(itemsRequest) }
    }
}

/// The bytes that the reader signs once for all document requests (WD2 §12.5.4).
///
///     ReaderAuthenticationAll = [
///         "ReaderAuthenticationAll", SessionTranscript, [ + ItemsRequestBytes ], DeviceRequestInfoBytes / null
///     ]
public enum ReaderAuthenticationAll {
    /// `ReaderAuthenticationAllBytes = #6.24(bstr .cbor ReaderAuthenticationAll)`: the detached payload of each readerAuthAll.
    public static func bytes(
        transcript: SessionTranscript, itemsRequests: [Embedded<ItemsRequest>], deviceRequestInfo: Embedded<DeviceRequestInfo>?
    ) -> [UInt8] {
        authenticationBytes("ReaderAuthenticationAll", count: 4, transcript) { encoder in
            encoder.array(itemsRequests.count)
            for request in itemsRequests { encoder.encode(request) }
            if let deviceRequestInfo { encoder.encode(deviceRequestInfo) } else { encoder.null() }
        }
    }
}

private func authenticationBytes(
    _ context: String, count: Int, _ transcript: SessionTranscript, _ rest: (inout CBOREncoder) -> Void
) -> [UInt8] {
    var array = CBOREncoder(capacity: transcript.encoded.count + 512)
    array.array(count)
    array.text(context)
    array.raw(transcript.encoded)
    rest(&array)
    var tagged = CBOREncoder(capacity: array.bytes.count + 8)
    tagged.embedded(array.bytes)
    return tagged.bytes
}
