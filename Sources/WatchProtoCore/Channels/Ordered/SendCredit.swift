/// The part of the receiver's credit that the sender of an ordered channel has used in a session.
///
/// Each transmission of a frame is charged, and each loss of one gives its charge back, so both
/// sides count the frames that arrived. A loss that was only presumed makes the receiver count one
/// more than the sender: the error is on the safe side.
struct SendCredit: Sendable {
    /// Records that may be offered in the session.
    private(set) var recordLimit: UInt64
    /// Payload bytes that may be offered in the session.
    private(set) var byteLimit: UInt64
    private var records: UInt64 = 0
    private var bytes: UInt64 = 0
    /// The limit in records at which the receiver had no room; nil where it always had.
    private var pausedAt: UInt64?
    /// The lowest record that was turned away then.
    private var pausedFrom = RecordPlace(epoch: 0, number: 0)

    /// Begins a session with the windows of the channel's row.
    init(_ traits: ChannelTraits) {
        recordLimit = UInt64(traits.recordWindow)
        byteLimit = UInt64(traits.byteWindow)
    }

    /// Whether another record may be offered.
    var hasRecord: Bool { records < recordLimit }
    /// Payload bytes that may be offered now.
    var bytesLeft: Int { Int(min(byteLimit > bytes ? byteLimit - bytes : 0, UInt64(Int.max))) }

    /// A frame leaves that counts so much.
    mutating func charge(records: UInt64, bytes: Int) {
        self.records += records
        self.bytes += UInt64(bytes)
    }

    /// A frame that counted so much was lost.
    mutating func refund(records: UInt64, bytes: Int) {
        self.records -= min(self.records, records)
        self.bytes -= min(self.bytes, UInt64(bytes))
    }

    /// The receiver raised its limits; lower ones are old.
    mutating func raise(_ frame: CreditFrame) {
        recordLimit = max(recordLimit, frame.records)
        byteLimit = max(byteLimit, frame.bytes)
    }

    /// The receiver turned a record away when its limit in records was `limit`.
    mutating func pause(at limit: UInt64, from place: RecordPlace) {
        guard let pausedAt, pausedAt >= limit else {
            (pausedAt, pausedFrom) = (limit, place)
            return
        }
        if pausedAt == limit { pausedFrom = min(pausedFrom, place) }
    }

    /// The epochs have new places, by their former ones.
    mutating func arrange(_ places: [Int]) {
        if pausedAt != nil { pausedFrom = pausedFrom.moved(places) }
    }

    /// Whether the record may not be offered before the limit rises. One below all that were turned
    /// away may: the receiver makes room for it.
    func isPaused(_ place: RecordPlace) -> Bool {
        guard let pausedAt, pausedAt >= recordLimit else { return false }
        return place >= pausedFrom
    }
}
