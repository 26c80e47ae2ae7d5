import Codec
import Credentials
import OpenID
import Ports
import Vault

/// Records of what an issuer handed out over OpenID4VCI, in the service vault: one for each credential response.
struct IssuerLog: Sendable {
    let context: Context

    /// Records a step that delivered or refused a credential, with every step of its issuance so far.
    func note(_ step: IssuanceLog.Step, _ log: IssuanceLog) async {
        guard ["credential", "deferred_credential"].contains(step.endpoint), let issuance = step.issuance else { return }
        let outcome = step.error ?? (step.status == 202 ? "deferred" : "delivered")
        let record = TransactionRecord(time: step.time, role: .issuer, kind: "issuance", verdict: outcome)
        let steps = JSON.array(log.steps(of: issuance).map { .object($0.json) })
        await context.logReader(record, evidence: [Evidence(name: "steps.json", bytes: Array(steps.encoded(pretty: true).utf8))])
    }
}
