import Testing

@testable import FormerCore

/// The lineages of both sides: what leaves them is told from what they never held.
@Suite struct LineageTests {
    /// An epoch with a stamp, one of those that share it.
    static func epoch(_ stamp: UInt64, branch: UInt64 = 1) -> EpochID {
        EpochID(rawValue: branch).stamped(stamp)
    }

    static func value(_ epoch: EpochID, _ number: UInt64 = 1) -> RecordID {
        RecordID(epoch: epoch, lane: .context, number: RecordNumber(number))
    }

    private func opened(_ stamps: ClosedRange<UInt64>, bound: Int = 3) -> OwnLineage {
        var lineage = OwnLineage()
        for stamp in stamps { lineage.open(Self.epoch(stamp), bound: bound) { _ in false } }
        return lineage
    }

    @Test func an_epoch_that_left_is_not_taken_for_lost() {
        let lineage = opened(0...9)
        #expect(lineage.epochs == [7, 8, 9].map { Self.epoch($0) })
        #expect(!lineage.isLost(Self.epoch(0)) && !lineage.isLost(Self.epoch(6)))
        #expect(!lineage.isLost(Self.epoch(7)) && !lineage.isLost(Self.epoch(9)))
        #expect(lineage.isLost(Self.epoch(10)), "an opening that was undone")
        #expect(lineage.isLost(Self.epoch(8, branch: 2)), "another branch within memory")
    }

    @Test func values_of_epochs_that_left_are_the_oldest_in_their_order() {
        let lineage = opened(0...9)
        #expect(lineage.isNewer(Self.value(Self.epoch(7)), than: Self.value(Self.epoch(2), 9)))
        #expect(!lineage.isNewer(Self.value(Self.epoch(2), 9), than: Self.value(Self.epoch(7))))
        #expect(lineage.isNewer(Self.value(Self.epoch(3)), than: Self.value(Self.epoch(2), 9)))
        #expect(!lineage.isNewer(Self.value(Self.epoch(2), 9), than: Self.value(Self.epoch(3))))
        #expect(lineage.isNewer(Self.value(Self.epoch(2), 9), than: Self.value(Self.epoch(2), 8)))
    }

    @Test func an_open_epoch_stays_however_old() {
        var lineage = OwnLineage()
        for count in UInt64(0)...9 {
            lineage.open(Self.epoch(count), bound: 3) { $0 == Self.epoch(1) }
        }
        #expect(lineage.epochs == [1, 8, 9].map { Self.epoch($0) })
        #expect(!lineage.isLost(Self.epoch(1)) && !lineage.isLost(Self.epoch(7)))
    }

    /// What is still open stays in the list while younger openings leave it; what those accepted is
    /// the newer value all the same. (Sealed seed 9011221 of the world: an opening that a restored
    /// backup had undone left the list while the one before it was open.)
    @Test func a_value_of_an_epoch_that_left_is_newer_than_one_of_an_older_that_stayed() {
        var lineage = OwnLineage()
        let (open, left) = (Self.epoch(1), Self.epoch(4))
        lineage.open(open, bound: 3) { $0 == open }
        lineage.open(Self.epoch(6), bound: 3) { $0 == open }
        lineage.insertLost(left, after: open, bound: 3)
        #expect(lineage.epochs == [open, left, Self.epoch(6)])
        lineage.open(Self.epoch(7), bound: 3) { $0 == open }
        #expect(lineage.epochs == [1, 6, 7].map { Self.epoch($0) })
        #expect(lineage.isNewer(Self.value(left), than: Self.value(open, 7)))
        #expect(!lineage.isNewer(Self.value(open, 7), than: Self.value(left)))
        #expect(!lineage.isNewer(Self.value(left), than: Self.value(Self.epoch(6))))
        #expect(lineage.isNewer(Self.value(Self.epoch(6)), than: Self.value(left)))
        // What was never in the list is no newer than what is, whatever its name says.
        #expect(!lineage.isNewer(Self.value(Self.epoch(9)), than: Self.value(open, 7)))
        #expect(lineage.isNewer(Self.value(open, 7), than: Self.value(Self.epoch(9))))
        // One that shares its stamp with a listed one left before it.
        #expect(!lineage.isNewer(Self.value(Self.epoch(1, branch: 2)), than: Self.value(open)))
    }

    @Test func an_opening_has_the_clocks_stamp_or_the_next_one() {
        let random = EpochID(rawValue: 0xABCD_EF01_2345_6789)
        let time = WallTime(milliseconds: 1_800_000_000_500)
        let stamp: UInt64 = 1_800_000_000 * 64 + 32
        let first = OwnLineage().next(random, at: time)
        #expect(first.stamp == stamp)
        #expect(first.rawValue << 39 == random.rawValue << 39)
        // The clock was set back, or stands.
        var lineage = opened(0...9)
        #expect(lineage.next(random, at: WallTime(milliseconds: 0)).stamp == 10)
        #expect(lineage.next(random, at: WallTime(milliseconds: -5)).stamp == 10)
        #expect(!lineage.next(random, at: WallTime(milliseconds: 0)).wasClockBehind)
        #expect(lineage.next(random, at: time).stamp == stamp)
        lineage.insertLost(Self.epoch(stamp + 7), after: Self.epoch(9), bound: 9)
        #expect(lineage.next(random, at: time).stamp == stamp + 8)
        #expect(!lineage.next(random, at: time).wasClockBehind)
        #expect(lineage.next(random, at: WallTime(milliseconds: 0)).wasClockBehind)
        // All openings from the last stamp on share it, and are told apart by their random bits.
        var last = OwnLineage()
        last.open(Self.epoch(EpochID.largestStamp), bound: 3) { _ in false }
        #expect(last.next(random, at: time).stamp == EpochID.largestStamp)
        #expect(EpochID(rawValue: 1 << 40).stamped(0).rawValue != 0)
    }

