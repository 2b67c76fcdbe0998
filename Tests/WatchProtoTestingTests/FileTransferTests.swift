import Foundation
import Testing
import WatchProto
import WatchProtoTesting

/// Files by path: fetched block by block, over cuts and restarts (rules T-1 to T-13).
@Suite(.timeLimit(.minutes(2))) struct FileTransferTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func pair(_ conditions: LinkConditions = LinkConditions()) async throws -> TestPair {
        var options = TestPair.Options()
        options.directory = folder.path
        options.conditions = conditions
        return try await TestPair(options)
    }

    /// A pair whose link carries a megabit a second.
    private func slowPair() async throws -> TestPair {
        var conditions = LinkConditions()
        conditions.bitsPerSecond = 1_000_000
        return try await pair(conditions)
    }

    /// A file of bytes that do not repeat.
    private func file(_ name: String, _ count: Int) throws -> (path: String, bytes: [UInt8]) {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        let path = "\(folder.path)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return (path, bytes)
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Makes a file longer by zeros, which take no room.
    private func extend(_ path: String, to count: UInt64) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: count)
        try file.close()
    }

    private func received() throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: "\(folder.path)/watch.journal.files")
    }

    /// The first file that the watch gets.
    private func arrival(_ pair: TestPair) async throws -> Delivery<ReceivedFile> {
        let deliveries = pair.watch.deliveries(of: ReceivedFile.self)
        return try #require(try await pair.run { await deliveries.first { _ in true } })
    }

    /// Waits until the receiver has told of so many bytes.
    private func wait(for bytes: UInt64, _ pair: TestPair) async throws {
        let events = pair.watch.events()
        try await pair.run {
            for await case .fileProgress(_, let done, _, _) in events where done >= bytes { return }
        }
    }

    @Test(arguments: [0, 1, 60_000, 700_000])
    func a_file_arrives_whole_with_its_name_and_metadata(_ count: Int) async throws {
        let pair = try await pair()
        let (path, bytes) = try file("pill.jpg", count)
        let transfer = try await pair.phone.transferFile(at: path, metadata: [7, 8])
        let delivery = try await arrival(pair)
        #expect(delivery.value.path.hasSuffix("/pill.jpg") && delivery.value.metadata == [7, 8])
        #expect(try self.bytes(delivery.value.path) == bytes)
        #expect(pair.phone.outcome(of: transfer.id) != .reached(.applied))
        delivery.accept()
        #expect(try await pair.run { try await transfer.outcome() } == .reached(.applied))
        // Nothing but the file itself is left.
        let names = try received()
        #expect(names.count == 1 && !names[0].hasSuffix(".part"))
        await pair.close()
    }

    @Test func a_transfer_goes_on_after_cuts_and_restarts_of_both() async throws {
        var conditions = LinkConditions()
        conditions.bitsPerSecond = 2_000_000
        let pair = try await pair(conditions)
        let (path, bytes) = try file("scan.pdf", 2_000_000)
        let before = pair.link.bytesArrived(at: .watch)
        let transfer = try await pair.phone.transferFile(at: path)
        for (number, part) in [300_000, 600_000, 900_000, 1_200_000].enumerated() {
            try await wait(for: UInt64(part), pair)
            switch number {
            case 0:
                await pair.link.cut()
                try await pair.run(for: .seconds(2))
                pair.link.restore()
            case 1: try await pair.restart(.watch)
            case 2: try await pair.restart(.phone)
            default:
                try await pair.restart(.phone)
                try await pair.restart(.watch)
            }
        }
        let delivery = try await arrival(pair)
        #expect(try self.bytes(delivery.value.path) == bytes)
        // A cut and four restarts repeat one checkpoint each; 5 % more for the packets.
        let arrived = pair.link.bytesArrived(at: .watch) - before
        #expect(arrived <= (2_000_000 + 5 * (1 << 18)) * 105 / 100, "\(arrived)")
        delivery.accept()
        try await pair.run(for: .seconds(2))
        #expect(pair.phone.outcome(of: transfer.id) == .reached(.applied))
        await pair.close()
    }

    /// 300,000 bytes over edge, cut ten times at moments that a seed draws. During each second cut
    /// the watch starts again, and two of those are just before a checkpoint. A cut repeats what
    /// was on the line, and at most the bytes since the last checkpoint, one second before it.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func cuts_repeat_what_was_on_the_line_and_one_checkpoint(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        // The bytes that have arrived at the moments of the cuts.
        let cuts = (0..<10).map { _ in UInt64.random(in: 5_000...280_000, using: &random) }
        let whole = try await transferOverEdge()
        let cut = try await transferOverEdge(cuts: cuts.sorted())
        print("a file of 300,000 bytes over edge: \(whole); with 10 cuts: \(cut)")
        let checkpoint = UInt64((LinkConditions.edge.bitsPerSecond ?? 0) / 8)
        #expect(checkpoint > 0)
        // The link counts every byte that is sent; those that did not arrive were lost on it.
        let lost = cut.sent - cut.arrived
        #expect(lost > 10_000, "the cuts lost nothing")
        // 5 % more: the handshakes, and the requests.
        let limit = (whole.arrived + 10 * checkpoint) * 105 / 100 + lost
        #expect(cut.sent <= limit, "\(limit)")
    }

    private func transferOverEdge(
        cuts: [UInt64] = []
    ) async throws -> (sent: UInt64, arrived: UInt64) {
        var conditions = LinkConditions.edge
        conditions.carriesPackets = true
        let pair = try await pair(conditions)
        try await pair.run(for: .seconds(10))
        let (path, bytes) = try file("scan.jpg", 300_000)
        let link = pair.link
        let before = (sent: link.bytesSent(by: .phone), arrived: link.bytesArrived(at: .watch))
        try await pair.phone.transferFile(at: path)
        for (number, moment) in cuts.enumerated() {
            while link.bytesArrived(at: .watch) - before.arrived < moment {
                try await pair.run(for: .milliseconds(20))
            }
            if [2, 6].contains(number) {
                try await wait(for: 1, pair)
                try await pair.run(for: .milliseconds(950))
            }
            await link.cut()
            if number % 2 == 0 { try await pair.restart(.watch) }
            try await pair.run(for: .seconds(1))
            link.restore()
        }
        let delivery = try await arrival(pair)
        #expect(try self.bytes(delivery.value.path) == bytes)
        try FileManager.default.removeItem(atPath: delivery.value.path)
        delivery.accept()
        try await pair.run(for: .seconds(5))
        let sent = link.bytesSent(by: .phone) - before.sent
        let arrived = link.bytesArrived(at: .watch) - before.arrived
        await pair.close()
        try FileManager.default.removeItem(atPath: folder.path)
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: false)
        return (sent, arrived)
    }

    /// A round trip of half a second, in which the line carries 12,500 bytes. A loss costs a stream
    /// one round trip.
    @Test(arguments: [(0, 2), (0.05, 2.5)] as [(Double, Double)])
    func a_long_round_trip_does_not_slow_a_file_over_a_stream(
        _ lossRate: Double, _ most: Double
    ) async throws {
        var conditions = LinkConditions.edge
        conditions.lossRate = lossRate
        let pair = try await pair(conditions)
        try await pair.run(for: .seconds(10))
        let (path, bytes) = try file("scan.jpg", 300_000)
        let before = pair.elapsed
        try await pair.phone.transferFile(at: path)
        let delivery = try await arrival(pair)
        let line = Duration.seconds(300_000 * 8) / Int(try #require(conditions.bitsPerSecond))
        #expect(pair.elapsed - before < line * most, "\(pair.elapsed - before)")
        #expect(try self.bytes(delivery.value.path) == bytes)
        await pair.close()
    }

    /// A disk that takes nothing, as one that is full: the transfer waits, and says why.
    @Test func a_place_that_cannot_be_written_is_told_and_the_transfer_goes_on() async throws {
        let pair = try await pair()
        let place = "\(folder.path)/watch.journal.files"
        try Data([1]).write(to: URL(fileURLWithPath: place))
        let (path, bytes) = try file("a.txt", 100_000)
        let events = pair.watch.events()
        try await pair.phone.transferFile(at: path)
        let problem = try await pair.run {
            for await case .fileProgress(_, 0, 100_000, let problem?) in events { return problem }
            return ""
        }
        #expect(problem.contains("Not a directory"), "\(problem)")
        try FileManager.default.removeItem(atPath: place)
        let delivery = try await arrival(pair)
        #expect(try self.bytes(delivery.value.path) == bytes)
        await pair.close()
    }

    @Test func a_dose_does_not_wait_for_a_file() async throws {
        let pair = try await pair(.bluetoothLowEnergy)
        let (path, _) = try file("video.mp4", 400_000)
        try await pair.phone.transferFile(at: path)
        try await wait(for: 50_000, pair)
        let arriving = pair.watch.doses.changes()
        let before = pair.elapsed
        try await pair.phone.doses.record(DoseEvent.example(1))
        _ = try await pair.run { await arriving.first { _ in true } }
        #expect(pair.elapsed - before < .milliseconds(400))
        await pair.close()
    }

    @Test func a_paused_transfer_rests_over_a_restart_and_goes_on() async throws {
        let pair = try await slowPair()
        let (path, bytes) = try file("scan.pdf", 1_500_000)
        let transfer = try await pair.phone.transferFile(at: path)
        try await wait(for: 200_000, pair)
        #expect(transfer.pause())
        try await pair.run(for: .seconds(8))
        try await pair.restart(.phone)
        let before = pair.link.bytesSent(by: .phone)
        try await pair.run(for: .seconds(30))
        #expect(pair.link.bytesSent(by: .phone) - before < 20_000)
        let again = try #require(pair.phone.transfer(transfer.id))
        #expect(pair.phone.outcome(of: transfer.id) == .reached(.committed))
        #expect(again.resume())
        let delivery = try await arrival(pair)
        #expect(try self.bytes(delivery.value.path) == bytes)
        await pair.close()
    }

    @Test func a_cancelled_transfer_leaves_nothing() async throws {
        let pair = try await slowPair()
        let (path, _) = try file("scan.pdf", 1_500_000)
        let transfer = try await pair.phone.transferFile(at: path)
        try await wait(for: 200_000, pair)
        #expect(transfer.cancel())
        #expect(try await pair.run { try await transfer.outcome() } == .notApplied(.cancelled))
        #expect(try received() == [] && !transfer.pause() && !transfer.resume())
        await pair.close()
    }

    @Test func the_end_of_the_pairing_removes_what_is_not_whole() async throws {
        let pair = try await slowPair()
        let (path, _) = try file("scan.pdf", 1_500_000)
        try await pair.phone.transferFile(at: path)
        try await wait(for: 300_000, pair)
        #expect(try received().count == 1)
        let pairing = try #require(pair.watch.state.pairing)
        let watch = pair.watch
        try await pair.run { try await watch.unpair(pairing) }
        try await pair.run(for: .seconds(1))
        #expect(try received() == [])
        await pair.close()
    }

    @Test func a_file_that_changes_meanwhile_is_refused_and_never_half_received() async throws {
        let pair = try await slowPair()
        let (path, _) = try file("scan.pdf", 1_500_000)
        let transfer = try await pair.phone.transferFile(at: path)
        try await wait(for: 200_000, pair)
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let outcome = try await pair.run { try await transfer.outcome() }
        #expect(outcome == .notApplied(.rejected(Rejection(code: 65_529))))
        #expect(try received() == [])
        await pair.close()
    }

    @Test func what_cannot_be_sent_is_refused_and_changes_nothing() async throws {
        let pair = try await pair()
        let (hidden, _) = try file(".hidden", 3)
        let (path, _) = try file("a.txt", 3)
        let long = try file("long", 0).path
        try extend(long, to: 1_100 << 30)
        for (path, reason) in [
            (folder.path, "it is no regular file"),
            ("/no/such/file", "No such file or directory"),
            (hidden, "begins with a dot"), ("\(folder.path)/a\\b", "has a backslash"),
            (long, "1181116006400 bytes, at most 1099511627776"),
        ] {
            let refusal = await #expect(throws: Refusal.self) {
                try await pair.phone.transferFile(at: path)
            }
            guard case .unreadableFile(let text) = refusal else {
                Issue.record("\(String(describing: refusal))")
                continue
            }
            #expect(text.contains(path) && text.contains(reason), "\(text)")
        }
        await #expect(throws: Refusal.notEncodable(.tooLarge(bytes: 4_097, limit: 4_096))) {
            try await pair.phone.transferFile(
                at: path, metadata: [UInt8](repeating: 0, count: 4_097))
        }
        let outstanding = pair.phone.state.outstandingTransfers
        #expect(!outstanding.contains { $0.channel == .bulk })
        await pair.close()
        await #expect(throws: Refusal.closed) { try await pair.phone.transferFile(at: hidden) }
    }

    @Test func a_task_that_is_cancelled_reads_no_file_to_its_end() async throws {
        let pair = try await pair()
        let (path, _) = try file("a.bin", 0)
        // It would take minutes.
        try extend(path, to: 200 << 30)
        let phone = pair.phone
        let sending = Task { try await phone.transferFile(at: path) }
        try await Task.sleep(for: .milliseconds(50))
        sending.cancel()
        let text = "'\(path)': the task that reads it was cancelled"
        await #expect(throws: Refusal.unreadableFile(text)) { try await sending.value }
        await pair.close()
    }

    @Test func of_two_files_with_one_key_the_first_is_sent() async throws {
        let pair = try await pair()
        for round in 0..<20 as Range<UInt128> {
            let files = try (0..<4).map { try file("\($0)-\(round)", 20_000 + $0) }
            let arriving = pair.watch.deliveries(of: ReceivedFile.self)
            let phone = pair.phone
            let transfers = try await withThrowingTaskGroup { group in
                for (path, _) in files {
                    group.addTask {
                        try await phone.transferFile(
                            at: path, SendOptions(idempotencyKey: 1_000 + round))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(transfers.map(\.id)).count == 1)
            let delivery = try #require(try await pair.run { await arriving.first { _ in true } })
            let content = try bytes(delivery.value.path)
            #expect(files.contains { $0.bytes == content })
            delivery.accept()
            for transfer in transfers {
                #expect(try await pair.run { try await transfer.outcome() } == .reached(.applied))
            }
        }
        await pair.close()
    }

    @Test func `a file above those that a receiver keeps is refused in words (T-1)`() async throws {
        let pair = try await pair()
        let (path, _) = try file("a.txt", 3)
        let metadata = [UInt8](repeating: 1, count: 4_096)
        let settled = pair.phone.events()
        var transfers: [Transfer] = []
        for _ in 0..<260 {
            transfers.append(try await pair.phone.transferFile(at: path, metadata: metadata))
        }
        let refused: (TransferID, Rejection)? = try await pair.run {
            for await case .settled(let id, .notApplied(.rejected(let rejection))) in settled {
                return (id, rejection)
            }
            return nil
        }
        let (id, rejection) = try #require(refused)
        let known = try #require(transfers.firstIndex { $0.id == id })
        #expect(known > 240 && rejection.code == 65_526)
        #expect("\(rejection)".contains("too many files wait for an answer"))
        // There is room again when the other application has taken some.
        let deliveries = pair.watch.deliveries(of: ReceivedFile.self)
        try await pair.run {
            var count = 0
            for await delivery in deliveries {
                delivery.accept()
                count += 1
                if count == 20 { return }
            }
        }
        let again = try await pair.phone.transferFile(at: path, metadata: [1])
        try await pair.run {
            for await delivery in deliveries {
                delivery.accept()
                if delivery.value.metadata == [1] { return }
            }
        }
        #expect(try await pair.run { try await again.outcome() } == .reached(.applied))
        await pair.close()
    }

    @Test func a_session_without_a_directory_refuses_files() async throws {
        let pair = try await TestPair()
        let (path, _) = try file("a.txt", 3)
        let transfer = try await pair.phone.transferFile(at: path)
        let outcome = try await pair.run { try await transfer.outcome() }
        #expect(outcome == .notApplied(.rejected(Rejection(code: 65_530))))
        await pair.close()
    }

    @Test func a_whole_file_without_an_answer_comes_again_and_is_not_fetched_again() async throws {
        let pair = try await pair()
        let (path, bytes) = try file("scan.pdf", 400_000)
        let transfer = try await pair.phone.transferFile(at: path)
        _ = try await arrival(pair)
        let before = pair.link.bytesSent(by: .phone)
        try await pair.restart(.watch)
        let again = try await arrival(pair)
        #expect(again.received.isRedelivery)
        #expect(try self.bytes(again.value.path) == bytes)
        again.accept()
        try await pair.run(for: .seconds(2))
        #expect(pair.phone.outcome(of: transfer.id) == .reached(.applied))
        #expect(pair.link.bytesSent(by: .phone) - before < 20_000)
        await pair.close()
    }

    @Test func a_retry_under_the_same_key_is_the_same_transfer() async throws {
        let pair = try await slowPair()
        let (path, bytes) = try file("scan.pdf", 600_000)
        let options = SendOptions(idempotencyKey: 7)
        let transfer = try await pair.phone.transferFile(at: path, options)
        try await wait(for: 100_000, pair)
        #expect(transfer.pause())
        let (other, _) = try file("other.pdf", 10)
        #expect(try await pair.phone.transferFile(at: other, options).id == transfer.id)
        try await pair.run(for: .seconds(20))
        // It is paused still, and a second file passes it.
        let (second, small) = try file("small.txt", 5_000)
        try await pair.phone.transferFile(at: second)
        let first = try await arrival(pair)
        #expect(try self.bytes(first.value.path) == small)
        first.accept()
        #expect(transfer.resume())
        #expect(try self.bytes(try await arrival(pair).value.path) == bytes)
        await pair.close()
    }

    @Test func several_files_arrive_in_order() async throws {
        let pair = try await pair()
        var expected: [[UInt8]] = []
        for number in 1...5 {
            let (path, bytes) = try file("\(number).bin", number * 70_000)
            try await pair.phone.transferFile(at: path)
            expected.append(bytes)
        }
        let deliveries = pair.watch.deliveries(of: ReceivedFile.self)
        let paths = try await pair.run {
            var paths: [String] = []
            for await delivery in deliveries {
                paths.append(delivery.value.path)
                delivery.accept()
                if paths.count == 5 { break }
            }
            return paths
        }
        #expect(try paths.map { try self.bytes($0) } == expected)
        await pair.close()
    }
}
