import Testing

@testable import WatchProto

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

    @Test func a_lookup_table_holds_what_was_put_in_last() {
        var table = LookupTable<Int, Int>()
        for key in [5, 3, 9, 1] { #expect(table.update(key, to: key * 10) == nil) }
        #expect(table.update(3, to: 31) == 30)
        table[9] = 91
        table[1] = nil
        #expect(table.remove(3) == 31 && table.remove(3) == nil && table[3] == nil)
        #expect(table[5] == 50 && table[9] == 91 && table[1] == nil)
    }
}
