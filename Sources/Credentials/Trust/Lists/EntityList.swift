import Codec
import Crypto
import Ports

/// A list of trusted entities (ETSI TS 119 602, JSON binding) as received: a signed JWT over
///
///     {"LoTE": {"ListAndSchemeInformation": {"LoTEVersionIdentifier", "LoTESequenceNumber", "LoTEType", "SchemeOperatorName",
///                                            "ListIssueDateTime", "NextUpdate", ? "DistributionPoints": [uri],
///                                            ? "PointersToOtherLoTE": [{"LoTELocation", …}]},
///               "TrustedEntitiesList": [{"TrustedEntityInformation": {"TEName"},
///                   "TrustedEntityServices": [{"ServiceInformation": {"ServiceTypeIdentifier", ? "ServiceStatus",
///                       "ServiceDigitalIdentity": {"X509Certificates": [{"val": base64}]}}}]}]}}
struct EntityList {
    let jws: JWS
    private let list: JSON
    private let information: JSON

    static func recognises(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: Array("eyJ".utf8)) else { return false }
        return (try? EntityList(bytes)) != nil
    }

    init(_ bytes: [UInt8]) throws(TrustListError) {
        do {
            jws = try JWS(compact: String(decoding: bytes, as: UTF8.self).trimmingASCIISpace)
            let claims = try jws.claims()
            let bare: JSON? = claims["ListAndSchemeInformation"].map { _ in .object(claims) }
            guard let list = claims["LoTE"] ?? bare,
                let information = list["ListAndSchemeInformation"], information.objectValue != nil
            else { throw TrustListError("no list of trusted entities: LoTE.ListAndSchemeInformation is missing") }
            self.list = list
            self.information = information
        } catch let error as TrustListError {
            throw error
        } catch { throw TrustListError("no list of trusted entities: \(error)") }
    }

    /// The last part of `LoTEType`.
    private var type: String? {
        information["LoTEType"]?.stringValue.flatMap { $0.split(separator: "/").last.map(String.init) }
    }

    private var operatorName: String {
        let names = information["SchemeOperatorName"]?.arrayValue ?? []
        let english = names.first { $0["lang"]?.stringValue?.hasPrefix("en") ?? false }
        return (english ?? names.first)?["value"]?.stringValue ?? "an unnamed operator"
    }

    private func time(_ name: String) -> Timestamp? { information[name]?.stringValue.flatMap { try? Timestamp(rfc3339: $0) } }

    /// - Parameter wanted: what the list is to be used for.
    func verified(
        by verifier: TrustListVerifier, for wanted: TrustRole?, also signers: [Certificate] = [], at time: Timestamp
    ) throws(TrustListError) -> TrustList {
        let kind = TrustList.Kind.lote(type ?? "of unknown type")
        let sequence = information["LoTESequenceNumber"]?.intValue.flatMap { UInt64(exactly: $0) }
        let subject = TrustList.name(kind, operatorName, sequence)
        var list = CheckList(edition: verifier.edition)
        checkSignature(verifier, signers, time, &list, subject)
        let (entries, shape) = entities(subject)
        if let shape { list.fail("T3.shape", subject, "\(shape) missing or mistyped") } else { list.pass("T3.shape", subject) }
        checkTimes(verifier, time, &list, subject)
        checkType(wanted, &list, subject)
        return TrustList(
            kind: kind, provider: operatorName, sequence: sequence, issuedAt: self.time("ListIssueDateTime"),
            nextUpdate: self.time("NextUpdate"), entries: entries, pointers: pointers, checks: list,
            isUsable: list.checks.allSatisfy { $0.outcome != .fail },
            locations: (information["DistributionPoints"]?.arrayValue ?? []).compactMap(\.stringValue))
    }

    private func checkSignature(
        _ verifier: TrustListVerifier, _ signers: [Certificate], _ time: Timestamp, _ list: inout CheckList, _ subject: String
    ) {
        let certificates = (try? jws.protected.x5c()) ?? []
        let chain = verifier.chain(certificates, as: .status, and: signers, at: time)
        if let key = chain.key {
            // `sigT` and the like of JAdES: whoever reads the list acts upon them by the dates of the list itself.
            list.judge("T3.signature", subject, (try? jws.verify(with: key, understood: ["sigT", "sigD", "b64"])) != nil)
        } else {
            list.fail("T3.signature", subject, "list signature invalid: no usable certificate in x5c")
        }
        if chain.isTrusted || verifier.isPinned(certificates, signers) {
            list.pass("T3.path", subject)
        } else {
            let why = chain.result.findings.filter { $0.kind != .rootInChain }.map(\.description).joined(separator: "; ")
            list.fail("T3.path", subject, "list signer not trusted\(why.isEmpty ? "" : ": \(why)")")
        }
    }

    private func checkTimes(_ verifier: TrustListVerifier, _ time: Timestamp, _ list: inout CheckList, _ subject: String) {
        guard let next = self.time("NextUpdate") else {
            return list.fail("T3.shape", subject, "NextUpdate missing or mistyped")
        }
        list.judge("T3.expired", subject, next > time.adding(seconds: -verifier.skew), [next.rfc3339])
    }

    private func checkType(_ wanted: TrustRole?, _ list: inout CheckList, _ subject: String) {
        guard let type else { return list.notRun("T3.type", subject, .needs("T3.shape")) }
        let role = Self.roles[type]?.role
        guard let wanted, role != wanted else { return list.pass("T3.type", subject) }
        list.fail("T3.type", subject, values: [type, wanted.rawValue])
    }

    /// What each list is for, and the documents that its entities may issue; nil: any.
    static let roles: [String: (role: TrustRole, docTypes: Set<String>?)] = [
        "EUPIDProvidersList": (.documents, ["eu.europa.ec.eudi.pid.1", "urn:eudi:pid:1"]),
        "EUPubEAAProvidersList": (.documents, nil), "EUEAAProvidersList": (.documents, nil),
        "EUmDLProvidersList": (.documents, ["org.iso.18013.5.1.mDL"]), "EUWRPACProvidersList": (.readers, nil),
        "EUWRPRCProvidersList": (.registrars, nil), "EUWalletProvidersList": (.wallets, nil),
    ]

    // MARK: entities

    /// - Returns: the anchors, and the member that is missing or mistyped.
    private func entities(_ source: String) -> ([TrustAnchor], fault: String?) {
        guard let type, let use = Self.roles[type] else { return ([], type == nil ? "LoTEType" : nil) }
        guard information["LoTESequenceNumber"]?.intValue != nil else { return ([], "LoTESequenceNumber") }
        guard let entities = list["TrustedEntitiesList"]?.arrayValue else {
            // A list that only points to others has none of its own.
            return ([], pointers.isEmpty ? "TrustedEntitiesList" : nil)
        }
        var anchors: [TrustAnchor] = []
        for (place, entity) in entities.enumerated() {
            guard let services = entity["TrustedEntityServices"]?.arrayValue else {
                return (anchors, "TrustedEntitiesList[\(place)].TrustedEntityServices")
            }
            for service in services {
                guard let information = service["ServiceInformation"], let identity = information["ServiceDigitalIdentity"] else {
                    return (anchors, "TrustedEntitiesList[\(place)].ServiceInformation.ServiceDigitalIdentity")
                }
                guard Self.isIssuing(information) else { continue }
                guard let certificates = Self.certificates(identity) else {
                    return (anchors, "TrustedEntitiesList[\(place)].ServiceDigitalIdentity.X509Certificates")
                }
                anchors += certificates.map { TrustAnchor($0, role: use.role, docTypes: use.docTypes, source: source) }
            }
        }
        return (anchors, nil)
    }

    /// Services of revocation sign status lists, not documents; withdrawn ones sign nothing.
    private static func isIssuing(_ information: JSON) -> Bool {
        let isWithdrawn = information["ServiceStatus"]?.stringValue?.hasSuffix("withdrawn") ?? false
        return !isWithdrawn && !(information["ServiceTypeIdentifier"]?.stringValue?.hasSuffix("/Revocation") ?? false)
    }

    private static func certificates(_ identity: JSON) -> [Certificate]? {
        guard let values = identity["X509Certificates"]?.arrayValue else { return nil }
        var certificates: [Certificate] = []
        for value in values {
            guard let text = value["val"]?.stringValue ?? value.stringValue, let der = try? Base64.decode(text),
                let certificate = try? Certificate(der: der)
            else { return nil }
            certificates.append(certificate)
        }
        return certificates
    }

    private var pointers: [TrustList.Pointer] {
        let items = (information["PointersToOtherLoTE"] ?? information["PointerToOtherLoTE"])?.arrayValue ?? []
        return items.compactMap { item in
            guard let uri = item["LoTELocation"]?.stringValue else { return nil }
            let signers = (item["ServiceDigitalIdentities"]?.arrayValue ?? []).compactMap(Self.certificates).flatMap { $0 }
            let type = item["LoTEQualifiers"]?.arrayValue?.compactMap { $0["LoTEType"]?.stringValue }.first
            return TrustList.Pointer(uri: uri, signers: signers, type: type)
        }
    }
}
