import WatchProtoCore
internal import WatchProtoRecords

/// Makes batches of journal entries as a peer would give them, from a seed.
struct BatchSource {
    /// The beginning of every payload and key, which is looked for in the files.
    struct Secret {
        var word: [UInt8]
        var name: UInt128

        /// Bytes that a file holds in which any of it stands in clear; of a name, all but the last.
        var traces: [[UInt8]] {
            let bytes = (1...15).reversed().map { UInt8(truncatingIfNeeded: name >> (8 * $0)) }
            return [word, bytes, bytes.reversed()]
        }
    }

    private let family: CrashFamily
    private let secret: Secret?
    private var generator: SeededGenerator
    private var openings: UInt64 = 0
    private var own = Numbers()
    private var theirs = Numbers()
    private var position: UInt64 = 0
    /// Records of this side that are under way.
    private var open: [RecordID] = []
    /// Records of the counterpart on which the application has not decided.
    private var undecided: [RecordID] = []

    init(family: CrashFamily, seed: UInt64, secret: Secret? = nil) {
        self.family = family
        self.secret = secret
        generator = SeededGenerator(seed: seed)
    }

    /// The next batch: never empty, and legal after all before it.
    mutating func batch() -> [JournalEntry] {
        var entries: [JournalEntry] = []
        if openings == 0 || generator.chance(0.02) { openEpochs(&entries) }
        for _ in 0..<(1 + below(generator.chance(0.1) ? 40 : 4)) { add(&entries) }
        if generator.chance(0.3) {
            position += 1
            entries.append(
                .ticketProgress(own: position, counterpart: position % 3 == 0 ? position : nil))
        }
        return entries
    }

    private mutating func add(_ entries: inout [JournalEntry]) {
        let receives: Double =
            switch family {
            case .accept, .settle: 0
            case .receive: 1
            default: 0.5
            }
        if generator.chance(receives) {
            receive(&entries)
        } else if family != .accept, !open.isEmpty, generator.chance(0.6) {
            settle(&entries)
        } else {
            accept(&entries)
        }
    }

    // MARK: Openings

    private mutating func openEpochs(_ entries: inout [JournalEntry]) {
        openings += 1
        own.open(EpochID(rawValue: openings << 8 | 1))
        theirs.open(EpochID(rawValue: openings << 8 | 2))
        position = 1
        var ticket = TicketEntry(
            ticket: Ticket(rawValue: openings << 8 | 3), promotesPending: openings > 1,
            abandoned: [], counterpartCounter: openings,
            counterpartLostState: generator.chance(0.2))
        if openings > 2, generator.chance(0.2) {
            ticket.abandoned = [Ticket(rawValue: (openings - 2) << 8 | 3)]
        }
        entries += [
            .opened(own.epoch, reservationEnd: own.version + 1024),
            .counters(reserved: 64 * openings, counterpart: openings - 1),
            .ticketEntered(ticket), .epoch(own.epoch, .confirmed), .epoch(theirs.epoch, .known),
        ]
        if let path = PathMemory(
            bytesPerSecond: 10_000 * openings, roundTripMicroseconds: 30_000,
            lossPerTenThousand: 50)
        {
            entries.append(.pathMeasured(path))
        }
    }

    // MARK: This side

    private mutating func accept(_ entries: inout [JournalEntry]) {
        let isValue = generator.chance(0.5)
        // Values of complications have a smaller limit than some of these payloads.
        let channel: Channel = isValue ? .context : generator.chance(0.9) ? .background : .bulk
        let id = own.next(channel)
        var draft = RecordDraft(
            channel: channel, kind: isValue ? .medication : .doseEvent,
            key: isValue ? key() : nil, payload: payload())
        if isValue, generator.chance(0.1) {
            draft.kind = .medicationRemoval
            draft.payload = []
        }
        if !isValue, generator.chance(0.3) { draft.idempotencyKey = UInt128(1 + below(1_000)) }
        entries.append(
            .queued(
                OutboundRecord(
                    id: id, draft: draft,
                    acceptedAt: WallTime(milliseconds: Int64(id.number.rawValue)))))
        open.append(id)
    }

