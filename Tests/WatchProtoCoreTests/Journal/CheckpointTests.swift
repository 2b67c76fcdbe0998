import Testing

@testable import WatchProtoCore

@Suite("Checkpoints")
struct CheckpointTests {
    private func body(_ image: JournalImage) -> [UInt8] {
        var body = JournalCoding.emptyBody
        JournalCoding.append(image.entries, to: &body)
        return body
    }

    private func image(of body: [UInt8], limits: Limits = Limits()) throws -> JournalImage {
        var image = JournalImage(kinds: PeerPair.kinds, limits: limits)
        image.apply(try JournalCoding.entries(of: body.span))
        return image
    }

    @Test(
        "Any image is made again by its entries, over their bytes",
        arguments: 1...24 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var walk = CheckpointWalk(seed: seed)
        for _ in 0..<40 {
            walk.step()
            for image in walk.images {
                #expect(try self.image(of: body(image)).differences(from: image) == [])
            }
        }
    }

    @Test("The walks make images with all that a checkpoint can hold but a path and requests")
    func walksMeetEveryKind() {
        var codes: Set<UInt8> = []
        for seed in 1...24 as ClosedRange<UInt64> {
            var walk = CheckpointWalk(seed: seed)
            // Lost tails are there only until their epoch is closed.
            for _ in 0..<40 {
                walk.step()
                for entry in walk.images.flatMap({ $0.entries }) {
                    var body: [UInt8] = []
                    JournalCoding.append([entry], to: &body)
                    codes.insert(body[0])
                }
            }
        }
        let held: Set<UInt8> = [
            1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 13, 14, 16, 18, 19, 20, 22, 23, 24,
        ]
        #expect(held.subtracting(codes) == [])
    }

    @Test("A request to cancel, a lost state and a path are kept")
    func requests() throws {
        var image = JournalImage(kinds: PeerPair.kinds)
        image.apply(TicketState.Image.paired(Ticket(rawValue: 1)))
        image.apply(.opened(JournalSamples.epoch, reservationEnd: 1))
        image.apply([.queued(JournalSamples.full), .queued(JournalSamples.value)])
        image.apply(.cancellationAsked(JournalSamples.full.id, .expired))
        image.apply(JournalSamples.all)
        #expect(image.path != nil)
        #expect(image.entries.contains(.cancellationAsked(JournalSamples.full.id, .expired)))
        let differences = try self.image(of: body(image)).differences(from: image)
        #expect(differences == [])
    }

    @Test("A bound that dropped tickets and epochs is remembered")
    func dropped() throws {
        var limits = Limits()
        limits.epochs = 3
        var image = JournalImage(kinds: PeerPair.kinds, limits: limits)
        for number in 1...6 as ClosedRange<UInt64> {
            image.apply(TicketState.Image.paired(Ticket(rawValue: number)))
            image.apply(.epoch(EpochID(rawValue: number), .known))
        }
        #expect(image.tickets.history.hasDropped && image.counterpartEpochs.hasDropped)
        #expect(try self.image(of: body(image), limits: limits).differences(from: image) == [])
    }

    @Test("A checkpoint goes on with the entries behind it as its journal does")
    func goesOn() throws {
        var walk = CheckpointWalk(seed: 7)
        for _ in 0..<60 { walk.step() }
        let before = walk.images
        let restored = try before.map { try image(of: body($0)) }
        for var (own, its) in zip(before, restored) {
            own.apply(JournalSamples.all)
            its.apply(JournalSamples.all)
            #expect(its.differences(from: own) == [])
        }
    }

    @Test("A checkpoint that is cut or altered is refused, or a peer opens on what it says")
    func alteration() throws {
        var walk = CheckpointWalk(seed: 12)
        for _ in 0..<60 { walk.step() }
        for whole in walk.images.map(body) {
            for count in 0..<whole.count { open(Array(whole.prefix(count))) }
            for index in whole.indices {
                for bit in 0..<8 {
                    var altered = whole
                    altered[index] ^= 1 << bit
                    open(altered)
                }
            }
        }
    }

    private func open(_ body: [UInt8]) {
        guard let image = try? image(of: body) else { return }
        let pair = PeerPair()
        pair.phone.image = image
        pair.crash(pair.phone)
        pair.activate()
        pair.run(for: .milliseconds(200))
        var again = JournalImage(kinds: PeerPair.kinds)
        again.apply(image.entries)
    }
}
