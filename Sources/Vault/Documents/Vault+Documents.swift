internal import Codec
package import Ports

/// A copy chosen for one presentation; its use is already on disk.
package struct TakenCopy: Sendable {
    package let document: StoredDocument
    package let copy: StoredDocument.Copy
    /// The device key's name in the key store.
    package let keyID: String
    /// The document as issued: IssuerSigned (CBOR) or SD-JWT.
    package let bytes: [UInt8]
}

/// A copy as it is put into the vault.
package struct NewCopy: Sendable {
    package var bytes: [UInt8]
    package var keyID: String?
    package var validUntil: Timestamp?

    package init(bytes: [UInt8], keyID: String?, validUntil: Timestamp? = nil) {
        (self.bytes, self.keyID, self.validUntil) = (bytes, keyID, validUntil)
    }
}

extension Vault {
    private static let documentPartition = "documents"
    private static let copyPartition = "copies"

    /// Every document that can be read, oldest first. One damaged record does not hide the others: see `damagedDocuments`.
    package func documents() throws(VaultError) -> [StoredDocument] {
        try look { records throws(VaultError) in try Self.all(in: records).intact }
    }

    /// Why some documents cannot be read.
    package func damagedDocuments() throws(VaultError) -> [VaultError] {
        try look { records throws(VaultError) in try Self.all(in: records).damaged }
    }

    /// The document of this name, or the only one whose name begins so. Throws `.notFound` otherwise.
    package func document(_ id: String) throws(VaultError) -> StoredDocument {
        try look { records throws(VaultError) in try Self.required(id, in: records) }
    }

    /// Puts a document with its copies into the vault in one step. Names are made by `random`; those given are ignored.
    package func add(
        _ document: StoredDocument, copies: [NewCopy], random: any RandomSource
    ) throws(VaultError) -> StoredDocument {
        try transact { records throws(VaultError) in
            var document = document
            document.id = try Self.freshID(in: records, random)
            document.copies = []
            try Self.append(copies, to: &document, in: records)
            try Self.write(document, in: records)
            return document
        }
    }

    /// Adds copies to a document that is there, which becomes `issued`.
    package func addCopies(_ copies: [NewCopy], to id: String) throws(VaultError) -> StoredDocument {
        try transact { records throws(VaultError) in
            var document = try Self.required(id, in: records)
            document.state = .issued
            try Self.append(copies, to: &document, in: records)
            try Self.write(document, in: records)
            return document
        }
    }

    /// Changes what is known about a document, in one step.
    package func update(
        _ id: String, _ change: @Sendable (inout StoredDocument) -> Void
    ) throws(VaultError) -> StoredDocument {
        try transact { records throws(VaultError) in
            var document = try Self.required(id, in: records)
            change(&document)
            try Self.write(document, in: records)
            return document
        }
    }

    /// Removes a document, its copies and those of their keys that no other document has.
    package func deleteDocument(_ id: String) throws(VaultError) -> StoredDocument {
        try transact { records throws(VaultError) in
            let document = try Self.required(id, in: records)
            try records.delete(document.id, in: Self.documentPartition)
            let stillNeeded = Set(try Self.all(in: records).intact.flatMap { $0.copies.compactMap(\.keyID) })
            for copy in document.copies {
                try records.delete("\(document.id)/\(copy.id)", in: Self.copyPartition)
                if let keyID = copy.keyID, !stillNeeded.contains(keyID) {
                    try records.delete(keyID, in: VaultKeyStore.partition)
                }
            }
            return document
        }
    }

    /// The bytes of a copy, for looking at them. Counts as no use.
    package func bytes(of copy: StoredDocument.Copy, in document: StoredDocument) throws(VaultError) -> [UInt8] {
        let path = path
        return try look { records throws(VaultError) in
            try Self.bytes(of: copy, in: document, records, path: path)
        }
    }

    /// Chooses the copy to present and records its use, durably, before its bytes are handed out.
    ///
    /// Throws `.exhausted` when the policy allows no copy any more, and `.notFound` when no copy has its key.
    package func takeCopy(
        of id: String, for recipient: StoredDocument.Recipient = .party(nil), at time: Timestamp
    ) throws(VaultError) -> TakenCopy {
        let path = path
        return try transact { records throws(VaultError) in
            var document = try Self.required(id, in: records)
            guard let index = document.nextCopy(for: recipient, at: time), let keyID = document.copies[index].keyID else {
                throw document.nothingToPresent
            }
            let (uses, overflow) = document.copies[index].uses.addingReportingOverflow(1)
            document.copies[index].uses = overflow ? .max : uses
            document.copies[index].lastUsed = time
            if document.policy == .perRelyingParty, case .party(let name?) = recipient { document.copies[index].party = name }
            try Self.write(document, in: records)
            let copy = document.copies[index]
            return TakenCopy(
                document: document, copy: copy, keyID: keyID,
                bytes: try Self.bytes(of: copy, in: document, records, path: path))
        }
    }