    private mutating func settle(_ entries: inout [JournalEntry]) {
        let place = below(min(open.count, 4))
        let id = open[place]
        switch below(10) {
        case 0...2:
            entries.append(.committedThere(id))
            return
        case 3:
            entries.append(.cancellationAsked(id, below(2) == 0 ? .cancelled : .expired))
            return
        default: break
        }
        open.remove(at: place)
        let outcome: Outcome =
            switch below(6) {
            case 0: .unknown
            case 1: .cancelled
            case 2: .rejected(code: UInt16(below(1000)))
            default: .applied
            }
        entries.append(.settled(id, outcome))
        // A counterpart never hands back records of the present epoch.
        guard id.epoch != own.epoch else { return }
        if !open.contains(where: { $0.epoch == id.epoch }) {
            entries.append(.epoch(id.epoch, .gone))
        } else if generator.chance(0.2) {
            entries.append(.tailLost(id.epoch, .background, last: 5_000 + UInt64(below(100))))
        }
    }

    // MARK: The counterpart

    private mutating func receive(_ entries: inout [JournalEntry]) {
        if !undecided.isEmpty, generator.chance(0.3) {
            let id = undecided.removeFirst()
            entries.append(.decided(id, generator.chance(0.9) ? .applied : .rejected(code: 7)))
            return
        }
        let isValue = generator.chance(0.5)
        let id = theirs.next(isValue ? .context : .background)
        let number = id.number.rawValue
        if isValue, generator.chance(0.05) {
            entries.append(.counterpartRemovalWatermark(number, theirs.epoch))
        } else if !isValue, generator.chance(0.1) {
            let exception: RecordException? = [nil, .cancelled, .expired, .skipped][below(4)]
            entries.append(
                .passed(theirs.epoch, .background, first: number, last: number, exception))
        } else {
            let isPending = generator.chance(0.2)
            if isPending { undecided.append(id) }
            let record = InboundRecord(
                id: id, kind: isValue ? .medication : .doseEvent, key: isValue ? key() : nil,
                payload: payload(),
                idempotencyKey: !isValue && generator.chance(0.3)
                    ? UInt128(number) << 64 | UInt128(openings) : nil)
            entries.append(
                .received(
                    record, isPending ? .pending : .applied,
                    at: WallTime(milliseconds: Int64(number))))
        }
        if !isValue, generator.chance(0.1) {
            entries.append(.watermark(theirs.epoch, .background, number - 1))
        }
    }

    // MARK: Content

    private mutating func key() -> RecordKey {
        RecordKey(rawValue: UInt128(below(20) + 1) | (secret?.name ?? 0))
    }

    private mutating func payload() -> [UInt8] {
        let count = generator.chance(0.05) ? below(9_000) : 20 + below(200)
        let seed = UInt8(truncatingIfNeeded: generator.next())
        return (secret?.word ?? []) + (0..<count).map { seed &+ UInt8(truncatingIfNeeded: $0 &* 7) }
    }

    private mutating func below(_ count: Int) -> Int {
        count <= 1 ? 0 : Int(generator.uniform(in: 0...UInt64(count - 1)))
    }
}

/// The numbers that one side gives its records.
private struct Numbers {
    private(set) var epoch = EpochID(rawValue: 1)
    /// The highest version of a value; one epoch goes on where the one before ended.
    private(set) var version: UInt64 = 0
    private var numbers = [UInt64](repeating: 0, count: Channel.count)

    mutating func open(_ epoch: EpochID) {
        self.epoch = epoch
        numbers = Array(repeating: 0, count: Channel.count)
    }

    mutating func next(_ channel: Channel) -> RecordID {
        let number: UInt64
        if channel.traits.order == .latestValue {
            version += 1
            number = version
        } else {
            numbers[Int(channel.rawValue)] += 1
            number = numbers[Int(channel.rawValue)]
        }
        return RecordID(epoch: epoch, channel: channel, number: RecordNumber(number))
    }
}
