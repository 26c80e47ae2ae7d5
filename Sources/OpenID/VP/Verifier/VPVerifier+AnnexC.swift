public import Codec
import Credentials
import Crypto
import Ports

extension VPVerifier {
    /// The same request under the protocol of ISO/IEC TS 18013-7 Annex C, `{"protocol": "org-iso-mdoc", "data"}`; nil for one that it
    /// cannot make: the response has to be encrypted, and every credential asked for by DCQL an mdoc that is simply wanted.
    public func annexCRequest(_ transaction: VPTransaction) -> JSON? {
        guard transaction.mode == .dcAPIJWT, let info = Self.encryptionInfo(transaction),
            let request = DeviceRequest(asking: transaction.query)
        else { return nil }
        return AnnexC.request(request, info)
    }

    /// Made of the key and the nonce of the transaction, the same every time.
    private static func encryptionInfo(_ transaction: VPTransaction) -> AnnexC.EncryptionInfo? {
        guard let key = transaction.encryptionKey, let nonce = try? Base64URL.decode(transaction.nonce) else { return nil }
        return AnnexC.EncryptionInfo(key: key, nonce: nonce)
    }

    /// VD7 and every check of a reader over what the browser returned; nil where the transaction never asked this way.
    func annexCReport(
        _ data: JSON, _ transaction: VPTransaction, origin: String, at time: Timestamp
    ) async -> PresentationReport? {
        guard let info = Self.encryptionInfo(transaction), let request = DeviceRequest(asking: transaction.query) else {
            return nil
        }
        let opened: Result<[UInt8], AnnexC.Malformed>
        do throws(AnnexC.Malformed) {
            guard let response = data["response"]?.stringValue else { throw AnnexC.Malformed("data has no response") }
            guard let id = transaction.encryptionKeyID, let key = try? await keys.info(id) else {
                throw AnnexC.Malformed("the key of this request is gone")
            }
            opened = .success(try await AnnexC.open(response, info, origin: origin, key: key, in: keys))
        } catch { opened = .failure(error) }
        return AnnexC.verify(opened, info, origin: origin, request: request, by: settings.tokens.mdoc, at: time)
    }
}

extension DeviceRequest {
    /// What a query of OpenID4VP asks, as far as a DeviceRequest can: mdocs by type, their elements by name, all of them. Values are not
    /// asked for here; nil for a query with sets, other formats, or a document without elements.
    init?(asking query: DCQLQuery) {
        guard query.credentialSets == nil else { return nil }
        var requests: [DocRequest] = []
        for credential in query.credentials {
            guard credential.format == "mso_mdoc", let type = credential.types?.first, credential.claimSets == nil,
                let claims = credential.claims
            else { return nil }
            var nameSpaces: [ItemsRequest.Elements] = []
            for claim in claims {
                guard let names = claim.path.names, names.count == 2 else { return nil }
                let element = (identifier: names[1], intentToRetain: claim.intentToRetain ?? false)
                if let place = nameSpaces.firstIndex(where: { $0.nameSpace == names[0] }) {
                    nameSpaces[place].elements.append(element)
                } else {
                    nameSpaces.append((names[0], [element]))
                }
            }
            requests.append(DocRequest(itemsRequest: Embedded(ItemsRequest(docType: type, nameSpaces: nameSpaces))))
        }
        self.init(docRequests: requests)
    }
}
