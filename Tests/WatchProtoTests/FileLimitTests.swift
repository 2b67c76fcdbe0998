import Locks
import Testing
import WatchProtoCore

@testable import WatchProto

/// The bounds of the offers that a receiver keeps (T-1).
@Suite struct FileLimitTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func receiver() throws -> FileDevice {
        try FileDevice(.watch, directory: folder.file("in"))
    }

    private let tooMany = Disposition.rejected(code: 65_526)

    @Test func `offers above their number are rejected until one is answered (T-1)`() throws {
        let device = try receiver()
        for number in 1...1_024 { #expect(device.offer(number, [1]) == .pending) }
        #expect(device.exchange.load.offers == 1_024)
        #expect(device.offer(1_025, [1]) == tooMany)
        // The journal gives a known one again.
        #expect(device.offer(7, [1]) == .pending && device.exchange.load.arrivals == 1_024)
        device.say(.stopped(.cancelled), of: 7)
        device.work.run()
        #expect(device.link.contents.withLock { $0.rejected } == [65_528])
        #expect(device.offer(1_025, [1]) == .pending)
        #expect(device.offer(1_026, [1]) == tooMany)
        // A former session has none of them.
        device.exchange.end()
        device.exchange.begin(device.link, with: 7)
        #expect(device.exchange.load.offers == 0 && device.offer(1_026, [1]) == .pending)
    }

    @Test func `offers above their bytes are rejected (T-1)`() throws {
        let device = try receiver()
        let metadata = [UInt8](repeating: 5, count: FileOffer.largestMetadata)
        let bytes = FileDevice.record(100, [1], metadata: metadata).payload.count
        var number = 100
        while number < 500, device.offer(number, [1], metadata: metadata) == .pending {
            number += 1
        }
        #expect(number - 100 == (1 << 20) / bytes)
        #expect(device.offer(number, [1], metadata: metadata) == tooMany)
        #expect(device.exchange.load.offerBytes <= 1 << 20)
        // A smaller one has room.
        #expect(device.offer(number, [1]) == .pending)
    }

    @Test func `whole files count until their application answers (T-1)`() throws {
        let device = try receiver()
        for number in 1...1_024 { device.offer(number, []) }
        device.work.run()
        #expect(device.surroundings.paths.withLock { $0.count } == 1_024)
        #expect(device.exchange.load.arrivals == 0 && device.offer(1_025, []) == tooMany)
        let id = KeepingLink.record(1, .bulk)
        device.link.contents.withLock { $0.isOpen = false }
        #expect(!device.exchange.accept(id) && device.offer(1_025, []) == tooMany)
        device.link.contents.withLock { $0.isOpen = true }
        #expect(device.exchange.accept(id) && device.offer(1_025, []) == .pending)
        // The session of an application answers so.
        #expect(device.offer(1_026, []) == tooMany)
        device.center.forget(KeepingLink.record(2, .bulk))
        #expect(device.offer(1_026, []) == .pending)
    }

    @Test func `an offer that cannot be read is rejected at once (T-1)`() throws {
        let device = try receiver()
        let good = FileDevice.record(1, [1])
        let id = good.id
        for record in [
            good.with(good.payload + [UInt8](repeating: 1, count: 4_097)),
            good.with([UInt8](repeating: 0, count: 1 << 22)), good.with([]),
            InboundRecord(id: id, kind: .file, key: nil, payload: good.payload),
            InboundRecord(
                id: KeepingLink.record(1, .background), kind: .file, key: nil,
                payload: good.payload, idempotencyKey: 1),
        ] {
            #expect(device.receive(record) == .rejected(code: 65_532))
        }
        #expect(device.work.isIdle && device.exchange.load.offers == 0)
        let other = try FileDevice(.watch)
        #expect(other.receive(good) == .rejected(code: 65_530))
    }

    @Test func an_offer_that_waits_does_not_keep_its_record() throws {
        let device = try receiver()
        weak var record: InboundRecord?
        do {
            let offered = FileDevice.record(1, [1, 2])
            record = offered
            #expect(device.receive(offered) == .pending)
            withExtendedLifetime(offered) {}
        }
        #expect(record == nil)
        device.work.run()
        #expect(device.asked == [1])
    }

    @Test func rejections_say_their_meaning() {
        let own = (65_526...65_535).map { Rejection(code: $0).description }
        #expect(Set(own).count == own.count && own.allSatisfy { $0.contains(": ") })
        #expect(
            "\(Rejection(code: 65_526))"
                == "rejected with code 65526: too many files wait for an answer of the other "
                + "application; send the file again when some of them have one")
        #expect("\(Rejection(code: 3))" == "rejected with code 3")
    }
}
