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

    struct State {
        /// The records in order that were accepted, by their numbers.
        var infos: [Way: [Int64]] = [:]
        var files: [Way: [Int64]] = [:]
        var transfers: [(sender: Int, id: TransferID)] = []
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
