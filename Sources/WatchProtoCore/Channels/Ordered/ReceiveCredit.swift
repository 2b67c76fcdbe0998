/// The credit that the sender of an ordered channel is granted. It follows the records that
/// arrived, and those of them that the journal holds.
struct ReceiveCredit: Sendable {
    private let traits: ChannelTraits
    /// Bytes that assemblies may hold beside whole records.
    private let assemblyBytes: Int
    /// Frames that arrived in this session, and their payload bytes.
    private var arrivedRecords: UInt64 = 0
    private var arrivedBytes: UInt64 = 0
    /// The limits of this session that the sender was told last.
    private(set) var grantedRecords: UInt64 = 0
    private var grantedBytes: UInt64 = 0
    /// Records that are buffered, or that the journal does not hold yet, whichever session brought
    /// them, and their bytes.
    private(set) var heldRecords = 0
    private var heldBytes = 0
    /// The sender was turned away and waits for a raise.
    private(set) var owesRaise = false
    /// A raise is worth a frame.
    private(set) var isDue = false

    init(_ traits: ChannelTraits, limits: Limits) {
        self.traits = traits
        assemblyBytes = max(limits.assemblies * traits.recordByteLimit, traits.byteWindow)
        begin()
    }

    /// A session begins with full windows.
    mutating func begin() {
        (arrivedRecords, arrivedBytes) = (0, 0)
        grantedRecords = UInt64(traits.recordWindow)
        grantedBytes = UInt64(traits.byteWindow)
        (owesRaise, isDue) = (false, false)
    }

    /// Whether another record may be held. An honest sender seldom finds it otherwise: records of a
    /// former session may wait while the next one uses its credit.
    var hasRoom: Bool {
        heldRecords < 2 * traits.recordWindow
            && heldBytes < 2 * traits.byteWindow + assemblyBytes
    }

    /// A frame arrived that counts so much.
    mutating func arrived(records: UInt64, bytes: Int) {
        arrivedRecords += records
        arrivedBytes += UInt64(bytes)
    }

    /// A record is held.
    mutating func hold(bytes: Int) {
        heldRecords += 1
        heldBytes += bytes
    }

    /// A record is held no more.
    mutating func release(records: Int = 1, bytes: Int) {
        heldRecords -= records
        heldBytes -= bytes
    }

    /// The sender is turned away: it waits until the limit in records rises.
    mutating func turnAway() { owesRaise = true }

    /// The last raise was lost with its packet.
    mutating func tellAgain() { isDue = true }

    private var dueRecords: UInt64 {
        arrivedRecords + UInt64(max(0, traits.recordWindow - heldRecords))
    }
    private var dueBytes: UInt64 {
        arrivedBytes + UInt64(max(0, traits.byteWindow - heldBytes))
    }

    /// Room may have become free.
    mutating func update(hasOtherRoom: Bool) {
        let records = max(grantedRecords, dueRecords) - grantedRecords
        let bytes = max(grantedBytes, dueBytes) - grantedBytes
        if bytes >= UInt64(traits.byteWindow / 2)
            || (records >= UInt64(traits.recordWindow / 2) && !owesRaise)
        {
            isDue = true
        }
        if owesRaise, hasRoom, hasOtherRoom { isDue = true }
    }

    /// The raise to announce. While the sender is turned away and there is still no room, only
    /// bytes are raised, for records that have their place already. Says whether a turned-away
    /// sender may offer again.
    mutating func raise(_ channel: Channel, hasOtherRoom: Bool) -> (CreditFrame, isReopened: Bool) {
        grantedBytes = max(grantedBytes, dueBytes)
        var isReopened = false
        if !owesRaise {
            grantedRecords = max(grantedRecords, dueRecords)
        } else if hasRoom, hasOtherRoom {
            grantedRecords = max(grantedRecords + 1, dueRecords)
            owesRaise = false
            isReopened = true
        }
        isDue = false
        let frame = CreditFrame(channel: channel, records: grantedRecords, bytes: grantedBytes)
        return (frame, isReopened)
    }
}
