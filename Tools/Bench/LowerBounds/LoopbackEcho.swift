internal import CPosix
internal import Glibc
internal import Locks
package import WatchProtoCore
internal import WatchProtoRecords
package import WatchProtoTransport

/// Interactive messages bounced between two real drivers, each on its own thread, over a Unix
/// socket pair: the figure that stands beside ``RawPingPong``.
///
/// The phone's driver sends the next ping from its own thread when an echo is delivered, so that
/// what is measured is the path of a record and no other thread's wake-up.
package enum LoopbackEcho {
    /// The message to bounce, how often, and where.
    package struct Options: Hashable, Sendable {
        /// Round trips measured.
        package var rounds = 20_000
        /// Round trips before those, not measured.
        package var warmUpRounds = 1_000
        /// Bytes of a message, at least 8: the moment it was sent stands in front.
        package var payloadBytes = 64
        /// The CPU of the sending driver; nil leaves it to the system.
        package var phoneCPU: Int?
        /// The CPU of the echoing driver; nil leaves it to the system.
        package var watchCPU: Int?
        /// How long a driver looks for an answer before it sleeps; nil for its own default.
        package var busyPollDuration: Duration?
        /// The longest all of it may take.
        package var limit: Duration = .seconds(30)

        /// The usual choice of everything.
        package init() {}
    }

    /// The measured value, in nanoseconds, in the order of the pings.
    package struct Result: Sendable {
        /// From before `send` to inside the counterpart's `deliver`.
        package var oneWayNanoseconds: [UInt64] = []
        /// From before `send` to inside our own `deliver` of the reply.
        package var roundTripNanoseconds: [UInt64] = []
        /// The counters of the phone's driver from its making to the end.
        package var phone = DriverCounters()
        /// The counters of the watch's driver from its making to the end.
        package var watch = DriverCounters()
        /// Whether all rounds were done within the limit.
        package var isComplete = false
    }

    /// Bounces over a socket pair inside this process.
    ///
    /// - Parameters:
    ///   - options: what to bounce, how often, and where.
    ///   - makeSecurity: gives each side its security.
    /// - Throws: ``LinkError`` when the system gives no sockets or threads.
    package static func run(
        _ options: Options = Options(), makeSecurity: (DeviceRole) -> some PeerSecurity
    ) throws(LinkError) -> Result {
        var ends: (Int32, Int32) = (-1, -1)
        _ = try retryOnInterrupt { unsafe watchproto_socket_pair(&ends.0, &ends.1) }
            .orLinkError("socketpair", on: "a socket pair")
        let pinger = Pinger(options)
        let echoer = Echoer(options)
        let phone = try driver(.phone, ends.0, options, makeSecurity(.phone), pinger)
        let watch = try driver(.watch, ends.1, options, makeSecurity(.watch), echoer)
        defer {
            phone.close()
            watch.close()
        }
        try watch.activate()
        try phone.activate()
        let end = SystemClock.now.advanced(by: options.limit)
        while !phone.isReachable, SystemClock.now < end { usleep(200) }
        _ = try? phone.send(pinger.draft())
        while !pinger.isDone, SystemClock.now < end { usleep(2000) }
        var result = Result()
        result.roundTripNanoseconds = pinger.samples
        result.oneWayNanoseconds = echoer.samples
        result.phone = phone.counters
        result.watch = watch.counters
        result.isComplete = pinger.isDone
        return result
    }

    private static func driver(
        _ role: DeviceRole, _ descriptor: Int32, _ options: Options, _ security: some PeerSecurity,
        _ delegate: any SessionDelegate
    ) throws(LinkError) -> PeerDriver {
        var configuration = DriverConfiguration(
            PeerConfiguration(role: role, pairing: PairingID(rawValue: 1)))
        configuration.pinnedCPU = role == .phone ? options.phoneCPU : options.watchCPU
        if let duration = options.busyPollDuration { configuration.busyPollDuration = duration }
        do throws(JournalFailure) {
            return try PeerDriver(
                configuration, source: DescriptorSource(read: descriptor, write: descriptor),
                security: security, journal: MemoryJournal(), delegate: delegate)
        } catch {
            // A journal in memory always opens; only the wake descriptor can be wanting.
            throw .system(
                CarrierFailure(call: "eventfd", errorNumber: EMFILE), subject: "a driver")
        }
    }

    /// Sends the next ping when an echo comes.
    private final class Pinger: SessionDelegate {
        private struct State {
            var samples: [UInt64] = []
            var rounds = 0
        }

        private let options: Options
        private let state = Mutex(State())
        private let done = Atomic(false)

        init(_ options: Options) {
            self.options = options
            state.withLock { $0.samples.reserveCapacity(options.rounds) }
        }

        var isDone: Bool { done.load(ordering: .acquiring) }
        var samples: [UInt64] { state.withLock { $0.samples } }

        func draft() -> RecordDraft {
            RecordDraft(
                channel: .interactive, kind: .message,
                payload: Stamp.now(payloadBytes: options.payloadBytes), expectsReply: true)
        }

        func deliver(
            _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
        ) -> Disposition {
            let taken = SystemClock.now.nanoseconds &- Stamp.read(record.payload)
            let goesOn = state.withLock { state in
                state.rounds += 1
                if state.rounds > options.warmUpRounds { state.samples.append(taken) }
                return state.rounds < options.warmUpRounds + options.rounds
            }
            if goesOn {
                later.send(draft())
            } else {
                done.store(true, ordering: .releasing)
            }
            return .applied
        }

        func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs) {}
    }

    /// Answers each ping with its own bytes.
    private final class Echoer: SessionDelegate {
        private let options: Options
        private let state = Mutex<(samples: [UInt64], rounds: Int)>(([], 0))

        init(_ options: Options) {
            self.options = options
            state.withLock { $0.samples.reserveCapacity(options.rounds) }
        }

        var samples: [UInt64] { state.withLock { $0.samples } }

        func deliver(
            _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
        ) -> Disposition {
            let taken = SystemClock.now.nanoseconds &- Stamp.read(record.payload)
            state.withLock { state in
                state.rounds += 1
                if state.rounds > options.warmUpRounds { state.samples.append(taken) }
            }
            later.send(
                RecordDraft(
                    channel: .interactive, kind: .message, payload: record.payload,
                    inReplyTo: record.id.number))
            return .applied
        }

        func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs) {}
    }

    /// The moment a message was sent, in its first eight bytes, lowest first.
    private enum Stamp {
        static func now(payloadBytes: Int) -> [UInt8] {
            var payload = [UInt8](repeating: 0x5A, count: max(8, payloadBytes))
            let moment = SystemClock.now.nanoseconds
            for index in 0..<8 {
                payload[index] = UInt8(truncatingIfNeeded: moment >> UInt64(8 * index))
            }
            return payload
        }

        static func read(_ payload: [UInt8]) -> UInt64 {
            var moment: UInt64 = 0
            for index in 0..<min(8, payload.count) {
                moment |= UInt64(payload[index]) << UInt64(8 * index)
            }
            return moment
        }
    }
}
