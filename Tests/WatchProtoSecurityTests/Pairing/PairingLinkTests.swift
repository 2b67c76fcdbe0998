import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

/// Pairing over carriers: streams in any chunks, lost datagrams, users who take their time.
@Suite struct PairingLinkTests {
    static let carriers: [CarrierTraits] = [
        .stream, CarrierTraits(framing: .datagram(largestBytes: 512)),
        CarrierTraits(framing: .datagram(largestBytes: 512), isLossy: true),
    ]

    /// Both sides on one carrier.
    struct Table {
        static let names = ["watch", "phone"]
        var now = Instant(nanoseconds: 1_000_000_000)
        var sides = [
            PairingLink(PairingBench.watch), PairingLink(PairingBench.phone),
        ]
        var traits: CarrierTraits
        var isUp = false
        var events: [[String]] = [[], []]
        /// The reasons of the runs that failed.
        var failures: Set<PairingFailure> = []
        var kept: [PairedDevice?] = [nil, nil]
        var codes: [PairingCode] = []
        /// Which packets are lost, by their number from 0 on.
        var loses: (Int) -> Bool = { _ in false }
        /// Gives the bytes that arrive in place of a packet's, by its number.
        var alters: (Int, [UInt8]) -> [UInt8] = { $1 }
        /// The packets that arrive in place of a side's packet, each with its receiver, in turn.
        var detour: ((_ from: Int, _ packet: [UInt8]) -> [(to: Int, packet: [UInt8])])?
        var packetCount = 0
        /// Packets that left each side, as they left.
        var wire: [[[UInt8]]] = [[], []]
        /// Links that may still be opened.
        var linksLeft = Int.max
        /// Bytes of a chunk on a stream.
        var chunkBytes = 1 << 16
        var confirms = true
        var keeps = true
        /// Whether the disk takes its time: nothing is stored before a test says so.
        var isDiskSlow = false

        init(_ traits: CarrierTraits = .stream) { self.traits = traits }

        mutating func show() throws {
            codes.append(try sides[0].showCode(at: now))
            settle()
        }

        mutating func enter(_ code: PairingCode? = nil) throws(PairingCoordinator.Refusal) {
            try sides[1].enterCode(code ?? codes[codes.count - 1], at: now)
            settle()
        }

        /// A code that was never shown, each time another.
        func wrong() -> PairingCode {
            let shown = codes.map(\.text)
            let first = codes.count * 10
            let text = (first...).lazy.map { "00\(1000 + $0)" }.first { !shown.contains($0) }
            return PairingCode(text!)!
        }

        /// Moves packets and tells events until nothing moves any more.
        mutating func settle() {
            var moves = true
            while moves {
                moves = false
                if !isUp, linksLeft > 0, sides.allSatisfy(\.wantsLink) {
                    isUp = true
                    linksLeft -= 1
                    for side in 0...1 { sides[side].linkUp(traits, at: now) }
                    moves = true
                }
                for side in 0...1 {
                    for event in sides[side].takeEvents() {
                        hear(event, side)
                        moves = true
                    }
                    for packet in sides[side].takePackets() where isUp {
                        let number = packetCount
                        packetCount += 1
                        moves = true
                        wire[side].append(packet)
                        guard !loses(number) else { continue }
                        if let detour {
                            for (to, bytes) in detour(side, packet) { hand(bytes, to: to) }
                            continue
                        }
                        hand(alters(number, packet), to: 1 - side)
                    }
                    if isUp, sides[side].mustClose {
                        cut()
                        moves = true
                    }
                }
            }
        }

        mutating func hand(_ bytes: [UInt8], to side: Int) {
            // A host reads no further from a link that is to be closed.
            guard !sides[side].mustClose else { return }
            guard traits.framing == .stream else {
                sides[side].receive(bytes.span, at: now)
                return
            }
            for start in stride(from: 0, to: bytes.count, by: chunkBytes) {
                let end = min(start + chunkBytes, bytes.count)
                sides[side].receive(Array(bytes[start..<end]).span, at: now)
            }
        }

        mutating func cut() {
            isUp = false
            for side in 0...1 { sides[side].linkDown(at: now) }
        }

