package import CommandLine

/// One of several equal shares of a long work: `2/4` is the second of four.
package struct Shard: ArgumentValue, Hashable {
    /// Which one, from 1.
    package var index: UInt64
    /// How many there are.
    package var count: UInt64

    /// All of it.
    package static let whole = Shard(index: 1, count: 1)

    /// Makes the share; `index` must be 1 to `count`.
    package init(index: UInt64, count: UInt64) {
        self.index = index
        self.count = count
    }

    /// Reads it. Throws what is wrong with the text; the user is at fault.
    package init(argument: String) throws(ArgumentFault) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = UInt64(parts[0]), let count = UInt64(parts[1]),
            let shard = Shard(checking: index, of: count)
        else { throw ArgumentFault("it must read like 2/4: the second of four shares") }
        self = shard
    }

    /// The share of these numbers, where there can be one.
    package init?(checking index: UInt64, of count: UInt64) {
        guard index >= 1, index <= count, count <= 10_000 else { return nil }
        self.init(index: index, count: count)
    }

    /// The text that reads back as this share.
    package var argumentText: String { "\(index)/\(count)" }

    /// Whether part `number` of the work, from 0, is of this share: they are dealt out in turn.
    package func has(part number: UInt64) -> Bool { number % count == index - 1 }
}

/// Files, with commas between.
package struct PathList: ArgumentValue, Hashable {
    /// Their paths.
    package var paths: [String]

    /// Reads them. Throws when there are none; the user is at fault.
    package init(argument: String) throws(ArgumentFault) {
        paths = argument.split(separator: ",").map(String.init)
        guard !paths.isEmpty else { throw ArgumentFault("it must name files, commas between") }
    }

    /// The text that reads back as this list.
    package var argumentText: String { paths.joined(separator: ",") }
}
