import Locks
import WatchProto
import WatchProtoCore
import WatchProtoTransport

/// One device's end of a simulated session.
final class DoseLink: LedgerLink {
    /// A question on its way.
    struct Question {
        var id: RecordID
        var bytes: [UInt8]
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
    let epoch: EpochID
    let state = Mutex(State())

    init(_ disk: DoseDisk, to other: Int, epoch: UInt64) {
        self.disk = disk
        self.other = other
        self.epoch = EpochID(rawValue: epoch)
    }

    var isReachable: Bool { state.withLock { $0.isReachable } }

    private func id(_ channel: Channel) -> RecordID {
        let number = disk.state.withLock { state in
            defer { state.nextRecord += 1 }
            return state.nextRecord
        }
        return RecordID(epoch: epoch, channel: channel, number: RecordNumber(number))
    }

    func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite], accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID {
        let (isFailed, count, room) = disk.state.withLock { state in
            let waiting = state.waiting.count { change in
                guard case .queued(let other, _) = change else { return false }
                return other == self.other
            }
            return (
                state.isFailed, waiting + (state.contents.queues[other]?.count ?? 0), state.room
            )
        }
        if isFailed || !state.withLock({ $0.isOpen }) { throw .journalFailed }
        let hasRoom = count < room
        if !hasRoom, disk.mutant != .dropsWhenFull { throw .queueFull(records: count) }
        let record = id(draft.channel)
        if hasRoom {
            disk.accept([.queued(other, .init(id: record, payload: draft.payload))])
        }
        accepted(record, .zero)
        return record
    }

    func applied(_ id: RecordID, writes: [any StoreWrite]) -> Bool {
        answer(id, .applied)
    }

    func rejected(_ id: RecordID, code: UInt16, writes: [any StoreWrite]) -> Bool {
        answer(id, .rejected(code: code))
    }

    private func answer(_ id: RecordID, _ outcome: Outcome) -> Bool {
        let isFailed = disk.state.withLock { $0.isFailed }
        guard !isFailed, state.withLock({ $0.isOpen }) else {
            disk.discardOffered()
            guard disk.mutant == .countsRefused else { return false }
            disk.state.withLock { $0.contents.answers[other, default: [:]][id] = outcome }
            return true
        }
        disk.accept([.answered(other, id, outcome)])
        return true
    }

    func write(_ writes: [any StoreWrite]) -> Bool { state.withLock { $0.isOpen } }

    func ask(_ question: [UInt8], answered: @escaping @Sendable ([UInt8]?) -> Void) {
        let asked = Question(id: id(.interactive), bytes: question, answered: answered)
        state.withLock { $0.questions.append(asked) }
    }

    func reply(
        to message: InboundRecord, with payload: [UInt8]
    ) throws(SendRefusal) -> RecordID {
        guard isReachable else { throw .notReachable }
        state.withLock { $0.replies.append((message.id, payload)) }
        return id(.interactive)
    }
}
