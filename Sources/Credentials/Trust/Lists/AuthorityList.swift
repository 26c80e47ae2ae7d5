import Codec
import Crypto
import Ports

/// A VICAL or RICAL as received, signed or not by whom it says:
///
///     COSE_Sign1 over
///     VICAL = { "version": tstr, "vicalProvider": tstr, "date": tdate, ? "vicalIssueID": uint, ? "nextUpdate": tdate,
///               "certificateInfos": [* { "certificate": bstr, "serialNumber": bigint, "ski": bstr, "docType": [+ tstr], … }] }
///     RICAL = { "version": tstr, "provider": tstr, "date": tdate, "type": tstr, ? "id": uint, ? "nextUpdate": tdate,
///               "certificateInfos": [* { "certificate": bstr, "serialNumber": bigint, "ski": bstr, ? "type": tstr, … }] }
struct AuthorityList {
    let auth: COSESign1
    let kind: TrustList.Kind
    let provider: String
    let sequence: UInt64?
    let date: TDate
    let nextUpdate: TDate?
    let entries: [TrustAnchor]

    static func recognises(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, first == 0xD2 || first == 0x84 else { return false }
        return (try? AuthorityList(bytes)) != nil
    }

    /// The most authorities that are read.
    private static let limit = 10_000

    init(_ bytes: [UInt8]) throws(TrustListError) {
        do {
            auth = try COSESign1(CBOR(decoding: bytes))
            guard let payload = auth.payload else { throw TrustListError("the COSE_Sign1 has no payload") }
            let item = try CBOR(decoding: payload)
            _ = try item["version"].text()
            let isVICAL = try item.optional("vicalProvider") != nil
            kind = isVICAL ? .vical : .rical
            provider = try item[isVICAL ? "vicalProvider" : "provider"].text()
            sequence = try item.optional(isVICAL ? "vicalIssueID" : "id")?.uint()
            date = try TDate(item["date"])
            nextUpdate = try item.optional("nextUpdate").map { (item) throws(CBORError) in try TDate(item) }
            let infos = try item["certificateInfos"].array()
            guard infos.count <= Self.limit else {
                throw TrustListError("\(infos.count) authorities, at most \(Self.limit) are read")
            }
            let name = TrustList.name(kind, provider, sequence)
            var entries: [TrustAnchor] = []
            for info in infos { entries.append(try Self.anchor(info, isVICAL: isVICAL, name)) }
            self.entries = entries
        } catch let error as TrustListError {
            throw error
        } catch { throw TrustListError("no VICAL or RICAL: \(error)") }
    }

    private static func anchor(_ info: CBOR, isVICAL: Bool, _ source: String) throws -> TrustAnchor {
        let certificate = try Certificate(der: info["certificate"].bytes())
        guard isVICAL else { return TrustAnchor(certificate, role: .readers, source: source) }
        var types: Set<String> = []
        for type in try info["docType"].array() { types.insert(try type.text()) }
        return TrustAnchor(certificate, role: .documents, docTypes: types, source: source)
    }

    func verified(by verifier: TrustListVerifier, at time: Timestamp) throws(TrustListError) -> TrustList {
        var list = CheckList(edition: verifier.edition)
        let subject = TrustList.name(kind, provider, sequence)
        var isUsable = false
        let certificates = (try? auth.x5chain?.certificates) ?? []
        let chain = verifier.chain(certificates, as: .vical, at: time)
        if let key = chain.key {
            list.judge("T2.signature", subject, (try? auth.verify(with: key)) != nil)
        } else {
            list.fail("T2.signature", subject, "VICAL signature invalid: no usable certificate in x5chain")
        }
        let isTrusted = chain.isTrusted || verifier.isPinned(certificates)
        if isTrusted {
            list.pass("T2.path", subject)
        } else if verifier.roots.isEmpty {
            list.fail("T2.path", subject, "signer not trusted: no root is trusted for lists")
        } else {
            let why = chain.result.findings.filter { $0.kind != .rootInChain }.map(\.description).joined(separator: "; ")
            list.fail("T2.path", subject, "signer not trusted: \(why)")
        }
        checkSigner(chain, &list, subject)
        list.judge(
            "T2.next-update", subject, nextUpdate?.timestamp.map { $0 > time.adding(seconds: -verifier.skew) } ?? true,
            [nextUpdate?.text ?? ""])
        isUsable = list.checks.allSatisfy { $0.outcome != .fail }
        return TrustList(
            kind: kind, provider: provider, sequence: sequence, issuedAt: date.timestamp, nextUpdate: nextUpdate?.timestamp,
            entries: entries, pointers: [], checks: list, isUsable: isUsable)
    }

    /// Only the purpose binds: published lists are signed under authorities whose certificates keep other rules.
    private func checkSigner(_ chain: SignerChain, _ list: inout CheckList, _ subject: String) {
        guard chain.signer != nil else { return list.notRun("T2.signer", subject, .needs("T2.signature")) }
        guard let broken = chain.profile.findings.first(where: { $0.rule == "eku" }) else {
            return list.pass("T2.signer", subject)
        }
        list.fail("T2.signer", subject, "signer breaks rule \(broken.id): \(broken.message)")
    }
}
