import Testing

@testable import WatchProtoCore

/// Rules of the article *Ordered channels* that no walk shows, each broken by one changed line.
@Suite("Rules of ordered channels")
struct OrderedRuleTests {
    private static let present = EpochID(rawValue: 9)
    private static let former = EpochID(rawValue: 8)

    /// A receiver of background records in a session that lists `former` as epoch 1.
    private func receiver(
        _ former: OrderedReceiver.SessionEpoch? = nil, limits: Limits = Limits()
    ) -> OrderedMachines {
        let machines = OrderedMachines(limits: limits)
        begin(machines, former)
        return machines
    }

    private func begin(_ machines: OrderedMachines, _ former: OrderedReceiver.SessionEpoch?) {
        let present = OrderedReceiver.SessionEpoch(id: Self.present, last: 0, watermark: 0)
        machines.world.receiver.begin([present] + (former.map { [$0] } ?? []))
    }

    private func record(
        _ number: UInt64, epoch: Int = 1, after: UInt64? = nil
    ) -> RecordFrame {
        RecordFrame(
            channel: .background, address: RecordAddress(epochIndex: epoch, number: number),
            predecessor: after.map { RecordAddress(epochIndex: epoch, number: $0) },
            kind: .opaque, payload: [1])
    }

    /// Takes a record, and gives how many records the application was given.
    @discardableResult
    private func take(
        _ machines: OrderedMachines, _ frame: RecordFrame, _ word: Disposition = .applied
    ) throws -> Int {
        try machines.world.receiver.receive(frame, at: .zero)
        defer { machines.commitReceiver() }
        return machines.dispose { _ in word }.count
    }

    /// The answers that leave now.
    private func answers(_ machines: OrderedMachines) throws -> [Frame] {
        var writer = WireWriter()
        _ = machines.receiver.writeStatements(to: &writer, room: 1000)
        var frames: [Frame] = []
        var reader = WireReader(writer.bytes.span)
        while !reader.isAtEnd { frames.append(try Frame.read(&reader).frame) }
        return frames
    }

    private func outcome(
        _ numbers: ClosedRange<UInt64>, _ word: OutcomeFrame.Word, epoch: Int = 1
    ) -> Frame {
        .outcome(
            OutcomeFrame(channel: .background, epochIndex: epoch, numbers: numbers, word: word))
    }

    private func applied(_ numbers: ClosedRange<UInt64>, epoch: Int = 1) -> Frame {
        var ranges = NumberRanges()
        ranges.insert(numbers)
        return .acknowledgement(
            AcknowledgementFrame(
                channel: .background, isApplied: true, epochIndex: epoch, numbers: ranges))
    }

    @Test("A message 1 that is answered later is older than the early data behind it (OC-11)")
    func earlyBeforeAnswer() throws {
        let machines = receiver()
        try take(machines, record(1, epoch: 0))
        begin(machines, nil)
        #expect(try answers(machines) == [applied(1...1, epoch: 0)])
    }

    @Test("No record leaves while an earlier epoch with unsettled ones is not listed (OC-6)")
    func unlistedEpoch() throws {
        let machines = OrderedMachines()
        try machines.accept(OrderedMachines.draft())
        machines.commitSender()
        machines.world.openSender()
        try machines.accept(OrderedMachines.draft())
        let epochs = Array(machines.world.senderEpochs.suffix(2))
        machines.sender.begin(listing: [epochs[1]])
        #expect(!machines.hasOffer())
        machines.sender.begin(listing: [epochs[1], epochs[0]])
        #expect(try #require(machines.send()).sent.count == 2)
    }

    @Test("An epoch that is listed late changes nothing for records under way (OC-6, OC-26)")
    func lateListing() throws {
        let machines = OrderedMachines(.bulk)
        machines.world.openSender()
        for _ in 0..<20 { try machines.accept(OrderedMachines.draft(.bulk)) }
        let epochs = Array(machines.world.senderEpochs.suffix(2))
        machines.sender.begin(listing: [epochs[1]], further: [epochs[0]])
        let first = offers(machines)
        #expect(first.count == machines.sender.traits.recordWindow)
        machines.sender.list([epochs[1], epochs[0]])
        #expect(offers(machines).isEmpty)
        machines.sender.lost(first[3])
        machines.sender.list([epochs[1], epochs[0], Self.former])
        #expect(offers(machines) == [first[3]])
    }

    private func offers(_ machines: OrderedMachines) -> [OrderedSender.Reference] {
        var writer = WireWriter()
        var references: [OrderedSender.Reference] = []
        let packet = OrderedSender.Packet(room: 10_000, freshRoom: 10_000)
        while case .written(let reference) = machines.sender.writeOffer(to: &writer, packet) {
            references.append(reference)
        }
        return references
    }

