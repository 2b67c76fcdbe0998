internal import WatchProtoCore

/// Seals the values in a journal's tables at rest.
///
/// Several threads call it at the same time without a lock: the thread that opens the file, the
/// journal's writer thread, and threads that read the store or keep keys.
package protocol PayloadSealing: Sendable {
    /// Seals the payload, bound to the associated data.
    func seal(_ payload: [UInt8], associatedData: [UInt8]) -> [UInt8]

    /// Opens a payload that was sealed with the same associated data.
    ///
    /// - Throws: an error if the bytes were altered, or sealed otherwise.
    func open(_ sealed: [UInt8], associatedData: [UInt8]) throws -> [UInt8]

    /// A tag by which `name` is found without being read. Equal names have equal tags. With a key,
    /// the tag contains no other information about the name.
    func lookupTag(_ name: [UInt8]) -> [UInt8]
}

/// The key with which a journal is opened: none, a key file, or a passphrase.
///
/// The file keeps a header in clear: the method, a salt, the derivation of a passphrase's key, and
/// a value that only the right key yields. A wrong key is therefore distinguished from a damaged
/// journal.
package protocol PayloadKey: Sendable {
    /// Makes the sealing of a journal.
    ///
    /// - Parameter header: the header that the journal keeps; nil for a new journal.
    /// - Returns: the sealing, and the header to keep. For an existing journal it is the same
    ///   header.
    /// - Throws: ``PayloadKeyRefusal`` if this is not the key of that journal.
    func unlock(
        _ header: [UInt8]?
    ) throws(PayloadKeyRefusal) -> (sealing: any PayloadSealing, header: [UInt8])
}

/// Why a key does not fit a journal.
package struct PayloadKeyRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, without a full stop: "the passphrase does not open it".
    package var description: String

    /// Makes the refusal.
    package init(_ description: String) { self.description = description }
}

/// No sealing: values are in the file in clear, each with a fingerprint that finds accidents.
package struct UnsealedPayloads: PayloadSealing, PayloadKey {
    private static let header = Array("unsealed".utf8)

    /// Makes the value.
    package init() {}

    /// Returns the payload, followed by a fingerprint of it and of the associated data.
    package func seal(_ payload: [UInt8], associatedData: [UInt8]) -> [UInt8] {
        payload + Fingerprint.bytes(payload, associatedData)
    }

    /// Returns the payload.
    ///
    /// - Throws: ``PayloadKeyRefusal`` if the fingerprint differs, because the bytes were altered.
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
