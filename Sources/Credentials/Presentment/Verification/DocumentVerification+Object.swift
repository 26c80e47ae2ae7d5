import Codec
import Crypto
import Ports

extension DocumentVerification {
    /// R15, R19–R23: what the mobile security object says of itself.
    ///
    /// - Returns: the device key, if it can be used.
    mutating func checkObject(_ signer: SignerChain?) -> PublicKey? {
        guard let object else {
            list.fail("R15.payload", subject, "MSO is not tag 24 or lacks a member: \(objectFault)")
            list.notRun(
                [
                    "R15.version", "R15.digest-algorithm", "R19", "R20.now", "R20.order", "R21.now", "R21.order", "R21.outlives",
                    "R22.mso", "R23.curve", "R23.point",
                ], subject, .needs("R15.payload"))
            return nil
        }
        list.pass("R15.payload", subject)
        list.judge("R15.version", subject, object.version.isSupported, [object.version.text])
        list.judge("R15.digest-algorithm", subject, object.hash != nil, [object.digestAlgorithm])
        checkValidity(object.validityInfo, signer)
        return checkDeviceKey(object)
    }

    private mutating func checkValidity(_ validity: ValidityInfo, _ signer: SignerChain?) {
        presented.validity = PresentedDocument.Validity(
            signed: validity.signed.text, validFrom: validity.validFrom.text, validUntil: validity.validUntil.text)
        list.judge(
            "R22.mso", subject,
            violations: validity.isWellFormed ? [] : validity.members.filter { !$0.value.isWellFormed }.map { [$0.name] })
        let signed = validity.signed.timestamp
        let from = validity.validFrom.timestamp
        let until = validity.validUntil.timestamp

        judge("R20.now", from.map { $0 <= session.latest }, [validity.validFrom.text])
        judge("R20.order", both(from, signed).map { $0 >= $1 }, [validity.validFrom.text, validity.signed.text])
        judge("R21.now", until.map { $0 >= session.earliest }, [validity.validUntil.text])
        judge("R21.order", both(until, from).map { $0 > $1 })
        guard let certificate = signer?.signer else {
            return list.notRun(["R19", "R21.outlives"], subject, .needs(signerCause))
        }
        judge("R19", signed.map { certificate.isValid(at: $0, skew: session.signers.skew) }, [validity.signed.text])
        judge("R21.outlives", until.map { $0 <= certificate.notAfter }, [certificate.notAfter.rfc3339])
    }

    /// A check of times; `holds` is nil where one of them is no time at all.
    private mutating func judge(_ id: String, _ holds: Bool?, _ values: @autoclosure () -> [String] = []) {
        guard let holds else { return list.notRun(id, subject, .needs("R22.mso")) }
        list.judge(id, subject, holds, values())
    }

    private func both(_ a: Timestamp?, _ b: Timestamp?) -> (Timestamp, Timestamp)? {
        guard let a, let b else { return nil }
        return (a, b)
    }
}
