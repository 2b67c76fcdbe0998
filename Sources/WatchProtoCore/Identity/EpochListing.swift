/// The list of the counterpart's earlier epochs in a session, as the hello began it and
/// ``EpochsFrame``s go on with it. On a carrier that can lose they come in any order.
package struct EpochListing: Hashable, Sendable {
    /// Epochs by index − 1; nil where a frame is missing.
    private var epochs: [ListedEpoch?]
    /// The number of epochs that are known without a gap.
    private var known: Int
    /// The number of epochs that the hello announces.
    private let announced: Int

    /// Begins with the list of a hello.
    init(_ hello: Hello) {
        epochs = hello.earlier.map { Optional($0) }
        known = hello.earlier.count
        announced = hello.earlierCount
    }

    /// Whether all that the hello speaks of has come.
    package var isComplete: Bool { known >= announced }
    /// The number of earlier epochs known without a gap: indices up to this one may be used.
    package var count: Int { known }

    /// Takes a frame. Gives the epochs that go on from the list known without a gap.
    mutating func receive(_ frame: EpochsFrame) -> [ListedEpoch] {
        for (offset, epoch) in frame.epochs.enumerated() {
            let place = frame.first - 1 + offset
            guard place < RecordAddress.largestIndex else { break }
            while epochs.count <= place { epochs.append(nil) }
            if epochs[place] == nil { epochs[place] = epoch }
        }
        var news: [ListedEpoch] = []
        while known < epochs.count, let epoch = epochs[known] {
            news.append(epoch)
            known += 1
        }
        return news
    }
}

/// The own list of earlier epochs in a session, as far as it is told in ``EpochsFrame``s.
package struct EpochTelling: Hashable, Sendable {
    /// The rest of the list, behind the part that the hello told.
    private var epochs: [ListedEpoch]
    /// The index of the first of them.
    private let first: Int
    /// Indices to be told, or told again.
    private var due: [Range<Int>] = []

    /// Goes on behind `hello`, in which `left` found no room.
    init(_ hello: Hello, left: [ListedEpoch]) {
        first = hello.earlier.count + 1
        epochs = left
        if !left.isEmpty { due.append(first..<first + left.count) }
    }

    /// Whether epochs are to be told.
    package var isDue: Bool { !due.isEmpty }

    /// The list goes on with these, which are announced anew. At index 1,023 it ends.
    package mutating func append(_ more: [ListedEpoch]) {
        let next = first + epochs.count
        let fitting = more.prefix(max(0, RecordAddress.largestIndex + 1 - next))
        guard !fitting.isEmpty else { return }
        epochs += fitting
        due.append(next..<next + fitting.count)
    }

    /// Writes a frame of at most `room` bytes; gives the indices it tells, the reference to keep
    /// with the packet. Nil where nothing is due or fits.
    package mutating func writeFrame(to writer: inout WireWriter, room: Int) -> Range<Int>? {
        guard let range = due.first else { return nil }
        var bytes = EpochsFrame.overheadBytes
        var end = range.lowerBound
        while end < range.upperBound {
            bytes += epochs[end - first].size
            if bytes > room { break }
            end += 1
        }
        guard end > range.lowerBound else { return nil }
        let told = range.lowerBound..<end
        if end == range.upperBound { due.removeFirst() } else { due[0] = end..<range.upperBound }
        let entries = Array(epochs[(told.lowerBound - first)..<(told.upperBound - first)])
        EpochsFrame(first: told.lowerBound, epochs: entries).write(to: &writer)
        return told
    }

    /// The packet with these was lost: they are told again.
    package mutating func lost(_ range: Range<Int>) { due.append(range) }
}
