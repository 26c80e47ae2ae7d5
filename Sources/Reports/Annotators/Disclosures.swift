import Codec
import Crypto
import Ports

/// The disclosures of an SD-JWT and where they belong (RFC 9901 §4.2, §7.1).
struct Disclosures {
    /// `[salt, name, value]`, or `[salt, value]` for an array element.
    private struct Disclosure {
        let encoded: String
        let digest: String?
        let parts: [JSON]?
        var places: [String] = []

        var name: String? { parts?.count == 3 ? parts?[1].stringValue : nil }
        var value: JSON? { parts.flatMap { $0.count == 2 || $0.count == 3 ? $0.last : nil } }
    }

    /// The hash of `_sd_alg`, nil if it is not one of SHA-2.
    let hash: HashAlgorithm?
    private let algorithm: String
    private var all: [Disclosure]

    init(_ encoded: [String], algorithm: String) {
        self.algorithm = algorithm
        let hashes: [String: HashAlgorithm] = ["sha-256": .sha256, "sha-384": .sha384, "sha-512": .sha512]
        let hash = hashes[algorithm]
        self.hash = hash
        all = encoded.map { text in
            Disclosure(
                encoded: text, digest: hash.map { Base64URL.encode($0.digest(Array(text.utf8))) },
                parts: JOSEAnnotator.json(text)?.arrayValue)
        }
    }

    var count: Int { all.count }

    /// The payload as a tree, with each disclosed claim under its digest.
    mutating func place(in payload: JSON?, or part: String) -> Annotation {
        guard let payload else { return Annotation("payload", "no JSON in base64url: \(part.prefix(40))") }
        return annotate(payload, "payload", "$", depth: 0)
    }

    private mutating func annotate(_ json: JSON, _ label: String, _ path: String, depth: Int) -> Annotation {
        // A disclosure may disclose itself only by a broken hash, but a text of any depth must end.
        guard depth < 64 else { return Annotation(label, "nested too deep") }
        var annotation = JSONAnnotator.annotate(json, label: label)
        switch json {
        case .object(let object):
            annotation.children = zip(object.members, annotation.children).map { member, plain in
                switch member.value {
                case .array(let digests) where member.key == "_sd": placed(digests, "\(path)._sd", depth)
                case .object, .array: annotate(member.value, member.key, "\(path).\(member.key)", depth: depth + 1)
                default: plain
                }
            }
        case .array(let values):
            annotation.children = values.enumerated().map { position, value in
                if let digest = value["..."]?.stringValue, value.objectValue?.count == 1 {
                    return placed(digest, "[\(position)]", "\(path)[\(position)]", depth)
                }
                return annotate(value, "[\(position)]", "\(path)[\(position)]", depth: depth + 1)
            }
        default: break
        }
        return annotation
    }

    private mutating func placed(_ digests: [JSON], _ path: String, _ depth: Int) -> Annotation {
        let children = digests.enumerated().map { position, digest in
            placed(digest.stringValue ?? digest.encoded(), "[\(position)]", "\(path)[\(position)]", depth)
        }
        return Annotation("_sd", "\(digests.count) digests", children: children)
    }

    private mutating func placed(_ digest: String, _ label: String, _ path: String, _ depth: Int) -> Annotation {
        guard let position = all.firstIndex(where: { $0.digest == digest }), let value = all[position].value else {
            return Annotation(label, "\(digest) — not disclosed, or a decoy")
        }
        all[position].places.append(path)
        // A digest may stand once only (RFC 9901 §7.1); following it each time would let a short text grow without end.
        guard all[position].places.count == 1 else { return Annotation(label, "\(digest) — disclosure \(position) once more") }
        let claim = annotate(value, all[position].name ?? "element", path, depth: depth + 1)
        return Annotation(label, "\(digest) — disclosure \(position)", children: [claim])
    }

    /// The list of disclosures with their digests and places; made after `place`.
    var annotation: Annotation {
        Annotation(
            "disclosures", "\(all.count), digests by \(algorithm)\(hash == nil ? ", which is not known here" : "")",
            children: all.indices.map(annotate))
    }

    private func annotate(_ position: Int) -> Annotation {
        let disclosure = all[position]
        guard let parts = disclosure.parts, let value = disclosure.value else {
            return Annotation("[\(position)]", "no JSON array of 2 or 3 in base64url: \(disclosure.encoded.prefix(40))")
        }
        let place = disclosure.places.isEmpty ? "its digest stands nowhere" : disclosure.places.joined(separator: ", ")
        let name = parts.count == 3 ? "claim \(parts[1].encoded())" : "array element"
        return Annotation(
            "[\(position)]", "\(name) at \(place)",
            children: [
                Annotation("salt", parts[0].encoded()), Annotation("value", value.encoded()),
                Annotation("digest", disclosure.digest ?? "not computed"),
            ])
    }
}
