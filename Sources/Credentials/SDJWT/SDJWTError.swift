/// Why an SD-JWT could not be read, made or presented.
public enum SDJWTError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not the compact form `<jwt>~(<disclosure>~)*[<kb>]`; says how.
    case form(String)
    /// Not the JSON serialisation of RFC 9901 §8; says which member.
    case json(String)
    /// A part that is no JWS or whose payload is no object; names the part.
    case jwt(String, JOSEError)
    /// A disclosure that is not base64url of a JSON array.
    case disclosure(String)
    /// `_sd_alg` is none of SHA-2.
    case hash(String)
    /// The frame names something that the claims do not have, or that must stay open; says which.
    case frame(String)
    /// Claims that an SD-JWT must not be made of; says which.
    case claims(String)
    /// What is to be presented cannot be; says why.
    case selection(String)
    /// A fault that was ordered cannot be brought about.
    case fault(TamperingError)

    public var description: String {
        switch self {
        case .form(let what): "not <jwt>~(<disclosure>~)*[<kb>]: \(what)"
        case .json(let what): "JSON serialisation: \(what)"
        case .jwt(let part, let error): "\(part): \(error)"
        case .disclosure(let what): "disclosure: \(what)"
        case .hash(let name): "_sd_alg \(name) is not known here"
        case .frame(let what): "disclosure frame: \(what)"
        case .claims(let what): "claims: \(what)"
        case .selection(let what): what
        case .fault(let error): "\(error)"
        }
    }
}
