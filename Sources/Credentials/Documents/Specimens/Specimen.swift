import Codec
package import Ports

/// An invented person whose documents can be minted at once. Names, numbers and drawn portraits are made up.
package struct Specimen: Sendable, Hashable {
    /// The name on the command line: "mira".
    package let name: String
    /// As in the documents.
    package let familyName: String
    /// As in the documents.
    package let givenName: String
    /// "YYYY-MM-DD".
    package let birthDate: String
    /// ISO/IEC 5218: 0 not known, 1 male, 2 female, 9 not applicable.
    package let sex: Int
    /// A town.
    package let birthPlace: String
    /// The address, part by part.
    package let street: String
    /// With its letter, if any.
    package let houseNumber: String
    /// Five digits.
    package let postalCode: String
    /// A town.
    package let city: String
    /// Centimetres.
    package let height: Int
    /// A word of ISO/IEC 18013-5:2021 Table 5.
    package let eyeColour: String
    /// A word of ISO/IEC 18013-5:2021 Table 5.
    package let hairColour: String
    /// The same in every document.
    package let documentNumber: String
    /// Vehicle category codes with the day each was first granted.
    package let drivingCategories: [(code: String, since: String)]
    let portraitBase64: String

    /// JPEG, 240 by 308 pixels.
    package var portrait: [UInt8] { (try? Base64.decode(portraitBase64.filter { $0 != "\n" })) ?? [] }

    /// Everyone.
    package static let all: [Specimen] = [.mira, .jonas, .aiko, .tomasz, .noor]

    /// The person of this name.
    package static func named(_ name: String) -> Specimen? { all.first { $0.name == name } }

    package static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Full years of age at `time`.
    package func age(at time: Timestamp) -> Int {
        guard let birth = try? Timestamp(rfc3339: birthDate + "T00:00:00Z") else { return 0 }
        let hadBirthday = (time.month, time.day) >= (birth.month, birth.day)
        return time.year - birth.year - (hadBirthday ? 0 : 1)
    }
}
