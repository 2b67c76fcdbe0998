import Bench
import Testing

@Suite struct TurnOrderTests {
    @Test func each_has_its_turn_and_begins_as_often_as_others() {
        let turns = (0..<8).map { TurnOrder.places(inTurn: $0, of: 4) }
        #expect(turns.allSatisfy { Set($0) == [0, 1, 2, 3] })
        #expect(turns.prefix(3) == [[0, 1, 2, 3], [0, 3, 2, 1], [2, 3, 0, 1]])
        #expect(TurnOrder.places(inTurn: 3, of: 0) == [])
    }

    /// A mere rotation leaves everybody behind the same one for ever.
    @Test func each_follows_both_neighbours_as_often() {
        var before: [Int: [Int: Int]] = [:]
        for turn in 0..<40 {
            let order = TurnOrder.places(inTurn: turn, of: 5)
            for (first, second) in zip(order, order.dropFirst()) {
                before[second, default: [:]][first, default: 0] += 1
            }
        }
        for place in 0..<5 {
            #expect(before[place] == [(place + 1) % 5: 16, (place + 4) % 5: 16])
        }
    }
}
