/// The exceptions of one epoch and channel, as runs of numbers that stand alike.
struct ExceptionRuns: Hashable, Sendable {
    /// Consecutive numbers that stand alike.
    struct Run: Hashable, Sendable {
        var first: UInt64
        var last: UInt64
        var exception: RecordException
    }

    /// Ascending.
    private(set) var runs: [Run] = []

    /// The number of runs.
    var count: Int { runs.count }

    /// The exception at a number; nil where there is none.
    subscript(number: UInt64) -> RecordException? {
        let index = self.index(of: number)
        return index < runs.count && runs[index].first <= number ? runs[index].exception : nil
    }

    /// Adds numbers above all before them.
    mutating func append(_ numbers: ClosedRange<UInt64>, _ exception: RecordException) {
        if let last = runs.last, last.last + 1 == numbers.lowerBound, last.exception == exception {
            runs[runs.count - 1].last = numbers.upperBound
            return
        }
        runs.append(
            Run(first: numbers.lowerBound, last: numbers.upperBound, exception: exception))
    }

    /// A pending number is decided: it is applied, or rejected with this code.
    mutating func decide(_ number: UInt64, rejectedWith code: UInt16?) {
        let index = self.index(of: number)
        guard index < runs.count, runs[index].first <= number, runs[index].exception == .pending
        else { return }
        let run = runs[index]
        var parts: [Run] = []
        if run.first < number {
            parts.append(Run(first: run.first, last: number - 1, exception: .pending))
        }
        if let code {
            parts.append(Run(first: number, last: number, exception: .rejected(code: code)))
        }
        if number < run.last {
            parts.append(Run(first: number + 1, last: run.last, exception: .pending))
        }
        runs.replaceSubrange(index...index, with: parts)
        // Neighbours that stand alike now are one run.
        for place in [index + parts.count, index + 1, index] { join(at: place) }
    }

    /// Drops the numbers up to `watermark`.
    mutating func drop(through watermark: UInt64) {
        let index = self.index(of: watermark + 1)
        if index > 0 { runs.removeFirst(index) }
        if let first = runs.first, first.first <= watermark { runs[0].first = watermark + 1 }
    }

    /// The exception at or above `number` that comes first: the range of it from `number` on.
    func next(from number: UInt64) -> Run? {
        let index = self.index(of: number)
        guard index < runs.count else { return nil }
        var run = runs[index]
        run.first = max(run.first, number)
        return run
    }

    private mutating func join(at index: Int) {
        guard index > 0, index < runs.count, runs[index - 1].last + 1 == runs[index].first,
            runs[index - 1].exception == runs[index].exception
        else { return }
        runs[index - 1].last = runs[index].last
        runs.remove(at: index)
    }

    /// The first run that does not end below `number`.
    private func index(of number: UInt64) -> Int {
        if let last = runs.last, last.last < number { return runs.count }
        return runs.partitioningIndex { $0.last >= number }
    }
}
