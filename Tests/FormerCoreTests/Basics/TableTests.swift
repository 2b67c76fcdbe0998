import Testing

@testable import FormerCore

/// The core's two kinds of dictionary, against what a list of pairs does.
struct TableTests {
    @Test func an_ordered_table_does_what_a_list_does() {
        var random = SeededGenerator(seed: 4)
        var table = OrderedTable<Int, Int>()
        var model: [(key: Int, value: Int)] = []
        for step in 0..<5_000 {
            let key = Int(random.uniform(in: 0...39))
            let place = model.firstIndex { $0.key == key }
            switch random.uniform(in: 0...3) {
            case 0, 1:
                table[key] = step
                if let place { model[place].value = step } else { model.append((key, step)) }
            case 2:
                let removed = table.remove(key)
                #expect(removed == place.map { model[$0].value })
                if let place { Self.removeAndClose(&model, place) }
            default:
                table[key] = nil
                if let place { Self.removeAndClose(&model, place) }
            }
            #expect(table.keys == model.map(\.key) && table.values == model.map(\.value))
            #expect(table[key] == model.first { $0.key == key }?.value)
        }
    }

    /// A removal moves the last one into the gap.
    private static func removeAndClose(_ model: inout [(key: Int, value: Int)], _ place: Int) {
        let last = model.removeLast()
        if place < model.count { model[place] = last }
    }

    /// Numbers of a few epochs and lanes, mostly ascending, removed mostly from the front.
    private struct Moves {
        var generator = SeededGenerator(seed: 7)
        var next: UInt64 = 1

        mutating func id(amongLast span: UInt64) -> RecordID {
            let low = next > span ? next - span : 1
            return RecordID(
                epoch: EpochID(rawValue: generator.uniform(in: 1...2)),
                lane: generator.uniform(in: 0...1) == 0 ? .background : .interactive,
                number: RecordNumber(generator.uniform(in: low...next)))
        }
    }

    @Test func a_record_table_holds_what_a_dictionary_holds() {
        var moves = Moves()
        var table = RecordTable<UInt64>()
        var model: [RecordID: UInt64] = [:]
        for step in UInt64(0)..<6_000 {
            let id = moves.id(amongLast: 120)
            switch moves.generator.uniform(in: 0...9) {
            case 0...3:
                moves.next += 1
                table.set(id, step)
                model[id] = step
            case 4:
                table.modify(id) { $0 += 1 }
                model[id]? += 1
            case 5...8:
                #expect(table.remove(id) == model.removeValue(forKey: id))
            default:
                // Whole stretches go, too.
                let stale = model.keys.filter { $0.number.rawValue + 100 < moves.next }
                for id in stale { #expect(table.remove(id) == model.removeValue(forKey: id)) }
            }
            #expect(table[id] == model[id] && table.isEmpty == model.isEmpty)
            let group = model.filter { $0.key.epoch == id.epoch && $0.key.lane == id.lane }
            #expect(table.lowest(id.epoch, id.lane) == group.keys.map(\.number.rawValue).min())
            guard step.isMultiple(of: 500) else { continue }
            #expect(table.values.sorted() == model.values.sorted())
            var another = RecordTable<UInt64>()
            for (id, value) in model { another.set(id, value) }
            #expect(another == table)
            another.set(moves.id(amongLast: 1), .max)
            #expect(another != table)
        }
        #expect(moves.next > 2_000)
    }

    @Test func runs_hold_what_a_dictionary_holds() {
        var moves = Moves()
        var runs = RecordRuns<Bool>()
        var model: [RecordID: Bool] = [:]
        for step in 0..<6_000 {
            let id = moves.id(amongLast: 40)
            if moves.generator.uniform(in: 0...9) < 6 {
                moves.next += 1
                let value = moves.generator.uniform(in: 0...4) > 0
                runs.set(id, value)
                model[id] = value
            } else {
                runs.remove(id)
                model[id] = nil
            }
            #expect(runs[id] == model[id] && runs.count == model.count)
            if step.isMultiple(of: 500) {
                let entries = runs.entries
                #expect(entries.count == model.count)
                #expect(entries.allSatisfy { model[$0.id] == $0.value })
            }
        }
    }

    @Test func the_oldest_of_the_fullest_lane_goes_first() {
        func id(_ epoch: UInt64, _ lane: Lane, _ number: UInt64) -> RecordID {
            RecordID(
                epoch: EpochID(rawValue: epoch), lane: lane, number: RecordNumber(number))
        }
        var runs = RecordRuns<Bool>()
        for number in UInt64(1)...2 { runs.set(id(9, .interactive, number), true) }
        for number in UInt64(1)...4 { runs.set(id(9, .background, number), number != 2) }
        for number in UInt64(1)...8 { runs.set(id(3, .background, number), true) }
        for _ in 0..<3 { runs.removeOldest() }
        let left = runs.entries.map(\.id)
        #expect(!left.contains(id(9, .background, 1)) && !left.contains(id(9, .background, 2)))
        // As many in both: the one that came first.
        #expect(!left.contains(id(9, .interactive, 1)) && left.contains(id(9, .interactive, 2)))
        for _ in 0..<3 { runs.removeOldest() }
        #expect(runs.entries.map(\.id) == (1...8).map { id(3, .background, $0) })
        for _ in 0..<9 { runs.removeOldest() }
        #expect(runs.count == 0 && runs.entries.isEmpty)
    }
}
