/// Seals the payloads of a journal at rest. Called on the journal's writer thread, and when it is
/// opened.
public protocol PayloadSealing: Sendable {
    /// The payload, sealed and bound to the associated data; at most 1,024 bytes longer than it.
    func seal(_ payload: [UInt8], associatedData: [UInt8]) -> [UInt8]

    /// The payload that was sealed with the same associated data.
    ///
    /// - Throws: when the bytes were altered, or sealed otherwise.
    func open(_ sealed: [UInt8], associatedData: [UInt8]) throws -> [UInt8]
}

/// What a journal is opened with: nothing, a key file, a passphrase.
///
/// The file keeps a header in clear (the method, a salt, how a passphrase becomes a key, and a
/// value that only the right key gives), so that a wrong key is told from a damaged journal.
public protocol PayloadKey: Sendable {
    /// Makes the sealing of a journal.
    ///
    /// - Parameter header: what the journal keeps; nil for a new journal.
    /// - Returns: the sealing, and the header to keep. For a journal that exists it is the same.
    /// - Throws: ``PayloadKeyRefusal`` when this is not the key of that journal.
    func unlock(
        _ header: [UInt8]?
    ) throws(PayloadKeyRefusal) -> (sealing: any PayloadSealing, header: [UInt8])
}

/// A key that does not fit a journal, and why.
public struct PayloadKeyRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// What does not fit, without a full stop: "the passphrase does not open it".
    public var description: String

    /// Makes the refusal.
    public init(_ description: String) { self.description = description }
}

/// No sealing: payloads stand in the file as they are.
public struct UnsealedPayloads: PayloadSealing, PayloadKey {
    private static let header = Array("unsealed".utf8)

    /// Makes the sealing that is none.
    public init() {}

    /// The payload itself.
    public func seal(_ payload: [UInt8], associatedData: [UInt8]) -> [UInt8] { payload }

    /// The bytes themselves.
    public func open(_ sealed: [UInt8], associatedData: [UInt8]) -> [UInt8] { sealed }

    /// Takes an unsealed journal only. Throws for a sealed one; whoever gave no key is at fault.
    public func unlock(
        _ header: [UInt8]?
    ) throws(PayloadKeyRefusal) -> (sealing: any PayloadSealing, header: [UInt8]) {
        guard header == nil || header == Self.header else {
            throw PayloadKeyRefusal("it is sealed, and no key was given")
        }
        return (self, Self.header)
    }
}