    private static func all(
        in records: borrowing VaultTransaction
    ) throws(VaultError) -> (intact: [StoredDocument], damaged: [VaultError]) {
        var (intact, damaged): ([StoredDocument], [VaultError]) = ([], [])
        for id in try records.keys(in: documentPartition) {
            do throws(VaultError) {
                if let document = try document(id, in: records) { intact.append(document) }
            } catch {
                guard error.reason == .damaged else { throw error }
                damaged.append(error)
            }
        }
        return (intact, damaged)
    }

    private static func append(
        _ copies: [NewCopy], to document: inout StoredDocument, in records: borrowing VaultTransaction
    ) throws(VaultError) {
        let taken = document.copies.compactMap { Int($0.id) }.max() ?? 0
        for (offset, copy) in copies.enumerated() {
            let id = String(taken + 1 + offset)
            try records.write(copy.bytes, "\(document.id)/\(id)", in: copyPartition)
            document.copies.append(StoredDocument.Copy(id: id, keyID: copy.keyID, validUntil: copy.validUntil))
        }
    }

    private static func freshID(in records: borrowing VaultTransaction, _ random: any RandomSource) throws(VaultError) -> String {
        while true {
            let id = Hex.encode(random.bytes(4))
            if try records.read(id, in: documentPartition) == nil { return id }
        }
    }

    private static func required(_ id: String, in records: borrowing VaultTransaction) throws(VaultError) -> StoredDocument {
        if let document = try document(id, in: records) { return document }
        let close = id.isEmpty ? [] : try records.keys(in: documentPartition).filter { $0.hasPrefix(id) }
        if close.count == 1, let document = try document(close[0], in: records) { return document }
        throw VaultError(
            .notFound, close.isEmpty ? "no document is called \(id)" : "\(id) may be any of \(close.joined(separator: ", "))",
            hint: "walletbench holder list shows the documents")
    }

    private static func document(_ id: String, in records: borrowing VaultTransaction) throws(VaultError) -> StoredDocument? {
        guard let bytes = try records.read(id, in: documentPartition) else { return nil }
        guard let json = try? JSON.decode(bytes), let document = StoredDocument(json: json) else {
            throw VaultError(
                .damaged, "the record of document \(id) cannot be read", hint: "import the document again under this version")
        }
        return document
    }

    private static func write(_ document: StoredDocument, in records: borrowing VaultTransaction) throws(VaultError) {
        try records.write([UInt8](document.json.encoded().utf8), document.id, in: documentPartition)
    }

    private static func bytes(
        of copy: StoredDocument.Copy, in document: StoredDocument, _ records: borrowing VaultTransaction, path: String
    ) throws(VaultError) -> [UInt8] {
        guard let bytes = try records.read("\(document.id)/\(copy.id)", in: copyPartition) else {
            throw VaultError.damaged("copy \(copy.id) of document \(document.id) is missing", path: path)
        }
        return bytes
    }
}

extension StoredDocument {
    /// The position of the copy that the policy would present next. Copies that have expired come only when all have.
    func nextCopy(for recipient: Recipient, at time: Timestamp) -> Int? {
        let held = copies.indices.filter { copies[$0].keyID != nil }
        let live = held.filter { copies[$0].validUntil.map { time <= $0 } ?? true }
        let usable = live.isEmpty ? held : live
        let unused = usable.filter { copies[$0].uses == 0 }
        switch policy {
        case .once: return unused.first
        case .limitedTime: return usable.last
        case .rotate: return usable.min { copies[$0].uses < copies[$1].uses }
        case .perRelyingParty:
            switch recipient {
            case .anybody: return unused.first ?? usable.first
            case .party(nil): return unused.first
            case .party(let name?): return usable.last { copies[$0].party == name } ?? unused.first
            }
        }
    }

    /// The copy that `takeCopy` would take now.
    package func copyToPresent(to recipient: Recipient = .anybody, at time: Timestamp) -> Copy? {
        nextCopy(for: recipient, at: time).map { copies[$0] }
    }

    /// Why there is no `copyToPresent`.
    package var nothingToPresent: VaultError {
        if isExhausted {
            return VaultError(
                .exhausted,
                policy == .once
                    ? "document \(id) is exhausted: each of its copies has been presented once"
                    : "document \(id) is exhausted: each of its copies belongs to another relying party",
                hint: "get new copies from the issuer, or allow several uses with holder edit \(id) --policy rotate")
        }
        if state != .issued {
            return VaultError(.notFound, "document \(id) is \(state.rawValue)", hint: "wait until the issuer has delivered it")
        }
        return VaultError(
            .notFound, "no copy of document \(id) has its device key here",
            hint: "import it again with --key, or have it issued to a key of this home")
    }
}
