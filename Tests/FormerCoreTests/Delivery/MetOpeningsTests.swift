import Testing

@testable import FormerCore

/// Which openings were met, in which order, and who is another device by that.
@Suite struct MetOpeningsTests {
    private func id(_ number: UInt64) -> EpochID { EpochID(rawValue: number) }

    private func met(_ meetings: [(UInt64, [UInt64])]) -> MetOpenings {
        var met = MetOpenings()
        for (present, former) in meetings { met.meet(id(present), after: former.map(id)) }
        return met
    }

    private func abandoned(_ met: MetOpenings) -> [UInt64] {
        met.openings.filter(\.isAbandoned).map(\.id.rawValue)
    }

    @Test func openings_that_follow_each_other_are_of_one_device() {
        let met = met([(1, []), (2, [1]), (3, [1, 2])])
        #expect(abandoned(met) == [] && met.newest == id(3))
        #expect(!met.isCopied(id(3), after: [id(1), id(2)]))
        #expect(!met.isCopied(id(4), after: [id(2), id(3)]))
    }

    @Test func an_opening_that_comes_back_after_another_is_of_a_copy() {
        let met = met([(1, []), (2, [1]), (3, [1, 2])])
        #expect(met.isCopied(id(2), after: [id(1)]) && met.isCopied(id(1), after: []))
    }

    /// 3 was copied before 4 was opened, or restored from a backup: 5 and 4 are two lines.
    @Test func a_line_that_was_left_is_of_a_copy_when_it_goes_on() {
        let met = met([(2, []), (3, [2]), (4, [2, 3]), (5, [2, 3])])
        #expect(abandoned(met) == [4])
        #expect(met.isCopied(id(6), after: [id(3), id(4)]))
        #expect(!met.isCopied(id(6), after: [id(3), id(5)]))
    }

    /// A device that was refused notes that opening, and names it: it is no other one by that, and
    /// the one that goes on is not touched.
    @Test func who_was_refused_is_refused_again() {
        var met = met([(1, []), (2, [1]), (3, [1])])
        for (present, former) in [(4, [1, 2]), (5, [2, 4]), (6, [4, 5]), (7, [5, 6])]
            as [(UInt64, [UInt64])]
        {
            #expect(met.isCopied(id(present), after: former.map(id)))
            met.refuse(id(present))
        }
        #expect(met.newest == id(3) && !met.isCopied(id(3), after: [id(1)]))
        for number in 100..<200 { met.refuse(id(UInt64(number))) }
        #expect(met.refused.count == MetOpenings.refusedBound)
        #expect(met.isCopied(id(199), after: []) && !met.isCopied(id(101), after: []))
    }

    /// One whose session ended before it was written down here is passed over.
    @Test func what_was_not_met_here_is_no_break() {
        let met = met([(1, []), (3, [1, 2])])
        #expect(abandoned(met) == [])
        #expect(!met.isCopied(id(4), after: [id(2), id(3)]))
    }

    /// A process without a journal names none; and where all that it names are forgotten, nothing
    /// is known.
    @Test func who_names_nothing_that_was_met_leaves_nothing() {
        let met = met([(1, []), (2, []), (9, [7, 8])])
        #expect(abandoned(met) == [])
        #expect(!met.isCopied(id(10), after: [id(8), id(9)]))
    }

    @Test func the_oldest_leave() {
        var met = MetOpenings()
        let last = UInt64(MetOpenings.bound + 3)
        for number in 1...last {
            met.meet(id(number), after: [id(number - 1)].filter { $0.rawValue > 0 })
        }
        #expect(met.openings.count == MetOpenings.bound)
        #expect(met.openings.first?.id == id(4) && abandoned(met) == [])
        #expect(!met.isCopied(id(3), after: [id(2)]), "none that was ever met")
    }
}
