internal import WatchProtoCore

/// Seals the values in a journal's tables at rest.
///
/// Several threads call it at the same time, without a lock around it: the thread that opens the
/// file, the journal's writer thread, and threads that read the store or keep keys.
package protocol PayloadSealing: Sendable {
    /// The payload, sealed and bound to the associated data.
    func seal(_ payload: [UInt8], associatedData: [UInt8]) -> [UInt8]

    /// The payload that was sealed with the same associated data.
    ///
    /// - Throws: when the bytes were altered, or sealed otherwise.
    func open(_ sealed: [UInt8], associatedData: [UInt8]) throws -> [UInt8]

    /// A stand-in by which `name` is found again without being read: equal for equal names, and
    /// under a key telling nothing else about them.
    func lookupTag(_ name: [UInt8]) -> [UInt8]
}

/// The key with which a journal is opened: none, a key file, a passphrase.
///
/// The file keeps a header in clear (the method, a salt, how a passphrase becomes a key, and a
/// value that only the right key gives), so that a wrong key is told from a damaged journal.
package protocol PayloadKey: Sendable {
    /// Makes the sealing of a journal.
    ///
    /// - Parameter header: the header that the journal keeps; nil for a new journal.
    /// - Returns: the sealing, and the header to keep. For a journal that exists it is the same.
    /// - Throws: ``PayloadKeyRefusal`` when this is not the key of that journal.
    func unlock(
        _ header: [UInt8]?
    ) throws(PayloadKeyRefusal) -> (sealing: any PayloadSealing, header: [UInt8])
}

/// A key that does not fit a journal, and why.
package struct PayloadKeyRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, without a full stop: "the passphrase does not open it".
    package var description: String

    /// Makes the refusal.
    package init(_ description: String) { self.description = description }
}

/// No sealing: values stand in the file in clear, each with a fingerprint that finds accidents.
package struct UnsealedPayloads: PayloadSealing, PayloadKey {
    private static let header = Array("unsealed".utf8)

    /// Makes the sealing that is none.
    package init() {}

    /// The payload, and the fingerprint of it and of the associated data.
    package func seal(_ payload: [UInt8], associatedData: [UInt8]) -> [UInt8] {
        payload + Fingerprint.bytes(payload, associatedData)
    }

    /// The payload.
    ///
    /// - Throws: ``PayloadKeyRefusal`` where the fingerprint differs: the bytes were altered.
    package func open(_ sealed: [UInt8], associatedData: [UInt8]) throws -> [UInt8] {
        let payload = Array(sealed.dropLast(Fingerprint.byteCount))
        guard
            sealed.suffix(Fingerprint.byteCount)
                .elementsEqual(Fingerprint.bytes(payload, associatedData))
        else { throw PayloadKeyRefusal("the fingerprint differs") }
        return payload
    }

    /// The name itself.
    package func lookupTag(_ name: [UInt8]) -> [UInt8] { name }

    /// Opens an unsealed journal only.
    ///
    /// - Throws: ``PayloadKeyRefusal`` for a sealed one; the caller gave no key.
    package func unlock(
        _ header: [UInt8]?
    ) throws(PayloadKeyRefusal) -> (sealing: any PayloadSealing, header: [UInt8]) {
        guard header == nil || header == Self.header else {
            throw PayloadKeyRefusal("it is sealed, and no key was given")
        }
        return (self, Self.header)
    }
}
