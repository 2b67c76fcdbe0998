public import WatchProtoCore

/// How a session is set up.
///
/// ```swift
/// let options = SessionOptions(
///     role: .watch, link: "unix:/tmp/doses.sock", journal: .file("watch.journal"))
/// ```
public struct SessionOptions: Sendable {
    /// The role of this device.
    public var role: DeviceRole
    /// The link to the other device.
    public var link: SessionLink
    /// The place of records and keys.
    public var journal: JournalPlace
    /// The key that seals the journal at rest.
    public var key: JournalKey
    /// The application's tables beside the journal: each step runs once, in order, and steps are
    /// only added at the end.
    public var tables: [String]
    /// Events kept for a reader of `events()` that is slow; further ones are counted, and the
    /// reader is told of them.
    public var eventLimit = 4096

    /// Sets up a session whose devices meet at an address of this host.
    ///
    /// - Parameters:
    ///   - role: which of the two devices this is.
    ///   - link: where the two meet, as in ``SessionLink/address(_:)``.
    ///   - journal: where records and keys are kept.
    ///   - key: what that is sealed with; by default nothing but the file's mode protects it.
    ///   - tables: one SQL statement a step, of the application's tables.
    public init(
        role: DeviceRole, link: String, journal: JournalPlace, key: JournalKey = .unsealed,
        tables: [String] = []
    ) {
        self.init(role: role, .address(link), journal: journal, key: key, tables: tables)
    }

    /// Sets up a session over a carrier of the application.
    ///
    /// - Parameters:
    ///   - role: which of the two devices this is.
    ///   - carrier: what carries the bytes to the other device.
    ///   - journal: where records and keys are kept.
    ///   - key: what that is sealed with; by default nothing but the file's mode protects it.
    ///   - tables: one SQL statement a step, of the application's tables.
    public init(
        role: DeviceRole, carrier: any CompanionCarrier, journal: JournalPlace,
        key: JournalKey = .unsealed, tables: [String] = []
    ) {
        self.init(role: role, .carrier(carrier), journal: journal, key: key, tables: tables)
    }

    private init(
        role: DeviceRole, _ link: SessionLink, journal: JournalPlace, key: JournalKey,
        tables: [String]
    ) {
        self.role = role
        self.link = link
        self.journal = journal
        self.key = key
        self.tables = tables
    }
}

/// The link of a session to the other device.
public enum SessionLink: Sendable {
    /// An address of this host: `unix:PATH`, `unix-seqpacket:PATH`, `unix-datagram:PATH`,
    /// `udp:127.0.0.1:PORT`, `fd:R,W`, `stdio`, or `exec:COMMAND ARG…`. The watch listens at the
    /// address, and the phone connects.
    case address(String)
    /// A carrier of the application.
    case carrier(any CompanionCarrier)
}

/// The place of the journal of a session.
public enum JournalPlace: Hashable, Sendable {
    /// In the file at this path, which is made where there is none.
    case file(String)
    /// In memory: it ends with the process. For tests and demonstrations.
    case inMemoryOnly
}

/// The key that seals a journal at rest.
public enum JournalKey: Hashable, Sendable {
    /// Nothing: whoever reads the file reads the records and the keys.
    case unsealed
    /// The key in the file at this path: 32 bytes or 64 hexadecimal digits, mode 0600.
    case file(String)
    /// A key that Argon2id derives from the first line of the file at this path, mode 0600.
    case passphraseFile(String)
}

/// How one record is sent.
public struct SendOptions: Hashable, Sendable {
    /// When the record loses its worth; nil for never.
    public var expiresAt: WallTime?
    /// The caller's own name for the act: a retry with the same name counts once.
    public var idempotencyKey: UInt128?

    /// Sends the record however long that takes, by default.
    public init(expiresAt: WallTime? = nil, idempotencyKey: UInt128? = nil) {
        self.expiresAt = expiresAt
        self.idempotencyKey = idempotencyKey
    }
}
