import CommandLine
import WatchProtoCore
import WatchProtoTransport

/// Times operations against each other.
enum CodecTimes {
    /// The median over `rounds` of each operation's thread CPU time in nanoseconds per record, and
    /// a checksum of all results. A caller that prints it forces the compiler to compute them.
    ///
    /// Rounds interleave the operations, each round starting with another one, so that a
    /// disturbance of the machine disturbs them all.
    ///
    /// - Throws: exit code 130 after an interrupt.
    static func medians(
        _ workload: Workload, passes: Int, rounds: Int
    ) throws(RigFailure) -> (medians: [Double], checksum: UInt64) {
        let operations = CodecOperation.allCases
        var sink: UInt64 = 0
        var times = [[Double]](repeating: [], count: operations.count)
        for operation in operations { sink ^= workload.pass(operation, 0) }
        for round in 0..<rounds {
            for turn in operations.indices {
                try Interrupts.check()
                let index = (round + turn) % operations.count
                let start = SystemClock.threadNanoseconds
                for pass in 0..<passes {
                    sink = sink &* 31 &+ workload.pass(operations[index], pass)
                }
                let spent = SystemClock.threadNanoseconds - start
                times[index].append(Double(spent) / Double(workload.count * passes))
            }
        }
        return (times.map { list in list.sorted()[list.count / 2] }, sink)
    }

    /// Positions 0 ..< `count` in an order drawn from `seed` (Fisher and Yates).
    static func shuffledOrder(_ count: Int, seed: UInt64) -> [Int] {
        var random = SeededGenerator(seed: seed)
        var order = Array(0..<count)
        for last in stride(from: count - 1, to: 0, by: -1) {
            order.swapAt(last, Int(random.uniform(in: 0...UInt64(last))))
        }
        return order
    }
}

/// The operations timed: each a pass over all records in shuffled order.
enum CodecOperation: String, CaseIterable {
    case memcpy
    case encode
    case decode
    case view
    case lazy
    case code
    case uncode
    case naiveEncode = "naive encode"
    case naiveDecode = "naive decode"

    /// The most nanoseconds per record that are wanted; nil for the lower bound and the peers.
    var goalNanoseconds: Double? {
        switch self {
        case .encode: CodecBenchmark.Goals.encode
        case .decode: CodecBenchmark.Goals.decode
        case .view, .lazy: CodecBenchmark.Goals.view
        case .code, .uncode: CodecBenchmark.Goals.coding
        case .memcpy, .naiveEncode, .naiveDecode: nil
        }
    }
}
