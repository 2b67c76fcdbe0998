import CommandLine
import Locks
import WatchProtoSecurity
import WatchProtoTransport

/// Seals many payloads on several threads at once.
final class SealAll: Sendable {
    private let sealer: AtRestSealer
    private let payloads: [[UInt8]]
    private let associatedData: [UInt8]
    private let next = Atomic<Int>(0)
    private let parts = Mutex<[(first: Int, sealed: [[UInt8]])]>([])

    /// How many payloads a thread takes at a time: few enough for the last ones to be shared.
    private static let partCount = 25

    private init(_ sealer: AtRestSealer, _ payloads: [[UInt8]], _ associatedData: [UInt8]) {
        self.sealer = sealer
        self.payloads = payloads
        self.associatedData = associatedData
    }

    /// Seals `payloads` and returns them in their order.
    ///
    /// - Throws: exit code 70 if the system refuses a thread.
    static func run(
        _ sealer: AtRestSealer, _ payloads: [[UInt8]], associatedData: [UInt8], threads: Int
    ) throws(RigFailure) -> [[UInt8]] {
        let work = SealAll(sealer, payloads, associatedData)
        do throws(SystemErrorNumber) {
            var others: [SystemThread] = []
            // This thread is one of them.
            defer { for thread in others { thread.join() } }
            for _ in 1..<max(1, threads) {
                others.append(try SystemThread { work.takeParts() })
            }
            work.takeParts()
        } catch {
            throw RigFailure(
                .software, "Cannot seal on all cores: no thread (errno \(error.rawValue)).")
        }
        return work.parts.withLock { parts in
            parts.sorted { $0.first < $1.first }.flatMap(\.sealed)
        }
    }

    private func takeParts() {
        while true {
            let first = next.add(Self.partCount, ordering: .relaxed).oldValue
            guard first < payloads.count else { return }
            let end = min(payloads.count, first + Self.partCount)
            let sealed = payloads[first..<end].map {
                sealer.seal($0, associatedData: associatedData)
            }
            parts.withLock { $0.append((first, sealed)) }
        }
    }
}
