import Testing
import WatchProtoRecords

@testable import FormerCore

/// The order of the counterpart's epochs, whatever its greetings say: each has a place of its own,
/// the inbox and the image of its journal agree on it, and it costs no more than what is kept.
@Suite struct EpochRankTests {
    /// An inbox, and the image of the journal it writes.
    struct Side {
        var inbox = Inbox(limits: Limits(), image: JournalImage())
        var image = JournalImage()

        init(_ image: JournalImage = JournalImage()) {
            self.image = image
            inbox = Inbox(limits: Limits(), image: image)
        }

        mutating func begin(_ epochs: [Greeting.OwnEpoch]) {
            var greeting = RecordStageTests.Bench.greeting
            greeting.ownEpochs = epochs
            inbox.begin(greeting)
            persist()
        }

        /// A value in an epoch of the session arrives.
        mutating func receive(_ epochIndex: Int, _ number: UInt64, key: UInt128) throws {
            var head = RecordHead(
                lane: .context, address: RecordAddress(epochIndex: epochIndex, number: number),
                kind: .applicationContext)
            head.key = RecordKey(rawValue: key)
            try inbox.receive(RecordFrame(head: head, body: [1]))
            let deliveries = inbox.deliveries
            inbox.deliveries = []
            for record in deliveries { inbox.disposed(record, .applied) }
            persist()
        }

        mutating func persist() {
            for entry in inbox.entries { image.apply(entry) }
            for action in inbox.commitActions { inbox.committed(action) }
            inbox.entries = []
            inbox.commitActions = []
        }

        /// What is wrong with the order, if anything is.
        var complaint: String? {
            let ranks = inbox.lineage.epochs.map(\.rank)
            if ranks.contains(0) { return "a rank of 0" }
            for (low, high) in zip(ranks, ranks.dropFirst()) where low >= high {
                return "ranks \(low) and \(high) in this order"
            }
            if inbox.lineage != image.counterpartLineage { return "another lineage in the image" }
            let journaled = inbox.epochs.filter { inbox.journaledEpochs.contains($0.id) }
            if journaled.map(\.id) != image.counterpartEpochs.map(\.id)
                || journaled.map(\.rank) != image.counterpartEpochs.map(\.rank)
            {
                return "other epochs in the image"
            }
            let keys = inbox.lanes[Int(Lane.context.rawValue)].keys
            for value in image.values where keys[value.key]?.held?.epoch == value.epoch {
                if keys[value.key]?.rank != value.rank { return "another rank of a value" }
            }
            for (low, high) in zip(inbox.epochs, inbox.epochs.dropFirst())
            where low.rank > high.rank {
                return "epochs out of order"
            }
            return nil
        }
    }

    static func own(_ id: UInt64, parent: UInt64? = nil) -> Greeting.OwnEpoch {
        Greeting.OwnEpoch(
            id: EpochID(rawValue: id), parent: parent.map { EpochID(rawValue: $0) },
            parentHighest: [0, 0, 0, 0, 0], next: [1, 1, 1, 9, 1], floors: [1, 1, 1, 1, 1])
    }

    @Test func epochs_each_listed_below_the_last_have_room() throws {
        var side = Side()
        side.begin([Self.own(1000)])
        try side.receive(0, 1, key: 7)
        for step in UInt64(1)...64 {
            side.begin([Self.own(1000 - step), Self.own(1001 - step)])
            try side.receive(0, 1, key: 7)
            #expect(side.complaint == nil, "step \(step)")
            if step.isMultiple(of: 16) { side.inbox = Inbox(limits: Limits(), image: side.image) }
        }
        #expect(side.image.counterpartLineage.epochs.map(\.id.rawValue) == Array(936...1000))
        // All that came later was older.
        #expect(side.image.values.map(\.epoch.rawValue) == [1000])
    }

    @Test(arguments: [false, true]) func many_unknown_epochs_before_a_known_one_keep_their_order(
        _ isBackwards: Bool
    ) throws {
        var side = Side()
        side.begin([Self.own(50)])
        try side.receive(0, 1, key: 1)
        side.begin((20...50).map { Self.own($0) })
        let order = Array(0..<30)
        for place in isBackwards ? order.reversed() : order {
            try side.receive(place, 1, key: 7)
            #expect(side.complaint == nil, "place \(place)")
        }
        #expect(side.image.counterpartLineage.epochs.map(\.id.rawValue) == Array(20...50))
        #expect(side.image.values.map(\.epoch.rawValue).sorted() == [49, 50])
    }

