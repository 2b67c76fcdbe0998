/// A record of an ordered channel on its way out, and how far it is.
struct OutboundItem: Sendable {
    let record: OutboundRecord
    /// When it was accepted, in nanoseconds on the monotonic clock; negative for a record that is
    /// older than the clock.
    var acceptedAt: Int64 = 0
    /// The furthest stage known, reported or not.
    var stage = Stage.queued
    /// Stages up to this one were reported to the application; nil before the local commit.
    var reported: Stage?
    /// The local journal holds it, or need not.
    var isDurable: Bool
    /// It does not leave before that.
    var waitsForCommit: Bool
    /// It was given to a carrier at some time, or may have been by an earlier process.
    var wasTransmitted = false
    /// It is under way in this session.
    var isOffered = false
    /// It is to be cancelled, or has expired, and the receiver decides.
    var cancelRequest: Outcome?
    /// The request has left in this session, and is not answered.
    var isCancelSent = false
    /// The outcome with which it ended; the journal does not hold that yet.
    var ending: Outcome?
    /// The counterpart lost state since the record ended.
    var isLostSince = false
    /// Its fragmentation progress in this session; nil where it leaves whole.
    var fragments: FragmentCursor?

    /// Whether a later record must wait for it.
    var isLive: Bool { ending == nil }

    /// Whether those behind it wait for the journal to hold it, or how it ended before it left.
    var holdsBack: Bool { ending == nil ? waitsForCommit && !isDurable : !wasTransmitted }

    /// Whether it is to leave (again) in this session.
    var waits: Bool {
        stage < .received && !isOffered && cancelRequest == nil && ending == nil
    }
}

/// The place of a record among all records of its channel, the oldest epoch first.
struct RecordPlace: Hashable, Comparable, Sendable {
    /// The index of the epoch among the sender's own; the present one is the last.
    var epoch: Int
    /// The record's number.
    var number: UInt64

    /// The place where the epochs have these new indices, by their former ones.
    func moved(_ places: [Int]) -> RecordPlace {
        RecordPlace(epoch: places[epoch], number: number)
    }

    static func < (left: RecordPlace, right: RecordPlace) -> Bool {
        (left.epoch, left.number) < (right.epoch, right.number)
    }
}

/// One own epoch in one ordered channel.
struct OutboundEpoch: Sendable {
    let id: EpochID
    /// The highest number used, that of a lost tail included once the journal holds that.
    var last: UInt64 = 0
    /// The highest number of a lost tail, durable or not; 0 where there is none.
    var tail: UInt64 = 0
    /// Records that are unsettled, or whose settlement is not durable.
    var items = NumberedTable<OutboundItem>()
    /// Numbers above the watermark that are settled and perhaps not applied: the receiver keeps an
    /// exception for each range.
    var exceptions = NumberRanges()
    /// The highest number, at or below the watermark, of which the receiver may keep an exception.
    var highestException: UInt64 = 0
    /// The watermark stated in this session.
    var toldWatermark: UInt64 = 0
    /// Every record up to this number is known to have been taken by the counterpart's process.
    var receivedThrough: UInt64 = 0
    /// Both sides have closed it; it is dropped when the next session begins.
    var isGone = false

    /// Every record up to this number is durably settled.
    var watermark: UInt64 { items.first.map { $0 - 1 } ?? last }

    /// A number is settled and, as far as this side knows, not applied.
    mutating func addException(_ numbers: ClosedRange<UInt64>) { exceptions.insert(numbers) }

    /// The watermark may have moved.
    mutating func watermarkMoved() {
        let watermark = watermark
        guard let first = exceptions.first, first <= watermark else { return }
        for range in exceptions.ranges {
            guard range.lowerBound <= watermark else { break }
            highestException = max(highestException, min(range.upperBound, watermark))
        }
        exceptions.removeAll(below: watermark + 1)
    }
}
