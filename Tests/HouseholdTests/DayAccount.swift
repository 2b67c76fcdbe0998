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
        /// The end that may take the place of being applied; nil for none. A record that may be
        /// lost in a crash may have an unknown end.
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

    /// A message whose sender was told that its outcome is unknown.
    struct UnknownMessage: Sendable {
        var way: Way
        var number: Int64
        var id: TransferID
        /// The openings of the receiver before it was sent.
        var openings: Int
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
        var unknown: [UnknownMessage] = []
        var asked = 0
        /// The crashes of each device, and the changes of the active watch.
        var crashes: [Int: Int] = [:]
        var changes = 0

        /// How often the sessions of a device were opened. A change of the active watch opens some
        /// of the phone's.
        func openings(of device: Int) -> Int {
            crashes[device, default: 0] + (device == 0 ? changes : 0)
        }

        /// The messages between the phone and a watch, which have met since, whose senders do not
        /// know the truth. Nobody but a receiver in the same opening says that a message did not
        /// arrive. One that a crash met may be lost between the library and its application.
        ///
        /// - Parameters:
        ///   - watch: the watch.
        ///   - outcome: gives the outcome that the sender of a message knows.
        func messagesNotLearnt(
            with watch: Int, _ outcome: (UnknownMessage) -> TransferOutcome?
        ) -> [String] {
            unknown.filter { [$0.way.sender, $0.way.receiver].contains(watch) }
                .compactMap { message in
                    let count = handled[message.number] ?? 0
                    let isSameOpening = openings(of: message.way.receiver) == message.openings
                    let end = outcome(message)
                    let isTrue =
                        switch end {
                        case .reached(let stage):
                            stage == .applied && (count == 1 || !isSameOpening)
                        case .notApplied: count == 0
                        case .unknown, nil: count == 0 && !isSameOpening
                        }
                    if isTrue { return nil }
                    return """
                        message \(message.number) \(message.way): \(String(describing: end)), \
                        handled \(count) times, \(isSameOpening ? "same" : "another") opening
                        """
                }
        }
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
