public import WatchProtoCore

/// How a session is set up.
///
/// ```swift
/// let options = SessionOptions(
///     role: .watch, link: "unix:/tmp/doses.sock",
///     journal: .file("watch.journal", key: .file("watch.key")))
/// ```
public struct SessionOptions: Sendable {
    /// The role of this device.
    public var role: DeviceRole
    /// The link to the other device.
    package var link: SessionLink
    /// The place of records and keys.
    public var journal: JournalPlace
    /// The application's tables beside the journal: each step runs once, in order, and steps are
    /// only added at the end.
    public var tables: [String]
    /// Events kept for a reader of `events()` that is slow; further ones are counted, and the
    /// reader is told of them.
    package var eventLimit = 4096
    /// The silence on an idle link after which a ping leaves, at least 10 s; nil for never. A dead
    /// idle link is then noticed within this time and 10 s. Each ping costs both devices a packet
    /// and a wake-up: 60 an hour at one minute. None leaves in the background.
    public var keepAliveInterval: Duration? = .seconds(60)
    /// The time from one packet to the next, 20 to 500 ms, if the traffic must not tell what is
    /// said; nil if packets leave when there is something to say. As long as a session lasts, this
    /// device then sends one packet of 256 bytes at each such moment, so that an observer does not
    /// learn whether or when a dose was taken. Set it on both devices: a device without it shows
    /// every act, and the other one does not tell the application so. Both wake at each moment,
    /// and every act waits for the next one. The beginning and the end of a session stay visible,
    /// and an act without a session can be the reason for which one begins.
    public var constantShapeInterval: Duration?
    /// The watch's platform, which limits the pushes that wake a complication. For a phone.
    public var complicationPlatform = ComplicationPlatform.watchConnectivity
    /// The directory for the files of the other device, made where there is none; nil for one
    /// beside the journal, with `.files` after its name. A session in memory without one refuses
    /// files.
    public var filesDirectory: String?
    /// Receives the progress of each step that changes the journal's schema, before the session is
    /// open; nil for nobody.
    public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?

    /// Sets up a session whose devices meet at an address of this host.
    ///
    /// - Parameters:
    ///   - role: which of the two devices this is.
    ///   - link: where the two meet, as in ``SessionLink/address(_:)``.
    ///   - journal: where records and keys are kept.
    ///   - tables: one SQL statement a step, of the application's tables.
    public init(
        role: DeviceRole, link: String, journal: JournalPlace, tables: [String] = []
    ) {
        self.init(role: role, .address(link), journal: journal, tables: tables)
    }

    /// Sets up a session over a carrier of the application.
    ///
    /// - Parameters:
    ///   - role: which of the two devices this is.
    ///   - carrier: what carries the bytes to the other device.
    ///   - journal: where records and keys are kept.
    ///   - tables: one SQL statement a step, of the application's tables.
    public init(
        role: DeviceRole, carrier: any CompanionCarrier, journal: JournalPlace,
        tables: [String] = []
    ) {
        self.init(role: role, .carrier(carrier), journal: journal, tables: tables)
    }

    private init(
        role: DeviceRole, _ link: SessionLink, journal: JournalPlace, tables: [String]
    ) {
        self.role = role
        self.link = link
        self.journal = journal
        self.tables = tables
    }
}

extension SessionOptions {
    /// The directory of received files; nil for a session in memory that names none.
    var placeOfFiles: String? {
        if let filesDirectory { return filesDirectory }
        guard case .file(let path, _) = journal else { return nil }
        return path + ".files"
    }
}

/// The progress of one step that changes the journal's schema.
public struct MigrationProgress: Hashable, Sendable {
    /// The step in words.
    public let step: String
    /// Rows that are done.
    public let done: Int
    /// Rows in all; 1 where the step rewrites none.
    public let total: Int
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
public enum JournalPlace: Sendable {
    /// In the file at this path, which is made where there is none, sealed with a key.
    case file(String, key: JournalKey)
    /// In memory: it ends with the process. For tests and demonstrations.
    case inMemoryOnly
}

/// The key that seals a journal at rest.
public enum JournalKey: Sendable {
    /// Nothing: a reader of the file reads the records and the keys.
    case unsealed
    /// The key in the file at this path: 32 bytes or 64 hexadecimal digits, mode 0600. Where
    /// neither the journal nor this file exists, both are made. Keep it out of backups that hold
    /// the journal. Without the key the journal cannot be read.
    case file(String)
    /// The 32 bytes that this function returns, as from a keychain. It is called once, while the
    /// session opens. An error of it becomes ``OpenError/badKey(_:)``.
    case provider(@Sendable () throws -> [UInt8])
    /// A key that Argon2id derives from the first line of the file at this path, mode 0600.
    case passphraseFile(String)
}

/// How one record is sent.
public struct SendOptions: Hashable, Sendable {
    /// When the record loses its worth; nil for never. A record that the other device has
    /// committed before is given to its application, also later.
    public var expiresAt: WallTime?
    /// The caller's own name for the act: a retry with the same name and type counts once, if its
    /// priority is low as well, or not low as well. A record of which only the newest counts has
    /// none: `SendRefusal.channelMismatch`.
    public var idempotencyKey: UInt128?
    /// How soon it leaves.
    public var priority: TransferPriority

    /// Sends the record however long that takes, by default.
    public init(
        expiresAt: WallTime? = nil, idempotencyKey: UInt128? = nil,
        priority: TransferPriority = .normal
    ) {
        self.expiresAt = expiresAt
        self.idempotencyKey = idempotencyKey
        self.priority = priority
    }
}

/// How soon a record leaves. Files leave when nothing else may, whatever their priority.
public enum TransferPriority: Hashable, Sendable {
    /// Somebody waits for it: it leaves at once, with what waits (Wear's `setUrgent`).
    case high
    /// As the link allows. One change leaves at once; of a burst of changes the later ones share
    /// packets.
    case normal
    /// When nothing else may leave, in order with the others of low priority. A value of which only
    /// the newest counts leaves as `normal`.
    case low
}
