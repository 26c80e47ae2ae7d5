import Codec
import Credentials
import Crypto
import Ports

/// What signed lists and registration certificates say, in the words of their own standards: beside the structure of the JWT.
enum SignedStatements {
    /// The statement of a JWT by its type and members; nil for any other.
    static func annotate(_ text: String, _ payload: JSON) -> Annotation? {
        let bare: JSON? = payload["ListAndSchemeInformation"].map { _ in payload }
        if let list = payload["LoTE"] ?? bare { return entities(list) }
        if let status = payload["status_list"], status["lst"] != nil { return statuses(status, payload) }
        guard payload["entitlements"] != nil else { return nil }
        return registration(Array(text.utf8))
    }

    // MARK: ETSI TS 119 475

    /// A registration certificate in the form of a JWT or a CWT; nil for what is none.
    static func registration(_ bytes: [UInt8]) -> Annotation? {
        guard let certificate = try? RegistrationCertificate(bytes) else { return nil }
        var children = [
            Annotation("name", certificate.name), Annotation("identifier", certificate.identifier),
            Annotation("purpose", certificate.purpose ?? "none"),
            Annotation("entitlements", certificate.entitlements.joined(separator: ", ")),
        ]
        if let country = certificate.country { children.append(Annotation("country", country)) }
        children += certificate.credentials.map { credential("may ask for", $0) }
        children += certificate.provides.map { credential("issues", $0) }
        if let expiry = certificate.expiresAt { children.append(Annotation("expires", expiry.rfc3339)) }
        children.append(
            Annotation(
                "signature", certificate.signatureFault ?? "fits the certificate that came along; whom to trust is not decided"))
        return Annotation("registration certificate", certificate.name, clause: "ETSI TS 119 475 5.2", children: children)
    }

    private static func credential(_ label: String, _ credential: RegistrationCertificate.Credential) -> Annotation {
        let paths = credential.paths.map { paths in
            paths.map { $0.map { $0.stringValue ?? $0.encoded() }.joined(separator: "/") }.joined(separator: ", ")
        }
        return Annotation(
            label, "\(credential.types.sorted().joined(separator: ", ")) (\(credential.format)): \(paths ?? "every claim")")
    }

    // MARK: ETSI TS 119 602

    private static func entities(_ list: JSON) -> Annotation {
        let information = list["ListAndSchemeInformation"]
        let type = information?["LoTEType"]?.stringValue?.split(separator: "/").last.map(String.init) ?? "of unknown type"
        let entities = list["TrustedEntitiesList"]?.arrayValue ?? []
        let pointers = (information?["PointersToOtherLoTE"]?.arrayValue ?? []).compactMap { $0["LoTELocation"]?.stringValue }
        var children = entities.map { entity -> Annotation in
            let certificates = (entity["TrustedEntityServices"]?.arrayValue ?? []).flatMap { service in
                service["ServiceInformation"]?["ServiceDigitalIdentity"]?["X509Certificates"]?.arrayValue ?? []
            }
            return Annotation(
                "trusted entity", Self.text(entity["TrustedEntityInformation"]?["TEName"]),
                children: certificates.enumerated().compactMap { place, entry in
                    guard let der = entry["val"]?.stringValue.flatMap({ try? Base64.decode($0) }) else { return nil }
                    return CertificateAnnotator.annotate(der: der, label: "certificate \(place)")
                })
        }
        children += pointers.map { Annotation("points to", $0) }
        if let next = information?["NextUpdate"]?.stringValue { children.append(Annotation("next update", next)) }
        return Annotation(
            "list of trusted entities",
            "\(type) of \(Self.text(information?["SchemeOperatorName"]) ?? "an unnamed operator"), \(entities.count) entities",
            clause: "ETSI TS 119 602", children: children)
    }

    private static func text(_ names: JSON?) -> String? {
        let names = names?.arrayValue ?? []
        return (names.first { $0["lang"]?.stringValue?.hasPrefix("en") ?? false } ?? names.first)?["value"]?.stringValue
    }

    // MARK: Token Status List

    private static func statuses(_ status: JSON, _ payload: JSON) -> Annotation {
        let label = "status list"
        guard let bits = status["bits"]?.intValue, let text = status["lst"]?.stringValue,
            let compressed = try? Base64URL.decode(text)
        else { return Annotation(label, "bits or lst missing or mistyped", clause: "Token Status List 4.2") }
        let content: String
        do throws(StatusFault) {
            let list = try StatusList(bits: bits, compressed: compressed)
            let set = (0..<list.count).count { (list[$0] ?? 0) != 0 }
            content = "\(list.count) entries of \(bits) bits, \(set) of them not valid"
        } catch { content = "no status list: \(error)" }
        let subject = payload["sub"]?.stringValue.map { [Annotation("of", $0)] } ?? []
        return Annotation(label, content, clause: "Token Status List 4.2", children: subject)
    }
}
