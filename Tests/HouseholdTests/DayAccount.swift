import Locks
import Testing
import WatchProto

/// The truth of a day: what was accepted, and what became of it.
final class DayAccount: Sendable {
    /// One way between the phone and a watch.
    struct Way: Hashable, Sendable {
        var sender: Int
        var receiver: Int
    }

    /// The records of one way that come in order.
    enum Line: Sendable, CaseIterable { case info, lowInfo, file }

    /// A record in order that was accepted.
    struct Sent: Sendable {
        var way: Way
        var line: Line
        var number: Int64
        var id: TransferID
        var options: SendOptions
        /// The end that may take the place of being applied; nil for none.
        var mayEnd: TransferOutcome?
        /// The end, once it is known, of a record that may have another one.
        var end: TransferOutcome?

        /// Whether the record is to count.
        ///
        /// - Parameter arrived: the numbers of those that count.
        func isDue(_ arrived: Set<Int64>) -> Bool {
            guard mayEnd != nil else { return true }
            // If its end is not known any more, both may be true.
            return end.map { $0 == .reached(.applied) } ?? arrived.contains(number)
        }
    }

    struct State {
        var sent: [Sent] = []
        /// The records that were sent again under their keys.
        var repeated: [(sender: Int, id: TransferID)] = []
        /// How often a device had nothing left to do for a background task.
        var drains = 0
        /// The newest context, and the newest list of medications.
        var contexts: [Way: Int64] = [:]
        var lists: [Int: [UInt32]] = [:]
        /// The numbers of the states that were offered for each face, in order.
        var faces: [Int: [Int64]] = [:]
        var doses: [DoseEvent] = []
        /// The outcomes of messages, and how often each was handled.
        var outcomes: [Int64: [MessageOutcome]] = [:]
        var handled: [Int64: Int] = [:]
        var asked = 0
    }

    private let state = Mutex(State())

    func note<Value: Sendable>(_ body: (inout sending State) -> Value) -> Value {
        state.withLock { body(&$0) }
    }

    /// The messages that do not end as their senders were told.
    var liesAboutMessages: [String] {
        state.withLock { state in
            state.outcomes.compactMap { number, outcomes in
                let count = state.handled[number] ?? 0
                let isTrue =
                    switch outcomes.first {
                    case .reply(let bytes): count == 1 && bytes == DayAccount.bytes(number)
                    case .notDelivered: count == 0
                    case .unknown: count <= 1
                    case nil: false
                    }
                if isTrue, outcomes.count == 1 { return nil }
                return "message \(number): \(outcomes), handled \(count) times"
            }
        }
    }

    static func bytes(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * Int64($0))) }
    }

    static func number(_ bytes: [UInt8]) -> Int64 {
        bytes.prefix(8).reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
}