        mutating func hear(_ event: PairingLink.Event, _ side: Int) {
            switch event {
            case .code(let code):
                codes.append(code)
                events[side].append("code")
            case .confirm(let other):
                events[side].append("confirm \(other.role)")
                if confirms { sides[side].confirm(at: now) }
            case .store(let device):
                if keeps {
                    kept[side] = device
                    if !isDiskSlow { sides[side].stored(at: now) }
                } else {
                    sides[side].notStored(at: now)
                }
            case .failed(let failure, let left):
                failures.insert(failure)
                events[side].append("failed \(left)")
            case .expired: events[side].append("expired")
            case .advice(let advice): events[side].append("advice \(advice)")
            case .ended(let ending): events[side].append("ended \(ending)")
            }
        }

        /// Lets time pass from deadline to deadline.
        mutating func pass(_ time: Duration) {
            let end = now.advanced(by: time)
            while true {
                let next = sides.compactMap(\.nextDeadline).min() ?? .distantFuture
                guard next <= end else { break }
                now = max(now, next)
                for side in 0...1 { sides[side].wake(at: now) }
                settle()
            }
            now = end
        }

        var arePaired: Bool {
            guard let watch = kept[0], let phone = kept[1] else { return false }
            return watch.isOther(half: phone)
        }
    }

