import Bench
import CPosix
import CommandLine
import Glibc
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
import WatchProtoSecurity
import WatchProtoTransport

/// A phone and a watch in this process, each with a driver thread and a journal file of its own, on
/// a Unix socket pair: the path of a durable record, whole. A sealed path seals its packets and not
/// its files.
final class DurablePath {
    private let files: [JournalFile]
    private let paths: [String]
    private let phone: DriverSession
    private let watch: DriverSession
    private let phoneProgress: DurableProgress
    private let watchProgress: DurableProgress
    private let payload: [UInt8]
    private var sent = 0

    /// The size of a record, the place of the files, and the identities of the two.
    struct Setting {
        var directory: String
        var recordBytes: Int
        var logPagesAhead: Int
        var pairing: PairingID
        /// The ticket with which both journals begin.
        var ticket: Ticket
        var phone: any PeerSecurity
        var watch: any PeerSecurity
    }

    /// Opens both sides with new journals, and waits until they are connected.
    ///
    /// - Throws: exit code 69 when they are not within ten seconds, 70 without sockets; what the
    ///   journal throws when it cannot be made.
    init(_ setting: Setting) throws {
        payload = Array(repeating: 0x5A, count: setting.recordBytes)
        var ends: (Int32, Int32) = (-1, -1)
        guard unsafe watchproto_socket_pair(&ends.0, &ends.1) == 0 else {
            throw RigFailure(.software, "socketpair failed: error \(errno).")
        }
        let stem = "\(setting.directory)/durable-\(MonotonicClock.nowNanoseconds)"
        paths = [stem + "-phone", stem + "-watch"]
        let pairing = setting.pairing
        var options = JournalOptions()
        options.logPagesAhead = setting.logPagesAhead
        files = try paths.map { [options] in try JournalFile(path: $0, options: options) }
        phoneProgress = try DurableProgress()
        watchProgress = try DurableProgress()
        phone = try DriverSession(
            DriverSessionOptions(
                PeerConfiguration(role: .phone, pairing: pairing, kinds: .product),
                at: .descriptors(read: ends.0, write: ends.0)),
            security: setting.phone,
            journal: phoneProgress.noted(
                files[0].journal(for: pairing, pairedWith: setting.ticket)),
            delegate: Taker())
        watch = try DriverSession(
            DriverSessionOptions(
                PeerConfiguration(role: .watch, pairing: pairing, kinds: .product),
                at: .descriptors(read: ends.1, write: ends.1)),
            security: setting.watch,
            journal: watchProgress.noted(
                files[1].journal(for: pairing, pairedWith: setting.ticket)),
            delegate: Taker())
        try watch.activate()
        try phone.activate()
        let end = SystemClock.now.advanced(by: .seconds(10))
        while phone.activationState != .activated, SystemClock.now < end { usleep(200) }
        guard phone.activationState == .activated else {
            close()
            throw RigFailure(.unreachable, "The two did not find each other within 10 s.")
        }
    }

    /// The report's words on the link.
    var linkNote: String {
        phone.isSealed
            ? "the link is sealed (wire version \(phone.wireVersion)), packets filled up to size "
                + "classes; the files are not sealed at rest"
            : "the link is UNSEALED (--unsealed), for development only"
    }

    /// Transactions that both files committed so far, the phone's first.
    var commits: [UInt64] { files.map { $0.counters.commits } }

    /// Ends both sides and removes their files.
    func close() {
        phone.close()
        watch.close()
        for file in files { file.close() }
        for path in paths {
            for ending in ["", "-wal", "-lock"] { _ = unsafe unlink(path + ending) }
        }
    }

    /// Sends one record and waits until both journals hold it.
    ///
    /// - Returns: the moment the later one did.
    private func sendOne() throws -> UInt64 {
        try send()
        while true {
            guard let own = phoneProgress.current, let other = watchProgress.current else {
                throw failure()
            }
            // The watch's is mostly the later one: one wake-up instead of two.
            if other.count < sent {
                watchProgress.wake.wait()
            } else if own.count < sent {
                phoneProgress.wake.wait()
            } else {
                return max(own.lastAtNanoseconds, other.lastAtNanoseconds)
            }
        }
    }

    /// Sends records one by one and waits until both journals hold each.
    ///
    /// - Returns: each latency in nanoseconds, from the moment it was to be sent. As in the bare
    ///   loop, who is late stays late for the next ones, too.
    func latencies(_ count: Int, every intervalNanoseconds: UInt64) throws -> [UInt64] {
        var samples: [UInt64] = []
        var intended = MonotonicClock.nowNanoseconds + intervalNanoseconds
        for _ in 0..<count {
            DurableBaseline.sleep(until: intended)
            samples.append(try sendOne() - intended)
            intended += intervalNanoseconds
        }
        return samples
    }

    /// Records of a flood that are given at once: as many as the bare loop writes at once.
    static var floodGroup: Int { 1_024 }
    /// Records of a flood that may be on their way: the bare loop's socket holds about a group.
    static var floodWindow: Int { 2 * floodGroup }

    /// Sends `count` records as fast as they are taken, and waits until both journals hold them.
    ///
    /// - Returns: records a second.
    func flood(_ count: Int) throws -> Double {
        let begin = MonotonicClock.nowNanoseconds
        let goal = sent + count
        while sent < goal {
            guard let other = watchProgress.current else { throw failure() }
            guard other.count + Self.floodWindow > sent else {
                watchProgress.wake.wait()
                continue
            }
            let group = min(Self.floodGroup, goal - sent)
            let batch = phone.transfer(Array(repeating: draft, count: group))
            sent += batch.accepted.count
            if let refusal = batch.refusal {
                guard case .queueFull = refusal else { throw failure(refusal) }
                usleep(500)
            }
        }
        while let other = watchProgress.current, let own = phoneProgress.current {
            guard other.count < goal || own.count < goal else {
                let end = max(own.lastAtNanoseconds, other.lastAtNanoseconds)
                return Double(count) * 1e9 / Double(end - begin)
            }
            usleep(500)
        }
        throw failure()
    }

    private func send() throws(SendRefusal) {
        try phone.transfer(draft)
        sent += 1
    }

    private var draft: RecordDraft {
        RecordDraft(channel: .background, kind: .doseEvent, payload: payload)
    }

    private func failure(_ refusal: SendRefusal? = nil) -> RigFailure {
        if let refusal { return RigFailure(.software, "A record was refused: \(refusal).") }
        let found = files.compactMap { $0.failure?.description }.first
        return RigFailure(.cannotWrite, found ?? "a journal stopped")
    }
}

/// An application that takes everything over at once.
private final class Taker: SessionDelegate {
    func deliver(
        _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
    ) -> Disposition { .applied }

    func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs) {}
}
