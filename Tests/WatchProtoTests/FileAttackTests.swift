import Foundation
import Locks
import Testing
import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

@testable import WatchProto

/// A counterpart that is paired and hostile: it offers files, sends blocks and asks for them as it
/// likes.
@Suite struct FileAttackTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// One exchange under attack.
    private final class Attack {
        static let files: [UInt128] = [1, 2, 3]
        let link = KeepingLink()
        let work = ManualWorker()
        let exchange: FileExchange
        let place: String
        private var random: SeededGenerator
        private var offers = 0
        private var looked = 0
        /// The offer of each record.
        private(set) var offered: [RecordID: FileOffer] = [:]
        let delivered = Delivered()

        init(_ seed: UInt64, in place: String, _ store: DeviceStorage) {
            random = SeededGenerator(seed: seed)
            self.place = place
            let time = Moment()
            moment = time
            exchange = FileExchange(
                FileCenter(store, directory: place, work, now: { time.now }, report: { _ in }))
            exchange.begin(link, with: 7)
            exchange.reachable(true)
        }

        /// The files that the application was given.
        final class Delivered: Sendable {
            let files = Mutex<[(RecordID, ReceivedFile)]>([])
        }

        /// The clock of the exchange.
        final class Moment: Sendable {
            private let value = Mutex<Instant>(.zero)
            var now: Instant { value.withLock { $0 } }
            func advance(_ time: Duration) { value.withLock { $0 = $0.advanced(by: time) } }
        }

        let moment: Moment

        private func draw(_ bound: UInt64) -> UInt64 { random.next() % bound }

        /// The content that honest blocks have.
        static func content(_ offset: UInt64, _ count: Int) -> [UInt8] {
            (0..<UInt64(count)).map { UInt8(truncatingIfNeeded: (offset + $0) &* 31) }
        }

        func step() {
            switch draw(9) {
            case 0: offer()
            case 1: exchange.received((0..<draw(60)).map { _ in UInt8(draw(256)) })
            case 2, 3: answer()
            case 4: say(.block(offset: draw(2) * draw(200_000), junk()[...]))
            case 5:
                let count = Int(1 + draw(1 << 19))
                say(.wanted(offset: draw(1 << 21), count: count, blockBytes: 8_192, durable: 0))
            case 6:
                let reasons: [FileMessage.Reason] = [.cancelled, .paused, .unreadable]
                say(draw(2) == 0 ? .resumed : .stopped(reasons[Int(draw(3))]))
            case 7: exchange.reachable(draw(4) > 0)
            default:
                moment.advance(.seconds(Int64(draw(12))))
                exchange.wake(at: moment.now)
            }
            if draw(3) > 0 { work.run() }
        }

        private func junk() -> [UInt8] { [UInt8](repeating: 9, count: Int(1 + draw(61_440))) }

        private func say(_ message: FileMessage) {
            exchange.received(message.bytes(of: Self.files[Int(draw(3))]))
        }

        private func offer() {
            offers += 1
            let size: UInt64 = [0, 1, 9_000, 150_000, 1 << 40][Int(draw(5))]
            var digest = FileDigest()
            if size < 1 << 20 { digest.update(Self.content(0, Int(size)).span) }
            var offer = FileOffer(
                size: size, hash: digest.finish(), name: "a\(offers)", metadata: [])
            if draw(4) == 0 { offer.hash[0] ^= 1 }
            let id = RecordID(
                epoch: EpochID(rawValue: 5), channel: .bulk,
                number: RecordNumber(UInt64(offers)))
            offered[id] = offer
            let record = InboundRecord(
                id: id, kind: .file, key: nil, payload: offer.bytes,
                idempotencyKey: Self.files[Int(draw(3))])
            let answer = exchange.receive(record) { [delivered] whole in
                if let file = try? ReceivedFile(decoding: whole.payload, key: nil) {
                    delivered.files.withLock { $0.append((whole.id, file)) }
                }
            }
            #expect(answer == .pending)
        }

        /// Gives the bytes that were asked for, as an honest sender does.
        private func answer() {
            let sent = link.contents.withLock { $0.sent }
            for (_, draft) in sent[looked...] {
                guard let (file, message) = try? FileMessage.read(draft.payload),
                    case .wanted(let offset, let count, let blockBytes, _) = message
                else { continue }
                var (place, end) = (offset, offset + UInt64(count))
                if draw(8) == 0 { end += 50_000 }
                while place < end {
                    let bytes = Self.content(place, Int(min(UInt64(blockBytes), end - place)))
                    exchange.received(FileMessage.block(offset: place, bytes[...]).bytes(of: file))
                    place += UInt64(bytes.count)
                }
            }
            looked = sent.count
        }

        /// Checks the limits after a step.
        func check() {
            exchange.state.withLock { state in
                let bytes = state.blocks.reduce(0) { $0 + $1.count }
                #expect(bytes <= FileMessage.largestCount)
                #expect(state.arrivals.count <= state.unanswered.count)
                #expect(state.unanswered.count <= offers)
                #expect(state.underWay.isEmpty, "a file that this device does not have is sent")
            }
        }
    }

    @Test func a_hostile_sender_neither_fills_memory_nor_writes_elsewhere() throws {
        var wholeCount = 0
        for seed in 0..<30 as Range<UInt64> {
            let place = folder.file("in-\(seed)")
            let attack = Attack(seed, in: place, try DeviceStorage(.watch, nil))
            for _ in 0..<250 {
                attack.step()
                attack.check()
            }
            attack.work.run()
            for (id, file) in attack.delivered.files.withLock({ $0 }) {
                let offer = try #require(attack.offered[id])
                let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path)))
                var digest = FileDigest()
                digest.update(bytes.span)
                #expect(digest.finish() == offer.hash && UInt64(bytes.count) == offer.size)
                #expect(file.path.hasPrefix(place + "/") && file.path.hasSuffix("/\(offer.name)"))
                wholeCount += 1
            }
            // Nothing stands there but whole files and parts of files.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            let parts = names.filter { $0.hasSuffix(".part") }
            #expect(names.count - parts.count == attack.delivered.files.withLock { $0.count })
            #expect(parts.count <= attack.exchange.state.withLock { $0.arrivals.count })
        }
        // Honest files pass between the hostile ones.
        #expect(wholeCount > 30, "\(wholeCount)")
        let others = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(others.allSatisfy { $0.hasPrefix("in-") })
    }
}