    @Test(arguments: carriers)
    func both_confirm_and_both_keep(_ traits: CarrierTraits) throws {
        var table = Table(traits)
        table.confirms = false
        try table.show()
        try table.enter()
        // Nobody has anything before its user has said so.
        #expect(table.events == [[], ["confirm watch"]])
        table.sides[1].confirm(at: table.now)
        table.settle()
        #expect(table.events == [["confirm phone"], ["confirm watch"]])
        #expect(table.kept.allSatisfy { $0 == nil })
        table.sides[0].confirm(at: table.now)
        table.settle()
        #expect(table.arePaired)
        #expect(
            table.events == [
                ["confirm phone", "ended paired"], ["confirm watch", "ended paired"],
            ])
        #expect(!table.isUp)
        #expect(table.sides.allSatisfy { $0.nextDeadline == nil })
    }

    @Test(arguments: 1...9)
    func a_stream_comes_in_chunks_of_any_size(bytes: Int) throws {
        var table = Table()
        table.chunkBytes = bytes
        try table.show()
        try table.enter()
        #expect(table.arePaired)
    }

    @Test(arguments: 0..<PairingWire.count(on: carriers[2]))
    func each_message_may_be_lost_once(number: Int) throws {
        var table = Table(Self.carriers[2])
        table.loses = { $0 == number }
        try table.show()
        try table.enter()
        table.pass(.seconds(60))
        #expect(table.arePaired)
        #expect(table.events.allSatisfy { $0.last == "ended paired" })
    }

    @Test(arguments: carriers)
    func a_wrong_code_is_burnt_and_the_third_ends_pairing(_ traits: CarrierTraits) throws {
        var table = Table(traits)
        try table.show()
        for left in [2, 1] {
            try table.enter(table.wrong())
            #expect(Array(table.events[0].suffix(2)) == ["failed \(left)", "code"])
            // Where datagrams may be lost nothing but its silence says that the other side left.
            table.pass(PairingLink.answerTime)
            #expect(table.events[1].last == "failed \(left)")
            #expect(Set(table.codes).count == table.codes.count)
        }
        try table.enter(table.wrong())
        #expect(table.events[0].suffix(2).first == "failed 0")
        table.pass(PairingLink.answerTime)
        for side in 0...1 {
            #expect(
                table.events[side].last
                    == "ended tooManyFailures(\(PairingFailure.notAuthentic.debugName))")
            #expect(table.sides[side].isOver)
        }
        #expect(table.kept.allSatisfy { $0 == nil })
    }

    @Test func after_a_wrong_code_the_new_one_pairs() throws {
        var table = Table()
        try table.show()
        try table.enter(table.wrong())
        // The one that was burnt opens nothing.
        try table.enter(table.codes[0])
        #expect(table.events[1].last == "failed 1")
        #expect(table.failures == [.notAuthentic])
        try table.enter()
        #expect(table.arePaired)
    }

    @Test func a_code_expires_and_the_next_one_counts() throws {
        var table = Table()
        try table.show()
        table.pass(.seconds(119))
        #expect(table.codes.count == 1)
        table.pass(.seconds(1))
        #expect(table.events[0] == ["expired", "code"])
        // The old code is none any more, and the user who typed it hears so.
        try table.enter(table.codes[0])
        #expect(table.events[1] == ["failed 2"])
        try table.enter()
        #expect(table.arePaired)
    }

    @Test func codes_that_nobody_answers_are_shown_for_ten_minutes_and_no_longer() throws {
        var table = Table()
        try table.show()
        table.pass(.seconds(599))
        #expect(table.codes.count == 5 && !table.sides[0].isOver)
        table.pass(.seconds(1))
        #expect(table.events[0].suffix(2) == ["expired", "ended timedOut"])
        #expect(table.codes.count == 5)
        #expect(table.sides[0].isOver && table.sides[0].nextDeadline == nil)
    }

    @Test func a_code_that_nobody_answers_expires_where_it_was_entered() throws {
        var table = Table()
        try table.sides[1].enterCode(try #require(PairingCode("123456")), at: table.now)
        table.pass(.seconds(120))
        #expect(table.events[1] == ["expired"])
        table.pass(.seconds(120))
        #expect(table.events[1] == ["expired", "ended timedOut"])
    }

    @Test func who_gives_up_says_so_and_the_other_goes_on() throws {
        var table = Table()
        table.confirms = false
        try table.show()
        try table.enter()
        table.sides[1].cancel(at: table.now)
        table.settle()
        #expect(table.events[1].last == "ended cancelled")
        // A guess could have been made: the code is burnt, and the next user may try.
        #expect(table.events[0] == ["advice gaveUp", "failed 2", "code"])
        #expect(table.failures == [.abandoned])
        table.sides[0].cancel(at: table.now)
        table.settle()
        #expect(table.events[0].last == "ended cancelled")
    }

    @Test(arguments: [0, 1])
    func nobody_confirms_in_time(side: Int) throws {
        var table = Table()
        table.confirms = false
        try table.show()
        try table.enter()
        if side == 0 {
            table.sides[1].confirm(at: table.now)
            table.settle()
        }
        table.pass(.seconds(120))
        #expect(table.events[side].contains("ended timedOut"))
        #expect(table.kept.allSatisfy { $0 == nil })
    }

    @Test func what_cannot_be_kept_is_not_promised_to_the_other() throws {
        var table = Table()
        table.keeps = false
        try table.show()
        try table.enter()
        #expect(table.events[0].last == "ended cancelled")
        #expect(table.events[1].last == "failed 2")
        #expect(table.kept[1] == nil)
    }

    /// The keys take the place of the former pairing's: to say "cancelled" would be untrue.
    @Test func who_gives_up_while_the_disk_works_is_too_late() throws {
        var table = Table()
        table.isDiskSlow = true
        try table.show()
        try table.enter()
        #expect(table.kept[0] != nil && table.kept[1] == nil)
        let isInTime = table.sides[0].cancel(at: table.now)
        #expect(!isInTime)
        table.settle()
        #expect(table.events[0] == ["confirm phone"])
        table.isDiskSlow = false
        table.sides[0].stored(at: table.now)
        table.settle()
        #expect(table.arePaired)
        #expect(table.events.allSatisfy { $0.last == "ended paired" })
    }

    @Test func who_gives_up_while_the_other_hears_the_end_is_too_late() throws {
        var table = Table(Self.carriers[2])
        try table.show()
        // The last message is lost once: the displaying side stays on the link for the other to ask
        // again.
        table.loses = { $0 == PairingWire.count(on: Self.carriers[2]) - 1 }
        try table.enter()
        #expect(table.kept[0] != nil && table.kept[1] == nil)
        var isInTime = table.sides[0].cancel(at: table.now)
        #expect(!isInTime)
        table.pass(.seconds(30))
        #expect(table.arePaired)
        #expect(table.events.allSatisfy { $0.last == "ended paired" })
        isInTime = table.sides[0].cancel(at: table.now)
        #expect(!isInTime)
    }

    @Test func the_link_ends_while_a_user_is_asked() throws {
        var table = Table()
        table.confirms = false
        try table.show()
        try table.enter()
        table.sides[1].confirm(at: table.now)
        table.settle()
        table.cut()
        table.settle()
        #expect(table.events[0] == ["confirm phone", "failed 2", "code"])
        #expect(table.events[1] == ["confirm watch", "failed 2"])
        #expect(table.failures == [.abandoned])
        table.confirms = true
        try table.enter()
        #expect(table.arePaired)
    }

    @Test(arguments: carriers) func two_who_enter_are_told_once_that_one_must_show(
        _ traits: CarrierTraits
    ) throws {
        var table = Table(traits)
        table.linksLeft = 3
        for side in 0...1 {
            try table.sides[side].enterCode(try #require(PairingCode("123456")), at: table.now)
        }
        table.settle()
        table.pass(.seconds(60))
        let told = table.events.joined()
        #expect(!told.isEmpty && told.allSatisfy { $0 == "advice entersAsWell" })
        #expect(table.events.allSatisfy { $0.count <= 1 }, "each hears it once")
        #expect(table.failures.isEmpty, "no code is burnt by it")
    }

    // MARK: Attackers

    @Test func who_says_nothing_or_nonsense_costs_a_link_and_no_code() throws {
        let hello = PairingWire.packet(
            try #require(Pairing(entering: PairingCode("123456")!, as: PairingBench.phone).opening),
            on: .stream)
        let inputs: [[UInt8]] = [
            [], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF], PairingWire.packet([9], on: .stream),
            PairingWire.packet([UInt8](repeating: 1, count: 127), on: .stream),
            [13, 1, 1, 2], [3 << 2 | 3, 0, 4, 4], hello, Array(hello.dropLast()),
            [UInt8](repeating: 0x41, count: 4000),
        ]
        var table = Table()
        try table.show()
        for input in inputs {
            table.sides[0].linkUp(.stream, at: table.now)
            table.sides[0].receive(input.span, at: table.now)
            _ = table.sides[0].takePackets()
            table.pass(.seconds(11))
            #expect(table.sides[0].mustClose, "\(input)")
            table.sides[0].linkDown(at: table.now)
        }
        #expect(table.events[0].allSatisfy { $0.hasPrefix("advice") })
        #expect(table.codes.count == 1)
        try table.enter()
        #expect(table.arePaired)
    }

    /// Shows W-23.
    @Test(arguments: carriers)
    func a_message_1_is_answered_that_this_side_is_pairing(_ traits: CarrierTraits) throws {
        var table = Table(traits)
        table.linksLeft = 0
        try table.show()
        table.sides[0].linkUp(traits, at: table.now)
        let message = PacketFraming.plain(.initiation, [1, 0, 0, 0, 0, 1], carrier: traits)
        table.sides[0].receive(
            message.span, from: traits.isLossy ? PathAddress(host: 9, port: 9) : nil, at: table.now)
        var writer = WireWriter()
        AdvisoryPacket(version: 1, code: .pairing).write(to: &writer)
        let answer = PacketFraming.plain(.advisory, writer.bytes, carrier: traits)
        #expect(table.sides[0].takePackets() == (traits.isLossy ? [] : [answer]))
        #expect(table.sides[0].mustClose == !traits.isLossy)
        #expect(table.codes.count == 1)
    }

    @Test func a_device_of_the_same_kind_and_another_version_are_advice() throws {
        var table = Table()
        try table.show()
        var hello = try #require(
            Pairing(entering: PairingCode("123456")!, as: PairingBench.phone).opening)
        hello[1] = 2
        table.sides[0].linkUp(.stream, at: table.now)
        table.sides[0].receive(PairingWire.packet(hello, on: .stream).span, at: table.now)
        #expect(table.sides[0].mustClose)
        table.settle()
        #expect(table.events[0].count == 1 && table.events[0][0].hasPrefix("advice refused"))
        #expect(table.codes.count == 1)
    }

    /// The displaying side's message comes again after the entering side's user has confirmed:
    /// that user is not asked twice, and the end is heard.
    @Test(arguments: [1, 3]) func who_has_confirmed_is_not_asked_again(times: Int) throws {
        var table = Table(Self.carriers[2])
        table.confirms = false
        try table.show()
        try table.enter()
        let again = try #require(table.wire[0].last)
        #expect(table.events[1] == ["confirm watch"])
        table.sides[1].confirm(at: table.now)
        for _ in 0..<times { table.sides[1].receive(again.span, at: table.now) }
        table.settle()
        #expect(table.events[1] == ["confirm watch"])
        table.sides[0].confirm(at: table.now)
        table.settle()
        table.pass(.seconds(30))
        #expect(table.events[1] == ["confirm watch", "ended paired"])
        #expect(table.events[0].last == "ended paired")
        #expect(table.kept.allSatisfy { $0 != nil })
    }
}

extension PairingFailure {
    /// The case's name, as an enum that holds one prints it.
    fileprivate var debugName: String { "\(self)" }
}
