/// The parts of a journal entry of any kind: an entry is taken apart and put together here, and
/// their form in bytes is stated once, for reading and for writing (`JournalFields+Coding`).
struct JournalFields: WireCoded {
    /// The first byte of an entry.
    enum Code: UInt8 {
        case opened = 1
        case ticketEntered = 2
        case ticketProgress = 3
        case counters = 4
        case epoch = 5
        case queued = 6
        case cancellationAsked = 7
        case committedThere = 8
        case settled = 9
        case tailLost = 10
        case key = 11
        case value = 12
        case removalWatermark = 13
        case received = 14
        case decided = 15
        case passed = 16
        case repeated = 17
        case watermark = 18
        case counterpartRemovalWatermark = 19
        case topMoved = 20
        case pathMeasured = 21
        case numbered = 22
        case ended = 23
        case held = 24
        case address = 25
    }

    var code = Code.opened
    /// The record that the entry is about; where it is about an epoch or channel, that of it.
    var id = RecordID.blank
    /// The record that another one repeats.
    var first = RecordID.blank
    /// A number that may be 0.
    var number: UInt64 = 0
    var further: UInt64 = 0
    var third: UInt64 = 0
    var mark = EpochMark.confirmed
    var outcome: Outcome?
    var disposition = Disposition.applied
    var exception: RecordException?
    var isLostSince = false
    var key: UInt128 = 0
    /// When the record was accepted, or came.
    var time = WallTime()
    var record = JournalRecord()
    var followers: [RecordID] = []
    var ticket = TicketEntry()

    init() {}

    /// The parts of `entry`.
    init(_ entry: JournalEntry) {
        switch entry {
        case .opened(let epoch, let end): (code, id.epoch, number) = (.opened, epoch, end)
        case .ticketEntered(let entry): (code, ticket) = (.ticketEntered, entry)
        case .ticketProgress(let own, let counterpart):
            (code, number, further) = (.ticketProgress, own, counterpart.map { $0 + 1 } ?? 0)
        case .counters(let reserved, let counterpart):
            (code, number, further) = (.counters, reserved, counterpart)
        case .epoch(let epoch, let mark): (code, id.epoch, self.mark) = (.epoch, epoch, mark)
        case .queued(let record):
            (code, self.record, time) = (.queued, JournalRecord(record), record.acceptedAt)
        case .cancellationAsked(let id, let outcome):
            (code, self.id, self.outcome) = (.cancellationAsked, id, outcome)
        case .committedThere(let id): (code, self.id) = (.committedThere, id)
        case .settled(let id, let outcome): (code, self.id, self.outcome) = (.settled, id, outcome)
        case .tailLost(let epoch, let channel, let last):
            (code, id) = (.tailLost, RecordID(epoch, channel, last))
        case .numbered(let epoch, let channel, let last):
            (code, id) = (.numbered, RecordID(epoch, channel, last))
        case .ended(let id, let count, let outcome, let isLostSince):
            (code, self.id, number, self.outcome) = (.ended, id, count, outcome)
            self.isLostSince = isLostSince
        case .value(let record, let outcome, let seen):
            (code, self.record, time) = (.value, JournalRecord(record), record.acceptedAt)
            (self.outcome, number) = (outcome, seen)
        case .removalWatermark(let version): (code, number) = (.removalWatermark, version)
        case .received(let record, let disposition, let time):
            (code, self.record, self.disposition, self.time) = (
                .received, JournalRecord(record), disposition, time
            )
        case .decided(let id, let disposition):
            (code, self.id, self.disposition) = (.decided, id, disposition)
        case .passed(let epoch, let channel, let first, let last, let exception):
            (code, id) = (.passed, RecordID(epoch, channel, first))
            (number, self.exception) = (last - first, exception)
        case .held(let record, let followers):
            (code, self.record, self.followers) = (.held, JournalRecord(record), followers)
        case .key(let key, let id, let disposition, let time):
            (code, self.key, self.id, self.disposition) = (.key, key, id, disposition)
            self.time = time
        case .repeated(let id, let first, let disposition):
            (code, self.id, self.first) = (.repeated, id, first)
            self.disposition = disposition
        case .watermark(let epoch, let channel, let number):
            (code, id) = (.watermark, RecordID(epoch, channel, number))
        case .counterpartRemovalWatermark(let version, let epoch):
            (code, number, id.epoch) = (.counterpartRemovalWatermark, version, epoch)
        case .topMoved(let epoch): (code, id.epoch) = (.topMoved, epoch)
        case .pathMeasured(let memory):
            (code, number) = (.pathMeasured, memory.bytesPerSecond)
            (further, third) = (memory.roundTripMicroseconds, UInt64(memory.lossPerTenThousand))
        case .address(let address):
            (code, key, number) = (.address, address.host, address.port)
        }
    }

    /// The entry; nil where the measurements are of no path.
    var entry: JournalEntry? {
        switch code {
        case .opened: .opened(id.epoch, reservationEnd: number)
        case .ticketEntered: .ticketEntered(ticket)
        case .ticketProgress:
            .ticketProgress(own: number, counterpart: further == 0 ? nil : further - 1)
        case .counters: .counters(reserved: number, counterpart: further)
        case .epoch: .epoch(id.epoch, mark)
        case .queued: .queued(OutboundRecord(record, acceptedAt: time))
        case .cancellationAsked: .cancellationAsked(id, outcome ?? .unknown)
        case .committedThere: .committedThere(id)
        case .settled: .settled(id, outcome ?? .unknown)
        case .tailLost: .tailLost(id.epoch, id.channel, last: id.number.rawValue)
        case .numbered: .numbered(id.epoch, id.channel, last: id.number.rawValue)
        case .ended: .ended(id, count: number, outcome ?? .unknown, isLostSince: isLostSince)
        case .value: .value(OutboundRecord(record, acceptedAt: time), outcome, seen: number)
        case .removalWatermark: .removalWatermark(number)
        case .received: .received(InboundRecord(record), disposition, at: time)
        case .decided: .decided(id, disposition)
        case .passed:
            .passed(
                id.epoch, id.channel, first: id.number.rawValue, last: id.number.rawValue + number,
                exception)
        case .held: .held(InboundRecord(record), followers: followers)
        case .key: .key(key, id, disposition, at: time)
        case .repeated: .repeated(id, of: first, disposition)
        case .watermark: .watermark(id.epoch, id.channel, id.number.rawValue)
        case .counterpartRemovalWatermark: .counterpartRemovalWatermark(number, id.epoch)
        case .topMoved: .topMoved(id.epoch)
        case .pathMeasured:
            PathMemory(
                bytesPerSecond: number, roundTripMicroseconds: further,
                lossPerTenThousand: UInt16(clamping: third)
            ).map { .pathMeasured($0) }
        case .address: .address(PathAddress(host: key, port: number))
        }
    }
}
