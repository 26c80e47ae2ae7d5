import Codec
import Credentials
import OpenID

/// The requests that are built in, and those of files.
enum VerifierPresets {
    static let names = ["pid", "pid-mdoc", "mdl", "mdl-age-over-18", "pid-and-mdl", "pid-or-mdl", "payment"]

    /// What each asks, for people.
    static func title(_ name: String) -> String {
        switch name {
        case "pid": "Identity (SD-JWT VC)"
        case "pid-mdoc": "Identity (mdoc)"
        case "mdl": "Driving licence"
        case "mdl-age-over-18": "Over 18, by driving licence"
        case "pid-and-mdl": "Identity and driving licence, both formats"
        case "pid-or-mdl": "Identity or driving licence"
        default: "Identity for a payment (transaction data)"
        }
    }

    /// The order of a preset as JSON, which a person can go on from.
    static func json(_ name: String) -> JSON? {
        switch name {
        case "pid": ["dcql_query": ["credentials": [pid]]]
        case "pid-mdoc": ["dcql_query": ["credentials": [pidDocument]]]
        case "mdl": ["dcql_query": ["credentials": [licence]]]
        case "mdl-age-over-18": ["dcql_query": ["credentials": [age]]]
        case "pid-and-mdl": ["dcql_query": ["credentials": [pid, licence]]]
        case "pid-or-mdl":
            ["dcql_query": ["credentials": [pid, licence], "credential_sets": [["options": [["pid"], ["mdl"]]]]]]
        case "payment":
            [
                "dcql_query": ["credentials": [pid]],
                "transaction_data": [
                    [
                        "type": "urn:walletbench:payment", "credential_ids": ["pid"], "payee": "Utopia Shop", "amount": "12.00",
                        "currency": "EUR",
                    ]
                ],
            ]
        default: nil
        }
    }

    /// The order that a command line names: FILE or `--request`.
    static func order(_ invocation: Invocation) throws(CommandError) -> VPOrder {
        let json: JSON
        switch (invocation.arguments.first, invocation.string("request")) {
        case (let path?, nil): json = try InputReader.read(path).json(as: "a request")
        case (nil, let name?): json = Self.json(name) ?? JSON.null
        case (nil, nil): throw .usage("what is to be asked?", hint: "give a FILE, or --request \(names.joined(separator: "|"))")
        default: throw .usage("FILE and --request exclude each other")
        }
        do { return try VPOrder(json) } catch { throw .refused("the request cannot be made: \(error)") }
    }

    private static let pid: JSON = [
        "id": "pid", "format": "dc+sd-jwt", "meta": ["vct_values": ["urn:eudi:pid:1"]],
        "claims": [["path": ["family_name"]], ["path": ["given_name"]], ["path": ["birthdate"]]],
    ]
    private static let pidDocument: JSON = [
        "id": "pid", "format": "mso_mdoc", "meta": ["doctype_value": "eu.europa.ec.eudi.pid.1"],
        "claims": [
            ["path": ["eu.europa.ec.eudi.pid.1", "family_name"]], ["path": ["eu.europa.ec.eudi.pid.1", "given_name"]],
            ["path": ["eu.europa.ec.eudi.pid.1", "birth_date"]],
        ],
    ]
    private static let licence: JSON = [
        "id": "mdl", "format": "mso_mdoc", "meta": ["doctype_value": "org.iso.18013.5.1.mDL"],
        "claims": [
            ["path": ["org.iso.18013.5.1", "family_name"]], ["path": ["org.iso.18013.5.1", "given_name"]],
            ["path": ["org.iso.18013.5.1", "driving_privileges"]], ["path": ["org.iso.18013.5.1", "portrait"]],
        ],
    ]
    private static let age: JSON = [
        "id": "mdl", "format": "mso_mdoc", "meta": ["doctype_value": "org.iso.18013.5.1.mDL"],
        "claims": [["path": ["org.iso.18013.5.1", "age_over_18"]], ["path": ["org.iso.18013.5.1", "portrait"]]],
    ]
}