    @Test func a_lost_epoch_has_its_place_by_its_stamp() {
        var lineage = opened(4...9, bound: 100)
        for (stamp, place) in [(6, 3), (12, 7), (2, 0)] as [(UInt64, Int)] {
            #expect(lineage.placeByStamp(of: Self.epoch(stamp, branch: 2)) == place)
            let after = place > 0 ? lineage.epochs[place - 1] : nil
            lineage.insertLost(Self.epoch(stamp, branch: 2), after: after, bound: 100)
        }
        #expect(lineage.epochs.map(\.stamp) == [2, 4, 5, 6, 6, 7, 8, 9, 12])
        // What is named as before it may have left the list.
        lineage.insertLost(Self.epoch(7, branch: 3), after: Self.epoch(1), bound: 100)
        #expect(lineage.epochs.map(\.stamp) == [2, 4, 5, 6, 6, 7, 7, 8, 9, 12])
        let newer = Self.value(Self.epoch(12, branch: 2))
        #expect(lineage.isNewer(newer, than: Self.value(Self.epoch(8))))
    }

    @Test func any_number_of_lost_epochs_costs_no_more_than_a_few_times_the_bound() {
        var lineage = opened(0...2)
        for stamp in UInt64(10)..<100 {
            lineage.insertLost(Self.epoch(stamp), after: Self.epoch(1), bound: 3)
        }
        #expect(lineage.epochs.count == 15 && lineage.forgottenThrough != nil)
        var theirs = CounterpartLineage()
        for stamp in UInt64(10)..<100 {
            theirs.insert(
                JournalImage.CounterpartEpoch(id: Self.epoch(stamp), rank: stamp, parent: nil),
                bound: 3
            ) { _ in true }
        }
        #expect(theirs.epochs.count == 15 && theirs.isForgotten(Self.epoch(10)))
    }

    /// A side whose disk takes nothing, and whose clock stands, opens with one stamp again and
    /// again. (Seeds 677 and 4109 of the world.)
    @Test func openings_that_share_a_stamp_are_not_forgotten() {
        var lineage = opened(0...4)
        for branch in UInt64(2)...9 {
            lineage.open(Self.epoch(5, branch: branch), bound: 3) { _ in false }
        }
        #expect(lineage.forgottenThrough == 4)
        #expect(lineage.isLost(Self.epoch(5, branch: 10)))
        lineage.open(Self.epoch(6), bound: 3) { _ in false }
        #expect(lineage.forgottenThrough == 5)
    }

    /// An epoch in which nothing arrives for many openings is known all the same.
    @Test func a_listed_epoch_is_not_forgotten_before_it_was_known() throws {
        var image = JournalImage()
        image.bounds.epochs = 3
        var side = EpochRankTests.Side(image)
        func own(_ count: UInt64) -> Greeting.OwnEpoch {
            EpochRankTests.own(Self.epoch(count).rawValue, parent: 1)
        }
        side.begin([own(0)])
        for count in UInt64(1)...9 {
            side.begin([own(0), own(count)])
            try side.receive(1, 1, key: 7)
            #expect(side.complaint == nil)
        }
        var greeting = RecordStageTests.Bench.greeting
        greeting.ownEpochs = [own(0), own(10)]
        let later = EpochRankTests.Side(side.image)
        #expect(!later.inbox.judge(greeting).isOutdated)
        greeting.ownEpochs = [own(1), own(10)]
        #expect(later.inbox.judge(greeting).isOutdated)
    }

    @Test func both_sides_forgotten_openings_are_written_and_read() throws {
        var image = JournalImage()
        image.bounds.epochs = 2
        let none = [RecordNumber](repeating: RecordNumber(0), count: Lane.count)
        for stamp in UInt64(0)...4 {
            let id = Self.epoch(stamp)
            image.apply(.epochOpened(id, parent: nil, parentHighest: none))
            image.apply(.epochRetired(id))
            let theirs = Self.epoch(stamp + 100)
            image.apply(.counterpartEpoch(theirs, rank: stamp + 1, parent: nil))
            image.apply(.counterpartEpochRetired(theirs))
        }
        let coding = JournalCoding(pairing: boxPairing)
        let bytes = coding.encoded(image)
        let read = try coding.image(of: bytes.span)
        #expect(read.lineage == image.lineage && read.lineage.forgottenThrough == 2)
        #expect(read.counterpartLineage == image.counterpartLineage)
        #expect(read.counterpartLineage.forgottenThrough == 102)
        #expect(read.counterpartLineage.isForgotten(Self.epoch(101)))
        #expect(!read.counterpartLineage.isForgotten(Self.epoch(103)))
        // 1 and the stamp of this side's, then of the counterpart's, no path, and no openings.
        #expect(bytes.suffix(8) == [1, 2, 1, 102, 0, 0, 0, 0])
        let above = bytes.dropLast(5) + [0x80, 0x80, 0x80, 0x80, 0x80, 0x08, 0, 0, 0, 0]
        let error = #expect(throws: WireError.self) { try coding.image(of: Array(above).span) }
        #expect(error?.rule == .outOfRange)
    }
}