extension FileAttackTests {
    /// A receiver that was told of a pause asks for nothing, so it must hear that it is over.
    @Test func a_change_that_the_session_does_not_take_is_told_again() throws {
        let path = folder.file("own.bin")
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let (link, work, moment) = (KeepingLink(), ManualWorker(), Attack.Moment())
        let center = FileCenter(
            try DeviceStorage(.phone, nil), directory: nil, work, now: { moment.now },
            report: { _ in })
        let exchange = FileExchange(center)
        exchange.begin(link, with: 7)
        exchange.reachable(true)
        let id = KeepingLink.record(1)
        _ = center.keep(try #require(FileCenter.source(path, metadata: [])), as: 1, for: 7)
        center.offered(1, for: 7, as: id)
        link.contents.withLock { $0.room = 0 }
        #expect(center.change(id, to: .paused) && center.change(id, to: .sending))
        work.run()
        #expect(link.contents.withLock { $0.sent.isEmpty })
        link.contents.withLock { $0.room = .max }
        let due = try #require(exchange.nextDeadline)
        moment.advance(.seconds(1))
        #expect(due <= moment.now)
        exchange.wake(at: moment.now)
        work.run()
        let sent = link.contents.withLock { $0.sent }.map(\.draft.payload)
        #expect(sent.map { try? FileMessage.read($0).message } == [.resumed])
        #expect(exchange.nextDeadline == nil)
    }

    /// The first packet of a session may bring a request, also for a file that is not there.
    @Test(arguments: [true, false], [1, 5] as [UInt128])
    func `a request waits until its sender is reachable (T-4)`(
        staysReachable: Bool, file: UInt128
    ) throws {
        let path = folder.file("own.bin")
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let (link, work) = (KeepingLink(), ManualWorker())
        let center = FileCenter(
            try DeviceStorage(.phone, nil), directory: nil, work, now: { .zero }, report: { _ in })
        let exchange = FileExchange(center)
        link.contents.withLock { $0.isReachable = false }
        exchange.begin(link, with: 7)
        _ = center.keep(try #require(FileCenter.source(path, metadata: [])), as: 1, for: 7)
        center.offered(1, for: 7, as: KeepingLink.record(1))
        let wanted = FileMessage.wanted(offset: 1, count: 2, blockBytes: 8_192, durable: 0)
        exchange.connected()
        exchange.received(wanted.bytes(of: file))
        work.run()
        #expect(link.contents.withLock { $0.sent.isEmpty })
        // The receiver asks anew when it is reachable again.
        if !staysReachable { exchange.reachable(false) }
        link.contents.withLock { $0.isReachable = true }
        exchange.reachable(true)
        work.run()
        let sent = link.contents.withLock { $0.sent }.map(\.draft.payload)
        let answer = file == 1 ? FileMessage.block(offset: 1, [2, 3]) : .stopped(.changed)
        #expect(sent.map { try? FileMessage.read($0).message } == (staysReachable ? [answer] : []))
    }

    @Test func a_hostile_receiver_gets_a_bounded_number_of_blocks() throws {
        let path = folder.file("own.bin")
        try Data(Attack.content(0, 1 << 20)).write(to: URL(fileURLWithPath: path))
        let (link, work) = (KeepingLink(), ManualWorker())
        let center = FileCenter(
            try DeviceStorage(.phone, nil), directory: nil, work, now: { .zero }, report: { _ in })
        let exchange = FileExchange(center)
        exchange.begin(link, with: 7)
        exchange.reachable(true)
        let source = try #require(FileCenter.source(path, metadata: []))
        _ = center.keep(source, as: 1, for: 7)
        center.offered(1, for: 7, as: KeepingLink.record(1))
        for offset in (0..<5_000 as Range<UInt64>).reversed() {
            let wanted = FileMessage.wanted(offset: offset, count: 1, blockBytes: 8_192, durable: 0)
            exchange.received(wanted.bytes(of: 1))
            work.run()
        }
        let wanted = FileMessage.wanted(
            offset: 0, count: FileMessage.largestCount, blockBytes: 8_192, durable: 0)
        for _ in 0..<50 {
            exchange.received(wanted.bytes(of: 1))
            work.run()
        }
        let blocks = link.contents.withLock { $0.sent }.compactMap { _, draft -> Int? in
            guard case .block(_, let bytes)? = try? FileMessage.read(draft.payload).message else {
                return nil
            }
            return bytes.count
        }
        #expect(!blocks.isEmpty && blocks.count <= 128 + 64, "\(blocks.count)")
        #expect(blocks.reduce(0, +) <= 2 * FileMessage.largestCount)
    }
}

extension KeepingLink: FileLink {
    func transfer(
        _ drafts: [RecordDraft], accepted: (Int, RecordID) -> Void
    ) -> SendRefusal? {
        guard isReachable else { return .notReachable }
        for (place, draft) in drafts.enumerated() {
            do throws(SendRefusal) {
                _ = try transfer(draft, writes: []) { id, _ in accepted(place, id) }
            } catch {
                return error
            }
        }
        return nil
    }

    func withRecordsUnderWay(_ kind: ContentKind, _ body: ([OutboundRecord]) -> Void) {
        let sent = contents.withLock { $0.sent }.filter { $0.draft.kind == kind }
        body(
            sent.map {
                OutboundRecord(
                    id: $0.id, draft: $0.draft, acceptedAt: WallTime(milliseconds: 0))
            })
    }
}
