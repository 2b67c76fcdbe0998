/// The state of the records of one open epoch of the counterpart in one ordered channel.
struct ReceivedNumbers: Hashable, Sendable {
    /// Every record up to this number was taken, or skipped.
    private(set) var through: UInt64 = 0
    /// Every record up to this number was settled by its sender.
    private(set) var watermark: UInt64 = 0
    /// Numbers above the watermark, up to through, that are not applied.
    private(set) var exceptions = ExceptionRuns()

    /// A record above through was taken in its turn; numbers jumped over are skipped.
    mutating func take(_ number: UInt64, _ exception: RecordException?) {
        take(number...number, exception)
    }

    /// Records above through were taken alike in their turn.
    mutating func take(_ numbers: ClosedRange<UInt64>, _ exception: RecordException?) {
        guard numbers.upperBound > through else { return }
        let first = max(numbers.lowerBound, through + 1)
        if through + 1 < first { exceptions.append((through + 1)...(first - 1), .skipped) }
        if let exception { exceptions.append(first...numbers.upperBound, exception) }
        through = numbers.upperBound
    }

    /// The entries that make this state of an epoch and channel.
    func entries(_ epoch: EpochID, _ channel: Channel) -> [JournalEntry] {
        var entries: [JournalEntry] = [.watermark(epoch, channel, watermark)]
        var next = watermark + 1
        func pass(_ last: UInt64, _ exception: RecordException?) {
            guard next <= last else { return }
            entries.append(.passed(epoch, channel, first: next, last: last, exception))
            next = last + 1
        }
        for run in exceptions.runs {
            pass(run.first - 1, nil)
            pass(run.last, run.exception)
        }
        pass(through, nil)
        return entries
    }

    /// The application has decided on a pending record.
    mutating func decide(_ number: UInt64, _ disposition: Disposition) {
        switch disposition {
        case .applied: exceptions.decide(number, rejectedWith: nil)
        case .rejected(let code): exceptions.decide(number, rejectedWith: code)
        case .pending: break
        }
    }

    /// The sender has settled every record up to this number.
    mutating func settle(through number: UInt64) {
        guard number > watermark else { return }
        watermark = number
        through = max(through, number)
        exceptions.drop(through: number)
    }
}

/// The open epochs of the counterpart in one ordered channel. An epoch that is not among them was
/// never met, or is closed.
struct ReceivedEpochs: Sendable {
    /// A step from one state to the next; the journal holds it as one entry.
    enum Change: Sendable {
        /// A record was taken in its turn. The credit that it held is free when that is durable.
        case took(RecordID, RecordException?, held: Int?, at: Instant)
        /// The application decided on a pending record.
        case decided(RecordID, Disposition)
        /// The sender stated a watermark.
        case settled(EpochID, through: UInt64)
        /// The epoch is closed.
        case closed(EpochID)
    }

    /// In the order in which they were met.
    private(set) var ids: [EpochID] = []
    private(set) var numbers: [ReceivedNumbers] = []

    /// The numbers of an open epoch; nil for one that was never met, or is closed.
    subscript(id: EpochID) -> ReceivedNumbers? { ids.lastIndex(of: id).map { numbers[$0] } }

    /// The number up to which every record was taken, or skipped; 0 where the epoch is not open.
    func through(_ id: EpochID) -> UInt64 {
        ids.lastIndex(of: id).map { numbers[$0].through } ?? 0
    }

    /// Goes one step on.
    mutating func apply(_ change: Change) {
        switch change {
        case .took(let id, let exception, _, _):
            modify(id.epoch) { $0.take(id.number.rawValue, exception) }
        case .decided(let id, let disposition):
            // A closed epoch stays closed.
            guard ids.contains(id.epoch) else { return }
            modify(id.epoch) { $0.decide(id.number.rawValue, disposition) }
        case .settled(let id, let through): modify(id) { $0.settle(through: through) }
        case .closed(let id):
            guard let place = ids.lastIndex(of: id) else { return }
            ids.remove(at: place)
            numbers.remove(at: place)
        }
    }

    /// Records of an epoch had their turn alike.
    mutating func take(_ id: EpochID, _ numbers: ClosedRange<UInt64>, _ word: RecordException?) {
        modify(id) { $0.take(numbers, word) }
    }

    private mutating func modify(_ id: EpochID, _ change: (inout ReceivedNumbers) -> Void) {
        if let place = ids.lastIndex(of: id) { return change(&numbers[place]) }
        ids.append(id)
        numbers.append(ReceivedNumbers())
        change(&numbers[numbers.count - 1])
    }
}

extension ReceivedEpochs: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        left.ids == right.ids && left.numbers == right.numbers
    }
}