    /// A receiver that was wiped knows only what a restored sender has lost; then that offers a
    /// record of its backup. (Seeds 3085 and 6237 of the world.)
    @Test(arguments: [false, true])
    func an_unseen_epoch_is_older_than_a_known_one_if_its_stamp_says_so(isClockBehind: Bool) throws
    {
        func own(_ stamp: UInt64, isLast: Bool = false) -> Greeting.OwnEpoch {
            let id = EpochID(rawValue: 1).stamped(stamp, wasClockBehind: isLast && isClockBehind)
            return Self.own(id.rawValue)
        }
        var side = Side()
        side.begin([own(50)])
        try side.receive(0, 1, key: 7)
        side.begin([own(20), own(60, isLast: true)])
        try side.receive(0, 1, key: 7)
        // With a clock that was set back the listed one may well be newer.
        #expect(side.image.values.map(\.epoch.stamp) == [isClockBehind ? 20 : 50])
        try side.receive(1, 1, key: 7)
        #expect(side.image.values.map(\.epoch.stamp) == [60])
        #expect(side.complaint == nil)
    }

    @Test func epochs_that_are_only_listed_use_no_ranks_up() throws {
        var side = Side()
        for session in UInt64(0)..<300 { side.begin((1...32).map { Self.own(session * 32 + $0) }) }
        try side.receive(31, 1, key: 1)
        #expect(side.inbox.epochs.count == 32)
        #expect(side.image.counterpartLineage.epochs.map(\.rank) == [1])
    }

    @Test(arguments: [UInt64(UInt32.max) - 1, UInt64(UInt32.max), RankRoom.largest])
    func a_high_rank_ends_nothing(_ rank: UInt64) throws {
        var image = JournalImage()
        image.apply(.counterpartEpoch(EpochID(rawValue: 9), rank: rank, parent: nil))
        var side = Side(image)
        side.begin([Self.own(8), Self.own(9), Self.own(10)])
        try side.receive(0, 1, key: 1)
        try side.receive(2, 1, key: 2)
        #expect(side.image.counterpartLineage.epochs.map(\.id.rawValue) == [8, 9, 10])
        let coding = JournalCoding(pairing: PairInABox.pairing)
        if rank < RankRoom.largest {
            #expect(side.complaint == nil)
            #expect(try coding.image(of: coding.encoded(side.image).span) == side.image)
        }
    }

    /// The same entries, folded and lived through, come to the same order, also where epochs leave
    /// the lineage.
    @Test(arguments: UInt64(1)...60) func the_image_counts_as_the_inbox_does(_ seed: UInt64) throws
    {
        var random = SeededGenerator(seed: seed)
        var image = JournalImage()
        if !seed.isMultiple(of: 3) { image.bounds.epochs = 3 }
        func name(_ id: UInt64) -> UInt64 {
            EpochID(rawValue: id).stamped(seed.isMultiple(of: 2) ? id : 0).rawValue
        }
        var side = Side(image)
        for step in 0..<40 {
            var ids: [UInt64] = []
            for _ in 0..<random.uniform(in: 1...6) {
                let id = random.uniform(in: 1...24)
                if !ids.contains(id) { ids.append(id) }
            }
            side.begin(
                ids.map { id in
                    let hasParent = id > 1 && random.chance(0.5)
                    return Self.own(name(id), parent: hasParent ? name(id / 2) : nil)
                })
            #expect(side.complaint == nil, "session \(step)")
            for _ in 0..<random.uniform(in: 0...3) {
                let place = Int(random.uniform(in: 0...UInt64(ids.count - 1)))
                try side.receive(
                    place, random.uniform(in: 1...8), key: UInt128(random.uniform(in: 1...3)))
                #expect(side.complaint == nil, "session \(step)")
            }
            if random.chance(0.1) { side.inbox = Inbox(limits: Limits(), image: side.image) }
        }
        #expect(side.image.counterpartLineage.epochs.count <= (seed.isMultiple(of: 3) ? 24 : 15))
    }
}
