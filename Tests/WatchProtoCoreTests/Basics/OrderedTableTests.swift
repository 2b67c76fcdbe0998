import Testing

@testable import WatchProtoCore

/// Tables that keep an order of their own, against a list that is searched.
@Suite struct OrderedTableTests {
    /// A key whose hash has few values, so that many keys meet.
    struct Crowded: Hashable {
        let number: Int
        func hash(into hasher: inout Hasher) { hasher.combine(number % 5) }
    }

    private struct List {
        var entries: [(key: Crowded, value: Int)] = []

        func place(_ key: Crowded) -> Int? { entries.firstIndex { $0.key == key } }

        mutating func set(_ key: Crowded, _ value: Int?) {
            guard let place = place(key) else {
                if let value { entries.append((key, value)) }
                return
            }
            if let value {
                entries[place].value = value
            } else {
                entries.swapAt(place, entries.count - 1)
                entries.removeLast()
            }
        }
    }

    @Test(
        "A table is what a searched list is, in the same order, after any changes",
        arguments: [4, 9, 40, 400])
    func walks(keys: Int) {
        var generator = SeededGenerator(seed: UInt64(keys))
        var (table, list) = (OrderedTable<Crowded, Int>(), List())
        for step in 0..<4000 {
            let key = Crowded(number: Int(generator.next() % UInt64(keys)))
            switch generator.next() % 8 {
            case 0...3:
                table[key] = step
                list.set(key, step)
            case 4...5:
                #expect(table.remove(key) == list.place(key).map { list.entries[$0].value })
                list.set(key, nil)
            case 6:
                table.update(key, default: -step) { $0 += 1 }
                let value = list.place(key).map { list.entries[$0].value } ?? -step
                list.set(key, value + 1)
            default:
                #expect((table.modify(key) { $0 += 2 } != nil) == (list.place(key) != nil))
                if let place = list.place(key) { list.entries[place].value += 2 }
            }
            #expect(table[key] == list.place(key).map { list.entries[$0].value })
            guard step % 50 == 0 else { continue }
            #expect(table.keys == list.entries.map { $0.key })
            #expect(table.values == list.entries.map { $0.value })
        }
        for key in list.entries.map({ $0.key }) {
            #expect(table[key] == list.place(key).map { list.entries[$0].value })
        }
        table.removeAll()
        #expect(table.isEmpty && table[Crowded(number: 0)] == nil)
    }

    @Test("Two tables of one content and order are equal, whatever they held before")
    func equality() {
        var (one, other) = (OrderedTable<Int, Int>(), OrderedTable<Int, Int>())
        for key in 0..<100 { other[key] = key }
        for key in (3..<100).reversed() { other[key] = nil }
        for key in 0..<3 { one[key] = key }
        #expect(one == other)
        one[1] = 7
        #expect(one != other)
    }
}
