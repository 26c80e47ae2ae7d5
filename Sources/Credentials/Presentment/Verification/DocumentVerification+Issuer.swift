import Codec
import Crypto
import Ports

extension DocumentVerification {
    /// R9–R14: who signed the document, and whether that one may.
    mutating func checkIssuer() -> SignerChain? {
        let signer = checkChainForm().map { chain in
            session.signers.issuer(x5chain: chain.certificates, docType: document.docType, at: session.time)
        }
        list.notRun("R11.revoked", subject, .policyOff)
        if let signer {
            signer.recordIssuerChecks(in: &list, docType: document.docType, subject: subject)
            presented.trusted = signer.hadAnchors ? signer.isTrusted : nil
            presented.issuer = signer.identity
            presented.trust = signer.trust
            if signer.isListedForOthers { list.fail("T2.doctype", subject, values: [document.docType]) }
        }
        checkSignature(signer)
        return signer
    }

    /// R10: how the certificates are carried. Nil, with the rows of everything that needs them, when there are none.
    private mutating func checkChainForm() -> X5Chain? {
        let auth = document.issuerSigned.issuerAuth
        let form = ["R10.single-array", "R10.protected"]
        do throws(CBORError) {
            guard let chain = try auth.x5chain else {
                list.fail("R10.present", subject, values: [])
                skipSigner(["R10.encoding", "R10.x5t"] + form, "R10.present")
                return nil
            }
            list.pass("R10.present", subject)
            list.pass("R10.encoding", subject)
            list.judge("R10.single-array", subject, chain.form != .arrayOfOne)
            list.judge("R10.protected", subject, auth.protected[COSEHeaders.Label.x5chain] == nil)
            checkThumbprint(auth, chain)
            return chain
        } catch {
            list.pass("R10.present", subject)
            list.fail("R10.encoding", subject, values: [], detail: "\(error)")
            skipSigner(["R10.x5t"] + form, "R10.encoding")
            return nil
        }
    }

    /// The check that took the signer away.
    var signerCause: String { list.check("R10.present", subject)?.outcome == .fail ? "R10.present" : "R10.encoding" }

    private mutating func skipSigner(_ ids: [String], _ cause: String) {
        let chain = ["R10.root", "R11.path", "R11.signature", "R11.validity", "R11.critical", "R12", "R13.country", "R13.state"]
        list.notRun(ids + chain, subject, .needs(cause))
    }

    private mutating func checkThumbprint(_ auth: COSESign1, _ chain: X5Chain) {
        let label = COSEHeaders.Label.x5t
        guard let item = auth.protected[label] ?? auth.unprotected[label] else {
            return list.notRun("R10.x5t", subject, .notPresent)
        }
        let matches = (try? X5T(item)).map { thumbprint in
            thumbprint.algorithm == .sha256 && (chain.certificates.first.map { thumbprint.matches(certificate: $0) } ?? false)
        }
        list.judge("R10.x5t", subject, matches ?? false)
    }

    /// R9, R14: the signature, its algorithm first.
    private mutating func checkSignature(_ signer: SignerChain?) {
        let auth = document.issuerSigned.issuerAuth
        let isProtected = auth.protected[COSEHeaders.Label.algorithm] != nil
        list.judge("R9.protected", subject, isProtected)
        let headers = isProtected ? auth.protected : auth.unprotected
        guard let algorithm = headers.algorithm.flatMap(COSEAlgorithm.init), !algorithm.isMAC else {
            if let text = headers.algorithmText {
                list.fail("R9.alg", subject, values: [text])
            } else {
                list.notRun("R9.alg", subject, .needs("R9.protected"))
            }
            return list.notRun(
                ["R9.curve", "R9.fully-specified", "R14"], subject, .needs(headers.algorithmText == nil ? "R9.protected" : "R9.alg")
            )
        }
        list.pass("R9.alg", subject)
        list.judge("R9.fully-specified", subject, !algorithm.isFullySpecified, [String(algorithm.rawValue)])
        verify(auth, algorithm, signer)
    }

    private mutating func verify(_ auth: COSESign1, _ algorithm: COSEAlgorithm, _ signer: SignerChain?) {
        guard let signer else { return list.notRun(["R9.curve", "R14"], subject, .needs(signerCause)) }
        guard let key = signer.key else {
            guard signer.unreadable == nil else { return list.notRun(["R9.curve", "R14"], subject, .needs("R11.path")) }
            list.fail("R9.curve", subject, values: [String(algorithm.rawValue), "of a key that is not known here"])
            return list.notRun("R14", subject, .needs("R9.curve"))
        }
        list.judge("R9.curve", subject, algorithm.allows(key.curve), [String(algorithm.rawValue), key.curve.rawValue])
        do throws(COSEError) {
            try auth.verify(with: key, requiresPair: false)
            list.pass("R14", subject)
        } catch {
            list.fail("R14", subject, values: [], detail: error == .invalidSignature ? nil : "\(error)")
        }
    }
}
