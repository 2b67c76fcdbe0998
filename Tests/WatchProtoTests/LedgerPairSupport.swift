import Locks
import Testing
import WatchProtoCore

@testable import WatchProto

/// The ledgers of a phone and a watch that are compared without a session. Each gets the events
/// that it lacks after each question.
struct LedgerPair {
    /// The cost of a comparison.
    struct Cost: Equatable {
        var questions = 0
        /// The bytes of all questions and answers.
        var bytes = 0
        var next = LedgerComparison.Next.nothing
    }

    let phone = FaultyLedger()
    let watch = FaultyLedger()

    /// - Parameters:
    ///   - phone: the events of the phone.
    ///   - watch: those of the watch.
    ///   - mask: the bits of fingerprints that are not zero.
    init(
        _ phone: some Sequence<DoseEvent>, _ watch: some Sequence<DoseEvent>,
        mask: UInt64 = .max
    ) throws {
        for event in phone { self.phone.ledger.inserted(event, try event.encoded()) }
        for event in watch { self.watch.ledger.inserted(event, try event.encoded()) }
        for ledger in [self.phone, self.watch] { ledger.faults.withLock { $0.mask = mask } }
    }

    /// Compares until the phone asks no more. The bytes are those of the messages.
    ///
    /// - Parameters:
    ///   - salt: the salt of the comparison.
    ///   - answer: makes the answer; by default the watch does.
    func compare(
        salt: UInt8 = 1,
        answer: (LedgerRequest) throws -> LedgerReply? = { _ in nil }
    ) throws -> Cost {
        var comparison = LedgerComparison(salt: LedgerSalt(byte: salt))
        var question = try comparison.begin(phone)
        var cost = Cost()
        while cost.questions < 1_000 {
            var ofWatch: [UInt128] = []
            var ofPhone: [UInt128] = []
            let asked = try LedgerRequest(question.bytes)
            #expect(asked == question && question.bytes.count <= 13_000)
            let reply =
                try answer(asked) ?? asked.answer(watch, missing: &ofWatch)
            #expect(try LedgerReply(reply.bytes, to: asked) == reply)
            #expect(reply.bytes.count <= 3_100)
            cost.questions += 1
            cost.bytes += question.bytes.count + reply.bytes.count
            let step = try #require(
                try comparison.receive(reply, to: asked, phone, missing: &ofPhone))
            send(ofPhone, from: phone, to: watch)
            send(ofWatch, from: watch, to: phone)
            switch step {
            case .ask(let next): question = next
            case .finished(let next):
                cost.next = next
                return cost
            }
        }
        Issue.record("the comparison does not end")
        return cost
    }

    private func send(_ events: [UInt128], from: FaultyLedger, to other: FaultyLedger) {
        for identity in events {
            guard let encoding = from.ledger.event(identity),
                let event = try? DoseEvent(decoding: encoding)
            else {
                Issue.record("an event is missing where it was found")
                continue
            }
            if other.faults.withLock({ $0.mask }) == .max {
                #expect(other.ledger.event(identity) != encoding, "sent although it is there")
            }
            other.ledger.inserted(event, encoding)
        }
    }
}

extension FaultyLedger {
    var identities: Set<UInt128> { Set(ledger.marks(in: 0...255).map(\.identity)) }
}

extension DoseEvent {
    static func numbered(_ identity: UInt128, medication: UInt128 = 7) -> DoseEvent {
        DoseEvent(
            id: DoseEventID(rawValue: identity), medication: MedicationID(rawValue: medication),
            planned: nil, status: .taken, time: DoseTime(WallTime(milliseconds: 1_767_225_600_000)))
    }

    /// So many events with random identities.
    static func random(_ count: Int, seed: UInt64) -> [DoseEvent] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            numbered(UInt128(random.next()) << 64 | UInt128(random.next()))
        }
    }
}
