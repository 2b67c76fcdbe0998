internal import CPosix
internal import Locks
internal import WatchProtoCore
internal import WatchProtoTransport

/// Round trips of a peer, one after the other, each end on a thread of its own.
package enum EchoRounds {
    /// Where the two ends run; nil leaves it to the system.
    package struct Placement: Hashable, Sendable {
        /// The CPU of the phone's end, which measures.
        package var phoneCPU: Int?
        /// The CPU of the watch's end.
        package var watchCPU: Int?

        /// Makes the placement.
        package init(phoneCPU: Int? = nil, watchCPU: Int? = nil) {
            self.phoneCPU = phoneCPU
            self.watchCPU = watchCPU
        }
    }

    /// Bounces `payload`.
    ///
    /// - Parameters:
    ///   - peer: what carries the payload there and back.
    ///   - rounds: round trips that are measured.
    ///   - warmUp: round trips before those that are measured.
    ///   - payload: the bytes of each.
    ///   - placement: the processors of the two ends.
    /// - Returns: each measured round trip in nanoseconds, in order.
    /// - Throws: what the peer did not do; its ends are then of no use any more.
    package static func run(
        _ peer: some EchoPeer, rounds: Int, warmUp: Int, payload: [UInt8], at placement: Placement
    ) throws(PeerFailure) -> [UInt64] {
        let found = Mutex<(samples: [UInt64], failure: PeerFailure?)>(([], nil))
        let count = rounds + warmUp
        let echoing = try thread(placement.watchCPU) {
            do throws(PeerFailure) {
                for _ in 0..<count { try peer.echo() }
            } catch {
                found.withLock { $0.failure = $0.failure ?? error }
            }
        }
        let measuring = try thread(placement.phoneCPU) {
            var samples: [UInt64] = []
            samples.reserveCapacity(rounds)
            do throws(PeerFailure) {
                for round in 0..<count {
                    let start = watchproto_monotonic_nanoseconds()
                    try peer.roundTrip(payload)
                    let end = watchproto_monotonic_nanoseconds()
                    if round >= warmUp { samples.append(end - start) }
                }
            } catch {
                found.withLock { $0.failure = $0.failure ?? error }
            }
            found.withLock { $0.samples = samples }
        }
        measuring.join()
        echoing.join()
        let (samples, failure) = found.withLock { $0 }
        if let failure { throw failure }
        return samples
    }

    private static func thread(
        _ cpu: Int?, _ body: @escaping @Sendable () -> Void
    ) throws(PeerFailure) -> SystemThread {
        do throws(SystemErrorNumber) {
            return try SystemThread(pinnedCPU: cpu, body)
        } catch {
            throw PeerFailure("no thread (errno \(error.rawValue))")
        }
    }
}
