import Testing

@testable import WatchProto

/// The lineages of both sides: what leaves them is told from what they never held.
@Suite struct LineageTests {
    /// Epoch `count` of a journal, one branch of it.
    static func epoch(_ count: UInt64, journal: UInt64 = 5, branch: UInt64 = 1) -> EpochID {
        EpochID(rawValue: journal << 52 | branch).counted(
            count, after: EpochID(rawValue: journal << 52 | 1))
    }

    static func value(_ epoch: EpochID, _ number: UInt64 = 1) -> RecordID {
        RecordID(epoch: epoch, lane: .context, number: RecordNumber(number))
    }

    private func opened(_ counts: ClosedRange<UInt64>, bound: Int = 3) -> OwnLineage {
        var lineage = OwnLineage()
        for count in counts { lineage.open(Self.epoch(count), bound: bound) { _ in false } }
        return lineage
    }

    @Test func an_epoch_that_left_is_not_taken_for_lost() {
        let lineage = opened(0...9)
        #expect(lineage.epochs == [7, 8, 9].map { Self.epoch($0) })
        #expect(!lineage.isLost(Self.epoch(0)) && !lineage.isLost(Self.epoch(6)))
        #expect(!lineage.isLost(Self.epoch(7)) && !lineage.isLost(Self.epoch(9)))
        #expect(lineage.isLost(Self.epoch(10)), "an opening that was undone")
        #expect(lineage.isLost(Self.epoch(8, branch: 2)), "another branch within memory")
        #expect(lineage.isLost(Self.epoch(0, journal: 6)), "of a journal that was wiped")
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

    @Test func an_opening_counts_on_from_all_that_its_journal_knows_of() {
        let random = EpochID(rawValue: 0xABCD_EF01_2345_6789)
        let first = OwnLineage().next(random, after: nil)
        #expect(first.journal == 0xABC && first.openingCount == 0)
        let next = opened(0...9).next(random, after: Self.epoch(9))
        #expect(next.journal == 5 && next.openingCount == 10)
        #expect(next.rawValue << 30 == random.rawValue << 30)
        var restored = opened(0...3)
        restored.insertLost(Self.epoch(40), after: Self.epoch(3))
        restored.insertLost(Self.epoch(70, journal: 6), after: nil)
        #expect(restored.next(random, after: Self.epoch(3)).openingCount == 41)
        // All openings from the last count on share it, and are told apart by their random bits.
        let last = Self.epoch(EpochID.largestCount)
        #expect(OwnLineage().next(random, after: last).openingCount == EpochID.largestCount)
        #expect(EpochID(rawValue: 1 << 40).counted(0, after: nil).rawValue != 0)
    }

    @Test func journals_beyond_the_bound_are_forgotten_the_oldest_first() {
        var forgotten = ForgottenOpenings()
        for journal in UInt64(1)...70 {
            forgotten.note(Self.epoch(3, journal: journal), staying: [])
        }
        #expect(forgotten.entries.count == ForgottenOpenings.journalLimit)
        #expect(!forgotten.contains(Self.epoch(3, journal: 6)))
        #expect(forgotten.contains(Self.epoch(3, journal: 7)))
        forgotten.note(Self.epoch(2, journal: 7), staying: [Self.epoch(9, journal: 7)])
        #expect(forgotten.through(7) == 3)
    }

    /// A side whose disk takes nothing counts from the same opening again and again. (Seeds 677 and
    /// 4109 of the world.)
    @Test func openings_that_share_a_count_are_not_forgotten() {
        var lineage = opened(0...4)
        for branch in UInt64(2)...9 {
            lineage.open(Self.epoch(5, branch: branch), bound: 3) { _ in false }
        }
        #expect(lineage.forgotten.through(5) == 4)
        #expect(lineage.isLost(Self.epoch(5, branch: 10)))
        lineage.open(Self.epoch(6), bound: 3) { _ in false }
        #expect(lineage.forgotten.through(5) == 5)
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
        for count in UInt64(0)...4 {
            let id = Self.epoch(count)
            image.apply(.epochOpened(id, parent: nil, parentHighest: none))
            image.apply(.epochRetired(id))
            let theirs = Self.epoch(count, journal: 0xFFF)
            image.apply(.counterpartEpoch(theirs, rank: count + 1, parent: nil))
            image.apply(.counterpartEpochRetired(theirs))
        }
        let coding = JournalCoding(pairing: boxPairing)
        let read = try coding.image(of: coding.encoded(image).span)
        #expect(read.lineage == image.lineage && read.lineage.forgotten.through(5) == 2)
        #expect(read.counterpartLineage == image.counterpartLineage)
        #expect(read.counterpartLineage.forgotten.through(0xFFF) == 2)
        #expect(read.counterpartLineage.isForgotten(Self.epoch(1, journal: 0xFFF)))
        #expect(!read.counterpartLineage.isForgotten(Self.epoch(3, journal: 0xFFF)))
    }
}
