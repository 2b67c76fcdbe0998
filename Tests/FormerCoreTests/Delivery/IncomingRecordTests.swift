import Articles
import Testing
import WatchProtoRecords

@testable import FormerCore

/// The life of a record on its way in, one cell of the article's table after the other.
@Suite struct IncomingRecordTests {
    static let states = [
        "unseen", "held", "delivered", "committed", "applied", "rejected", "taken back",
    ]
    static let inputs = [
        "offered", "offered early", "predecessor in", "said applied", "said pending",
        "said rejected", "withdrawn", "floor", "link lost", "restarted",
    ]

    /// An inbox in session. The record is number 2 of the background lane, behind number 1.
    struct Bench {
        var inbox = Inbox(limits: Limits(), image: JournalImage())
        var image = JournalImage()
        static let lane = Lane.background
        static let index = Int(Lane.background.rawValue)

        init() { inbox.begin(Self.greeting) }

        static var greeting: Greeting {
            let ones = [UInt64](repeating: 1, count: Lane.count)
            return Greeting(
                role: .phone, pairing: PairingID(rawValue: 1), highestVersion: 0,
                ownEpochs: [
                    Greeting.OwnEpoch(
                        id: EpochID(rawValue: 7), parent: nil,
                        parentHighest: ones.map { _ in 0 }, next: ones.map { _ in 9 },
                        floors: ones)
                ], knownEpochs: [], offers: ones, bytes: ones, heldDigests: ones,
                largestDatagramBytes: 1_200)
        }

        static func address(_ number: UInt64) -> RecordAddress {
            RecordAddress(epochIndex: 0, number: number)
        }

        static func record(_ number: UInt64, after predecessor: UInt64? = nil) -> RecordFrame {
            var head = RecordHead(lane: lane, address: address(number), kind: .userInfo)
            head.predecessor = predecessor.map { address($0) }
            return RecordFrame(head: head, body: [1])
        }

        /// The application's word on what was delivered, and the journal's receipt for it.
        mutating func say(_ disposition: Disposition, of number: UInt64) {
            let records = inbox.deliveries.filter { $0.id.number.rawValue == number }
            inbox.deliveries.removeAll { $0.id.number.rawValue == number }
            for record in records { inbox.disposed(record, disposition) }
            if records.isEmpty, let id = inbox.pending.keys.first { inbox.dispose(id, disposition) }
            persist()
        }

        private mutating func persist() {
            for entry in inbox.entries { image.apply(entry) }
            inbox.entries = []
            for action in inbox.commitActions { inbox.committed(action) }
            inbox.commitActions = []
        }

        mutating func apply(_ input: String) throws {
            switch input {
            case "offered": try inbox.receive(Self.record(2))
            case "offered early": try inbox.receive(Self.record(2, after: 1))
            case "predecessor in":
                try inbox.receive(Self.record(1))
                // One that a later record has passed is not given, and nothing is said of it.
                if inbox.deliveries.contains(where: { $0.id.number.rawValue == 1 }) {
                    say(.applied, of: 1)
                } else {
                    persist()
                }
            case "said applied": say(.applied, of: 2)
            case "said pending": say(.pending, of: 2)
            case "said rejected": say(.rejected(code: 1), of: 2)
            case "withdrawn":
                try inbox.receive(
                    WithdrawFrame(
                        lane: Self.lane, address: Self.address(2), isExpired: false))
                persist()
            case "floor":
                try inbox.receive(FloorFrame(lane: Self.lane, floor: Self.address(3)))
                persist()
            case "link lost": inbox.begin(Self.greeting)
            case "restarted":
                inbox = Inbox(limits: Limits(), image: image)
                inbox.begin(Self.greeting)
            default: Issue.record("unknown input \(input)")
            }
        }

        var state: String {
            if inbox.lanes[Self.index].held.contains(Self.address(2)) {
                return "held"
            }
            guard let epoch = inbox.position(0) else { return "unknown epoch" }
            let numbers = inbox.epochs[epoch].lanes[Self.index]
            switch numbers.exception(2) {
            case .rejected?: return "rejected"
            case .cancelled?: return "taken back"
            case let outcome?: return "\(outcome)"
            case nil: break
            }
            if numbers.applied.contains(2) { return "applied" }
            if numbers.committed.contains(2) { return "committed" }
            return numbers.arrived.contains(2) ? "delivered" : "unseen"
        }

        /// Whether the application has been given the record, and has not answered yet.
        var isAsked: Bool { inbox.deliveries.contains { $0.id.number.rawValue == 2 } }

        /// Whether the application still owes its word.
        var owesWord: Bool { isAsked || !inbox.pending.keys.isEmpty }
    }

    private static let ways: [String: [String]] = [
        "unseen": [], "held": ["offered early"], "delivered": ["offered"],
        "committed": ["offered", "said pending"], "applied": ["offered", "said applied"],
        "rejected": ["offered", "said rejected"], "taken back": ["withdrawn"],
    ]

    private static func cell(_ state: String, _ input: String) throws -> String {
        var bench = Bench()
        for step in ways[state] ?? [] { try bench.apply(step) }
        #expect(bench.state == state)
        if input.hasPrefix("said"), !bench.owesWord { return "·" }
        let wasAsked = bench.isAsked
        try bench.apply(input)
        // Nothing is given to the application twice, but what it left pending before a restart.
        if state == "committed", input == "restarted" { #expect(bench.isAsked) }
        if !wasAsked, bench.state != "delivered", input != "restarted" { #expect(!bench.isAsked) }
        return bench.state == state ? "–" : bench.state
    }

    @Test func the_table_of_the_article_is_the_code() throws {
        let table = try #require(
            try MarkdownTable.below(
                "A record on its way in",
                in: "Sources/FormerCore/FormerCore.docc/state-machines.md"))
        var rows: [[String]] = []
        for state in Self.states {
            rows.append([state] + (try Self.inputs.map { try Self.cell(state, $0) }))
        }
        #expect(table.header == ["state"] + Self.inputs)
        #expect(table.rows == rows)
    }

    /// In a newest-per-key lane an older value than the one held is over.
    @Test func a_value_older_than_the_one_held_is_superseded() throws {
        var bench = Bench()
        for number in [UInt64(2), 1] {
            var head = RecordHead(
                lane: .context, address: Bench.address(number), kind: .applicationContext)
            head.key = RecordKey(rawValue: 5)
            try bench.inbox.receive(RecordFrame(head: head, body: [UInt8(number)]))
        }
        #expect(bench.inbox.deliveries.map(\.payload) == [[2]])
        for action in bench.inbox.commitActions { bench.inbox.committed(action) }
        let epoch = try #require(bench.inbox.position(0))
        let numbers = bench.inbox.epochs[epoch].lanes[Int(Lane.context.rawValue)]
        #expect(numbers.exception(1) == .superseded)
    }
}
