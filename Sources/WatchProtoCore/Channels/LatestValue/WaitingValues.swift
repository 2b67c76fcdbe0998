/// Values for the application to take, the newest of each key, with what they count for.
struct WaitingValues: Sendable {
    private let values: ReceivedValues
    private(set) var table = OrderedTable<ValueName, InboundRecord>()
    /// Bytes that they take, by the code of their channel; each key counts.
    private(set) var bytes = Array(repeating: 0, count: Channel.count)
    /// The number of those that are urgent.
    private(set) var urgentCount = 0

    /// `values` tells what a value counts for.
    init(charging values: ReceivedValues) {
        self.values = ReceivedValues(kinds: values.kinds)
    }

    var isEmpty: Bool { table.isEmpty }

    /// The value of a key; nil removes it.
    subscript(name: ValueName) -> InboundRecord? {
        get { table[name] }
        set {
            let channel = Int(name.channel.rawValue)
            let former = table[name]
            bytes[channel] += values.charge(newValue) - values.charge(former)
            if name.channel.traits.isUrgent {
                urgentCount += (newValue == nil ? 0 : 1) - (former == nil ? 0 : 1)
            }
            table[name] = newValue
        }
    }

    /// Takes all that are urgent, and of the others at most `limit`, in order.
    mutating func take(upTo limit: Int) -> [InboundRecord] {
        var taken: [InboundRecord] = []
        var rest = WaitingValues(charging: values)
        var others = 0
        for (name, record) in zip(table.keys, table.values) {
            if !name.channel.traits.isUrgent {
                guard others < limit else {
                    rest[name] = record
                    continue
                }
                others += 1
            }
            taken.append(record)
        }
        self = rest
        return taken
    }
}