    /// Shows OC-17, OC-21.
    @Test("Of an epoch that is gone nothing is returned; its watermark covers the rest")
    func goneEpoch() throws {
        for isGone in [false, true] {
            let machines = OrderedMachines()
            try machines.settle()
            let listing = [try #require(machines.world.senderEpochs.last), Self.former]
            machines.sender.begin(listing: listing, gone: isGone ? [Self.former] : [])
            let frame = AcknowledgementFrame(
                channel: .background, isApplied: true, epochIndex: 1,
                numbers: NumberRanges(ascending: [1...2]))
            try machines.sender.receive(frame)
            #expect(machines.takeSenderEntries().isEmpty == isGone)
            var writer = WireWriter()
            let told = machines.sender.writeStatements(to: &writer, room: 100)
            let address = RecordAddress(epochIndex: 1, number: 2)
            #expect(told == (isGone ? [.watermark(address)] : []))
        }
    }

    @Test("Below the watermark, in a closed and in a forgotten epoch the answer is unknown (OC-10)")
    func unknown() throws {
        var former = OrderedReceiver.SessionEpoch(id: Self.former, last: 9, watermark: 9)
        let machines = receiver(former)
        try take(machines, record(1))
        try take(machines, record(2))
        _ = try answers(machines)
        let watermark = WatermarkFrame(
            channel: .background, address: RecordAddress(epochIndex: 1, number: 1))
        try machines.world.receiver.receive(watermark, at: .zero)
        machines.commitReceiver()
        for number in UInt64(1)...2 { try take(machines, record(number)) }
        #expect(try answers(machines) == [outcome(1...1, .unknown), applied(2...2)])
        former.isClosed = true
        begin(machines, former)
        var given = 0
        given = try take(machines, record(5))
        #expect(given == 0)
        #expect(try answers(machines) == [outcome(5...5, .unknown)])
        former.isClosed = false
        former.answersUnknown = true
        begin(machines, former)
        given = try take(machines, record(6))
        #expect(given == 0)
        #expect(try answers(machines) == [outcome(6...6, .unknown)])
    }

    @Test("A session begins with answers about what is unsettled, and about a tail (OC-11)")
    func owedAtBegin() throws {
        let machines = receiver(.init(id: Self.former, last: 0, watermark: 0))
        for number in UInt64(1)...4 { try take(machines, record(number)) }
        _ = try answers(machines)
        // The sender has settled the first, wrote three, and lost the fourth.
        begin(machines, .init(id: Self.former, last: 3, watermark: 1))
        #expect(try answers(machines) == [applied(2...4)])
        begin(machines, .init(id: Self.former, last: 4, watermark: 4))
        #expect(try answers(machines).isEmpty)
        // In the present epoch, too: early data is newer than its hello.
        let swapped = OrderedReceiver.SessionEpoch(id: Self.former, last: 3, watermark: 1)
        machines.world.receiver.begin([swapped])
        #expect(try answers(machines) == [applied(2...4, epoch: 0)])
    }

    @Test("In an epoch that is over skipped numbers are answered, too (OC-12)")
    func skipped() throws {
        let machines = receiver(.init(id: Self.former, last: 9, watermark: 0))
        try take(machines, record(3))
        #expect(try answers(machines) == [outcome(1...2, .skipped), applied(3...3)])
        try take(machines, record(3, epoch: 0))
        #expect(try answers(machines) == [applied(3...3, epoch: 0)])
    }

    @Test("A watermark takes a packet for an exception, a tail, or 256 numbers (OC-17)")
    func watermarkPackets() throws {
        let machines = OrderedMachines()
        for _ in 0..<255 { try machines.accept(OrderedMachines.draft(bytes: 1)) }
        try exchange(machines)
        #expect(machines.sender.epochs.last?.watermark == 255)
        #expect(!machines.sender.hasStatements)
        let many = OrderedMachines()
        for _ in 0..<256 { try many.accept(OrderedMachines.draft(bytes: 1)) }
        try exchange(many)
        #expect(many.sender.hasStatements)
        let other = OrderedMachines()
        try other.accept(OrderedMachines.draft())
        try exchange(other, .rejected(code: 1))
        #expect(other.sender.epochs.last?.watermark == 1)
        #expect(other.sender.hasStatements)
    }

    /// Brings what was accepted to its end, without a watermark.
    private func exchange(_ machines: OrderedMachines, _ word: Disposition = .applied) throws {
        while let packet = machines.send(), !packet.sent.isEmpty {
            try machines.world.deliverToReceiver(packet)
            machines.dispose { _ in word }
        }
        machines.commitReceiver()
        machines.world.sendAnswers()
        while !machines.world.toSender.isEmpty {
            try machines.world.movePacket(toReceiver: false)
        }
        machines.commitSender()
    }

    @Test("A watermark is an entry, ends its exceptions, and through follows it (OC-18)")
    func watermark() throws {
        let machines = receiver()
        try take(machines, record(2, epoch: 0), .rejected(code: 4))
        #expect(machines.receiver.durable[Self.present]?.exceptions.count == 2)
        try machines.world.receiver.receive(
            WatermarkFrame(
                channel: .background, address: RecordAddress(epochIndex: 0, number: 5)),
            at: .zero)
        #expect(machines.receiver.entries == [.watermark(Self.present, .background, 5)])
        machines.commitReceiver()
        let numbers = try #require(machines.receiver.durable[Self.present])
        #expect(numbers.exceptions.count == 0 && numbers.through == 5)
        #expect(machines.receiver.taken[Self.present]?.through == 5)
    }

    @Test("An open epoch that is not listed is told once everything of it is durable (OC-20)")
    func heldEpoch() throws {
        let machines = receiver(.init(id: Self.former, last: 0, watermark: 0))
        try take(machines, record(1))
        try machines.world.receiver.receive(record(2), at: .zero)
        begin(machines, nil)
        #expect(machines.receiver.unlistedEpochs == [Self.former])
        #expect(machines.receiver.held(Self.former) == nil)
        machines.dispose { _ in .applied }
        machines.commitReceiver()
        #expect(
            machines.receiver.held(Self.former)
                == EpochHeldFrame.Part(channel: .background, through: 2, watermark: 0))
    }

