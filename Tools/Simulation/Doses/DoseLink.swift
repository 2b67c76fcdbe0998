import Locks
import WatchProto
import WatchProtoCore
import WatchProtoRecords
import WatchProtoTransport

/// One device's end of a simulated session with another device.
final class DoseLink: LedgerLink {
    /// A question on its way.
    struct Question {
        var id: RecordID
        var bytes: [UInt8]
        /// The events of the asker when it asked, and the minute of its clock.
        var asked: DoseComparison
        /// The events of the other device when that one got it.
        var events: Set<UInt128> = []
        var isDelivered = false
        var reply: [UInt8]?
        var answered: @Sendable ([UInt8]?) -> Void
    }

    struct State {
        var isReachable = false
        /// Whether the session takes answers of the application.
        var isOpen = true
        /// The records that the application has got from this end.
        var delivered: Set<RecordID> = []
        /// Questions of this end.
        var questions: [Question] = []
        /// Answers of this end to questions of the other one.
        var replies: [(to: RecordID, payload: [UInt8])] = []
        var comparisons = 0
    }

    let disk: DoseDisk
    let other: Int
    let exchange: LedgerExchange
    /// The twin of the exchange, which a mutant makes.
    private let twin: LedgerExchange?
    let epoch: EpochID
    let state = Mutex(State())

    init(_ device: DoseDevice, to other: Int, epoch: UInt64) {
        disk = device.disk
        self.other = other
        exchange = LedgerExchange(device.ledger)
        twin =
            device.disk.mutant == .echoes && device.index == 0
            ? LedgerExchange(device.ledger) : nil
        self.epoch = EpochID(rawValue: epoch)
    }

    func begin() {
        exchange.begin(self, with: DoseDisk.pairing(with: other))
        twin?.begin(self, with: DoseDisk.pairing(with: other))
    }

    /// The session ends: no question of this end gets an answer any more.
    func end() {
        exchange.end()
        twin?.end()
        disk.state.withLock { $0.learnt[other] = nil }
        dropQuestions()
    }

    /// The other device can answer from now on, or no longer.
    func set(isReachable: Bool) {
        state.withLock { $0.isReachable = isReachable }
        disk.state.withLock { $0.learnt[other] = nil }
        exchange.reachable(isReachable)
    }

    var isReachable: Bool { state.withLock { $0.isReachable } }

    /// Whether the session takes nothing: it ended, or it met a failed journal and did not open it
    /// again since then.
    private func takesNothing() -> Bool {
        let isStopped = disk.state.withLock { state in
            if state.isFailed { state.stopped.insert(other) }
            return state.stopped.contains(other)
        }
        return isStopped || !state.withLock { $0.isOpen }
    }

    func newRecord(_ channel: Channel) -> RecordID {
        let number = disk.state.withLock { state in
            defer { state.nextRecord += 1 }
            return state.nextRecord
        }
        return RecordID(epoch: epoch, channel: channel, number: RecordNumber(number))
    }

    func withEventsUnderWay(_ body: ([RecordID: UInt128]) -> Void) {
        let records = disk.state.withLock { state in
            var records = state.contents.queues[other] ?? []
            for case .queued(other, let record) in state.waiting { records.append(record) }
            return records
        }
        var events: [RecordID: UInt128] = [:]
        for record in records {
            events[record.id] = (try? DoseEvent(decoding: record.payload))?.id.rawValue
        }
        body(events)
    }

    func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite], accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID {
        let (count, room) = disk.state.withLock { state in
            let waiting = state.waiting.count { change in
                guard case .queued(let other, _) = change else { return false }
                return other == self.other
            }
            return (waiting + (state.contents.queues[other]?.count ?? 0), state.room)
        }
        if takesNothing() { throw .journalFailed }
        let hasRoom = count < room
        if !hasRoom, disk.mutant != .dropsWhenFull { throw .queueFull(records: count) }
        let record = newRecord(draft.channel)
        let event = try? DoseEvent(decoding: draft.payload)
        let isDropped = disk.drops(event?.id.rawValue ?? 0, to: other)
        if hasRoom, !isDropped {
            disk.accept([.queued(other, .init(id: record, payload: draft.payload))])
        }
        accepted(record, .zero)
        if isDropped { exchange.settled(record, .applied) }
        return record
    }

    func applied(_ id: RecordID, writes: [any StoreWrite]) -> Bool {
        answer(id, .applied)
    }

    func rejected(_ id: RecordID, code: UInt16, writes: [any StoreWrite]) -> Bool {
        answer(id, .rejected(code: code))
    }

    private func answer(_ id: RecordID, _ outcome: Outcome) -> Bool {
        guard !takesNothing() else {
            disk.discardOffered()
            guard disk.mutant == .countsRefused else { return false }
            disk.state.withLock { $0.contents.answers[other, default: [:]][id] = outcome }
            return true
        }
        disk.accept([.answered(other, id, outcome)])
        return true
    }

    func write(_ writes: [any StoreWrite]) -> Bool {
        guard !takesNothing() else {
            disk.discardOffered()
            return false
        }
        disk.accept([])
        return true
    }

    func ask(_ question: [UInt8], answered: @escaping @Sendable ([UInt8]?) -> Void) {
        let asked = Question(
            id: newRecord(.interactive), bytes: question,
            asked: DoseComparison(events: disk.identities, minute: disk.clock.minute()),
            answered: answered)
        state.withLock { $0.questions.append(asked) }
        disk.state.withLock { $0.learnt[other] = nil }
    }

    /// A question was delivered to the other device, which has these events.
    func markDelivered(_ question: RecordID, _ events: Set<UInt128>) {
        state.withLock { state in
            guard let place = state.questions.firstIndex(where: { $0.id == question })
            else { return }
            state.questions[place].events = events
        }
    }

    /// No question of this end gets an answer any more.
    func dropQuestions() {
        let questions = state.withLock { state in
            defer { (state.questions, state.replies) = ([], []) }
            return state.questions
        }
        for question in questions { question.answered(nil) }
    }

    func reply(
        to message: InboundRecord, with payload: [UInt8]
    ) throws(SendRefusal) -> RecordID {
        guard isReachable else { throw .notReachable }
        state.withLock { $0.replies.append((message.id, payload)) }
        return newRecord(.interactive)
    }
}
