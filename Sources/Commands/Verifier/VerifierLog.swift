import Codec
import Credentials
import OpenID
import Ports
import Vault

/// Records of what a verifier asked over OpenID4VP and got, in the service vault.
struct VerifierLog: Sendable {
    let context: Context

    /// - Parameter report: on the answer; nil when the wallet answered with an error alone.
    func record(_ transaction: VPTransaction, _ report: PresentationReport?) async {
        let record = TransactionRecord(verifierAt: context.clock.now(), transaction: transaction, report: report)
        var evidence = [Evidence(name: "query.json", bytes: Array(transaction.query.json.encoded(pretty: true).utf8))]
        if let answer = transaction.evidence {
            evidence.append(Evidence(name: "response.json", bytes: Array(answer.encoded(pretty: true).utf8)))
        }
        if let report { evidence.append(Evidence(name: "report.json", bytes: Array(report.json().encoded(pretty: true).utf8))) }
        await context.logReader(record, evidence: evidence)
    }
}
