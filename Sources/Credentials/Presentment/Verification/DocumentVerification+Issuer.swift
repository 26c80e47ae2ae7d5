import Codec
import Crypto
import Ports

extension DocumentVerification {
    private static let chainChecks = ["R11.path", "R11.signature", "R11.validity", "R11.critical"]

    /// R9–R14: who signed the document, and whether that one may.
    mutating func checkIssuer() -> Signer? {
        let chain = checkChainForm()
        let signer = chain.flatMap { resolve($0) }
        if let signer {
            checkChain(signer)
            checkProfile(signer)
            checkNames(signer)
        }
        checkSignature(signer)
        return signer
    }

    /// R10: how the certificates are carried. Nil, with the rows of everything that needs them, when there are none.
    private mutating func checkChainForm() -> X5Chain? {
        let auth = document.issuerSigned.issuerAuth
        let form = ["R10.single-array", "R10.root", "R10.protected"]
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
        list.notRun(ids + Self.chainChecks + ["R12", "R13.country", "R13.state"], subject, .needs(cause))
        list.notRun("R11.revoked", subject, .notInThisBuild)
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

    private mutating func resolve(_ chain: X5Chain) -> Signer? {
        do throws(CertificateError) {
            let signer = try session.signers.signer(chain.certificates, docType: document.docType, at: session.time)
            presented.issuer = PresentedDocument.Issuer(
                subject: signer.certificate.subject.description, sha256: signer.certificate.sha256)
            list.judge("R10.root", subject, !signer.includesRoot)
            return signer
        } catch {
            list.fail("R10.encoding", subject, "x5chain holds no certificate: \(error)")
            skipSigner(["R10.root"], "R10.encoding")
            return nil
        }
    }

    /// R11: the path from the signer to a root that is trusted for documents.
    private mutating func checkChain(_ signer: Signer) {
        list.notRun("R11.revoked", subject, .notInThisBuild)
        guard let chain = signer.chain else { return list.notRun(Self.chainChecks, subject, .noAnchors) }
        presented.trusted = chain.isTrusted
        list.judge(chain.findings, as: .documentSigner, subject)
    }

    /// R12: the profile of document signers; its levels are for mDLs, elsewhere a violation is worth a warning.
    private mutating func checkProfile(_ signer: Signer) {
        guard !signer.profile.isEmpty else { return list.pass("R12", subject) }
        for finding in signer.profile {
            let isFailure = finding.severity == .fail && document.docType == Self.mDL
            list.violate(
                "R12.\(finding.rule)", subject, as: isFailure ? .fail : .warn,
                "DS certificate breaks rule \(finding.id): \(finding.message)")
        }
    }

    /// R13: a signer is of the country, and the state, of its root.
    private mutating func checkNames(_ signer: Signer) {
        guard let root = signer.chain?.anchor?.subject else {
            return list.notRun(["R13.country", "R13.state"], subject, signer.chain == nil ? .noAnchors : .needs("R11.path"))
        }
        let name = signer.certificate.subject
        list.judge("R13.country", subject, name.country == root.country, [name.country ?? "none", root.country ?? "none"])
        guard root.stateOrProvince != nil || name.stateOrProvince != nil else {
            return list.notRun("R13.state", subject, .notPresent)
        }
        list.judge(
            "R13.state", subject, root.stateOrProvince == nil || name.stateOrProvince == root.stateOrProvince,
            [name.stateOrProvince ?? "none", root.stateOrProvince ?? "none"])
    }

    /// R9, R14: the signature, its algorithm first.
    private mutating func checkSignature(_ signer: Signer?) {
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

    private mutating func verify(_ auth: COSESign1, _ algorithm: COSEAlgorithm, _ signer: Signer?) {
        guard let signer else { return list.notRun(["R9.curve", "R14"], subject, .needs(signerCause)) }
        guard let key = signer.key else {
            list.fail("R9.curve", subject, "the key of the signer cannot be used: \(signer.keyFault ?? "unknown")")
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