    @Test("An epoch with records or a tail under way is not settled (OC-22)")
    func settledEpoch() throws {
        let machines = OrderedMachines()
        let id = try machines.accept(OrderedMachines.draft())
        #expect(!machines.sender.isSettled(id.epoch))
        try machines.settle()
        #expect(machines.sender.isSettled(id.epoch))
        let foreign = EpochID(rawValue: 77)
        try machines.world.sender.receiveHeld(foreign, through: 5, watermark: 0)
        #expect(!machines.sender.isSettled(foreign))
        machines.commitSender()
        #expect(machines.sender.isSettled(foreign))
    }

    /// Puts a third of a record into its place, and gives the records that have one.
    private func places(_ machines: OrderedMachines, _ number: UInt64, bytes: Int) throws
        -> [UInt64]
    {
        let frame = FragmentFrame(
            channel: .bulk, address: RecordAddress(epochIndex: 0, number: number),
            totalBytes: 3 * bytes, offset: 0, bytes: [UInt8](repeating: 1, count: bytes))
        try machines.world.receiver.receive(frame, at: .zero)
        return machines.receiver.session?.assemblies.map(\.address.number) ?? []
    }

    @Test("If the places are full, a lower record gets the highest one's (OC-33, OC-34)")
    func fragmentPlaces() throws {
        let machines = OrderedMachines(.bulk)
        begin(machines, nil)
        for number in 2...17 as ClosedRange<UInt64> {
            #expect(try places(machines, number, bytes: 1000) == Array(2...number))
        }
        #expect(machines.receiver.session?.turnedAway.isEmpty == true)
        #expect(try places(machines, 1, bytes: 1000) == Array(1...16))
        #expect(machines.receiver.session?.turnedAway.map(\.address.number) == [17])
        // A higher one takes nobody's place, and is turned away itself.
        #expect(try places(machines, 18, bytes: 1000) == Array(1...16))
        #expect(machines.receiver.session?.turnedAway.map(\.address.number) == [17, 18])
    }

    @Test("Two records of any length have places, and more within the window (OC-34)")
    func longFragments() throws {
        let machines = OrderedMachines(.bulk)
        begin(machines, nil)
        let window = Channel.bulk.traits.byteWindow
        #expect(try places(machines, 2, bytes: window / 2) == [2])
        #expect(try places(machines, 3, bytes: window / 2) == [2, 3])
        #expect(try places(machines, 4, bytes: 1) == [2, 3])
        #expect(try places(machines, 1, bytes: window) == [1, 2])
        #expect(machines.receiver.session?.turnedAway.map(\.address.number) == [4, 3])
    }

    @Test("A sender that is turned away begins its fragments anew (OC-33)")
    func fragmentsAnew() throws {
        let machines = OrderedMachines(.bulk)
        try machines.accept(OrderedMachines.draft(.bulk, bytes: 3000))
        let first = try #require(machines.send()).sent
        try machines.world.sender.receive(
            TryLaterFrame(
                channel: .bulk, address: RecordAddress(epochIndex: 0, number: 1), records: 16))
        machines.world.sender.receive(CreditFrame(channel: .bulk, records: 17, bytes: 1 << 20))
        let again = try #require(machines.send()).sent
        for case .fragment(_, let round, let offset, _) in first + again {
            #expect(offset == 0 && round == (first.isEmpty ? 1 : round))
        }
        #expect(first.count == 1 && again.count == 1 && first != again)
    }

    @Test("Answers of a channel that is not durable rest on memory, for one epoch (OC-50)")
    func notDurable() throws {
        let machines = OrderedMachines(.interactive)
        try machines.accept(OrderedMachines.draft(.interactive))
        try machines.world.deliverToReceiver(try #require(machines.send()))
        machines.dispose { _ in .applied }
        #expect(machines.receiver.hasStatements && machines.takeReceiverEntries().isEmpty)
        machines.world.openSender()
        machines.world.connect()
        try machines.accept(OrderedMachines.draft(.interactive))
        try machines.settle()
        #expect(machines.receiver.durable.ids == [machines.world.senderEpochs.last])
    }
}
