public import Codec

/// What the holder could answer to a request, and why not more: what a person decides on.
public struct Proposal: Sendable {
    /// Who asks, as far as the request proves it.
    public struct Reader: Sendable, Hashable {
        /// The subject of the reader's certificate.
        public let name: String
        /// Whether its authentication verified up to a trusted anchor.
        public let isTrusted: Bool

        /// From its parts.
        public init(name: String, isTrusted: Bool) {
            self.name = name
            self.isTrusted = isTrusted
        }
    }

    /// One element that can go.
    public struct Element: Sendable {
        /// Where the value comes from.
        public enum Source: Sendable {
            /// Items the issuer signed, with their bytes: one, unless the document has the element twice.
            case issuer([Embedded<IssuerSignedItem>])
            /// A value that the device signs itself, as the issuer allowed.
            case device(CBOR)
            /// A claim of an SD-JWT VC, shown by its disclosures.
            case claim(ClaimPath, CBOR)
        }

        /// What would go.
        public let reference: ElementReference
        /// What was asked: another element when an age statement or an alternative answers.
        public let requested: [ElementReference]
        /// Whether the verifier says that it will keep the value.
        public let intentToRetain: Bool
        /// Where the value is.
        public let source: Source

        /// The value, for display.
        public var value: CBOR? {
            switch source {
            case .issuer(let items): items.first?.value.elementValue
            case .device(let value): value
            case .claim(_, let value): value
            }
        }
    }

    /// One element that cannot go.
    public struct Miss: Sendable, Hashable {
        /// Why an element is missing.
        public enum Reason: String, Sendable, Hashable {
            case notInDocument = "the document does not have it"
            case noNameSpace = "the document has no such name space"
            case noAgeStatement = "no age statement of the document answers it"
            case tooManyAges = "two age statements are the most that may go"
            case notAuthorised = "the issuer does not let the device sign it"
            case readerNotTrusted = "own policy: only for an authenticated reader"
        }

        /// What was asked.
        public let reference: ElementReference
        /// Why it cannot go.
        public let reason: Reason
    }

    /// One document that can answer, numbered from 1 within its request.
    public struct Option: Sendable {
        /// From 1, in the order of the wallet.
        public let number: Int
        /// The copy that would go.
        public let credential: HeldCredential
        /// What can go, in the order asked.
        public let elements: [Element]
        /// What cannot.
        public let missing: [Miss]
        /// Whether nothing may be left out of it: a query of OpenID4VP is answered whole or not at all (§6.4.1).
        public let isWhole: Bool

        init(
            number: Int, credential: HeldCredential, elements: [Element], missing: [Miss] = [], isWhole: Bool = false
        ) {
            self.number = number
            self.credential = credential
            self.elements = elements
            self.missing = missing
            self.isWhole = isWhole
        }

        /// Whether giving these elements is enough to present the document.
        func allows(_ approved: Set<ElementReference>) -> Bool {
            isWhole ? elements.allSatisfy { approved.contains($0.reference) } : !approved.isEmpty
        }
    }

    /// A credential that cannot answer, and why.
    public struct Unsuitable: Sendable, Hashable {
        /// The holder's name of the copy.
        public let id: String
        /// What a person calls it.
        public let name: String
        /// In the fixed words of the check catalogue: `type`, `claimMissing ["address"]`.
        public let reasons: [String]
    }

    /// What can be answered to one document request.
    public struct Entry: Sendable {
        /// What was asked.
        public let request: PresentationRequest.DocumentRequest
        /// The documents that can answer.
        public let options: [Option]
        /// Whether the holder has a document of this type at all (H6).
        public let isHeld: Bool
        /// Why there is no option: "no document org.iso.18013.5.1.mDL". nil when there is one.
        public let refusal: String?
        /// Whether the answer needs this document: false when use cases can do without it.
        public internal(set) var isWanted = false
        /// The number of the option that goes unless somebody picks another.
        public internal(set) var preferred = 1
        /// The credentials that a query looked at and did not find suitable.
        public let unsuitable: [Unsuitable]

        init(
            request: PresentationRequest.DocumentRequest, options: [Option], isHeld: Bool, refusal: String?,
            unsuitable: [Unsuitable] = []
        ) {
            self.request = request
            self.options = options
            self.isHeld = isHeld
            self.refusal = refusal
            self.unsuitable = unsuitable
        }
    }

    /// Who asks; nil when nobody says.
    public let reader: Reader?
    /// One for each document request.
    public let entries: [Entry]
    /// What the verifier says it is for.
    public let useCases: [PresentationRequest.UseCase]
    /// Mandatory use cases that no document set serves, by position; then nothing may be answered (WD2 §10.2.5).
    public let unsatisfiedUseCases: [Int]
    /// The document set of each use case that goes, by position; nil for one that is not served.
    let chosen: [Int?]
    /// Everything that was there to choose from.
    let wallet: [IssuedDocument]

    /// - Parameter chosen: nil for the first set of each use case that can be answered whole.
    init(
        reader: Reader?, entries: [Entry], useCases: [PresentationRequest.UseCase], wallet: [IssuedDocument], chosen: [Int?]? = nil
    ) {
        let answerable = Set(entries.filter { !$0.options.isEmpty }.map(\.request.id))
        let chosen =
            chosen ?? useCases.map { useCase in useCase.documentSets.firstIndex { $0.allSatisfy(answerable.contains) } }
        let wanted = Set(zip(useCases, chosen).flatMap { useCase, place in place.map { useCase.documentSets[$0] } ?? [] })
        self.reader = reader
        self.entries = entries.map { entry in
            var entry = entry
            entry.isWanted = useCases.isEmpty || wanted.contains(entry.request.id)
            return entry
        }
        self.useCases = useCases
        self.chosen = chosen
        self.wallet = wallet
        unsatisfiedUseCases = useCases.indices.filter { useCases[$0].isMandatory && chosen[$0] == nil }
    }

    /// Whether anything can go at all.
    public var isEmpty: Bool { !unsatisfiedUseCases.isEmpty || entries.allSatisfy { !$0.isWanted || $0.options.isEmpty } }
}
