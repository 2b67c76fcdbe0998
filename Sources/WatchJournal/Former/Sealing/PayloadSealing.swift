internal import WatchProto

/// Seals the rows of a journal at rest.
///
/// All of it is called by several threads at the same time, with no lock around it: when the file
/// is opened, by the journal's writer thread for rows, images and store writes, and by whoever
/// reads the store or keeps keys. It must be safe for that,
/// and what it waits for, they wait for.
public protocol PayloadSealing: Sendable {
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

/// How the application's tables keep what nobody else is to read.
public struct StoreColumns: Sendable {
    private let sealing: any PayloadSealing

    init(sealing: any PayloadSealing) { self.sealing = sealing }

    /// The value of a column, sealed where the journal is.
    ///
    /// - Parameters:
    ///   - value: what to keep.
    ///   - table: a number of the table's own.
    ///   - row: the row's key: what was sealed for one row does not open in another.
    public func seal(_ value: [UInt8], table: UInt8, row: Int64) -> [UInt8] {
        let place = Self.place(table, row)
        guard isPlain else { return sealing.seal(value, associatedData: place) }
        return value + Self.fingerprint(value, place)
    }

    /// Nothing authenticates it then: a fingerprint behind the value finds accidents.
    private var isPlain: Bool { sealing is UnsealedPayloads }

    private static func fingerprint(_ value: [UInt8], _ place: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        writer.uint64(ContentHash.of(value + place))
        return writer.bytes
    }

    /// What was kept.
    ///
    /// - Throws: ``StoreFailure`` when the bytes were altered or stand in another place.
    public func open(
        _ sealed: [UInt8], table: UInt8, row: Int64
    ) throws(StoreFailure) -> [UInt8] {
        let place = Self.place(table, row)
        do {
            guard isPlain else { return try sealing.open(sealed, associatedData: place) }
            let value = Array(sealed.dropLast(8))
            guard Array(sealed.suffix(8)) == Self.fingerprint(value, place) else {
                throw StoreFailure("the fingerprint differs")
            }
            return value
        } catch {
            throw StoreFailure("row \(row) of the store's table \(table) does not open")
        }
    }

    /// A stand-in for an identity, to look rows up by.
    public func lookupTag(_ name: [UInt8]) -> [UInt8] { sealing.lookupTag(name) }

    /// Places of the journal's own begin with 1 and 2.
    private static func place(_ table: UInt8, _ row: Int64) -> [UInt8] {
        var writer = WireWriter()
        writer.byte(3)
        writer.byte(table)
        writer.uint64(UInt64(bitPattern: row))
        return writer.bytes
    }
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

    /// The name itself.
    public func lookupTag(_ name: [UInt8]) -> [UInt8] { name }

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
