import Testing
import WatchProto
import WatchSecurity

/// An attack on two devices that pair anew (issue 21, item 7), by somebody who can put a datagram
/// into the link.
@Suite struct ForgedConfirmationTests {
    /// Both sides on a datagram carrier, each user having confirmed ahead.
    private struct Table {
        var now = Instant(nanoseconds: 1_000_000_000)
        var sides: [PairingLink]
        var kept: [PairedDevice?] = [nil, nil]
        let traits = CarrierTraits(framing: .datagram(largestBytes: 512), isLossy: true)

        init() throws {
            sides = [
                PairingLink(PairingIdentity(role: .watch, device: DeviceID(rawValue: 2))),
                PairingLink(PairingIdentity(role: .phone, device: DeviceID(rawValue: 1))),
            ]
            let code = try sides[0].showCode(confirmsAhead: true, at: now)
            try sides[1].enterCode(code, confirmsAhead: true, at: now)
            for side in 0...1 { sides[side].linkUp(traits, at: now) }
        }

        /// Carries packets until nothing moves; `forges` gives what arrives in front of one.
        mutating func settle(forges: (_ to: Int, _ packet: [UInt8]) -> [UInt8]? = { _, _ in nil }) {
            var moves = true
            while moves {
                moves = false
                for side in 0...1 {
                    for event in sides[side].takeEvents() {
                        guard case .store(let device) = event else { continue }
                        kept[side] = device
                        sides[side].stored(at: now)
                    }
                    for packet in sides[side].takeOutgoing() {
                        moves = true
                        if let forged = forges(1 - side, packet) {
                            sides[1 - side].receive(forged.span, at: now)
                        }
                        sides[1 - side].receive(packet.span, at: now)
                    }
                }
            }
        }

        /// Lets `seconds` pass, in steps of 100 ms.
        mutating func wait(seconds: Int) {
            for _ in 0..<seconds * 10 {
                now = now.advanced(by: .milliseconds(100))
                for side in 0...1 { sides[side].wake(at: now) }
                settle()
            }
        }

        /// Whether both hold the keys of one pairing, or neither holds any.
        var agrees: Bool { kept[0]?.pairing == kept[1]?.pairing }
    }

    private static let confirmation: UInt8 = 6

    private static let forgery = PairingPacket.packet(
        [confirmation] + [UInt8](repeating: 0xA5, count: 16),
        on: .datagram(largestBytes: 512))

    /// All but the tag of a confirmation is that of the forged one. (A single byte is not enough to
    /// tell: one of 256 longer messages has it by chance.)
    private static func isConfirmation(_ packet: [UInt8]) -> Bool {
        packet.count == forgery.count && packet.dropLast(16) == forgery.dropLast(16)
    }

    /// The check below measures something: undisturbed, both hold the same keys.
    @Test func an_undisturbed_pairing_leaves_both_with_the_same_keys() throws {
        var table = try Table()
        table.settle()
        table.wait(seconds: 15)
        #expect(table.agrees && table.kept[0] != nil)
    }

    /// Attacked: the side that entered the code, by one forged confirmation in front of the true
    /// one. Must hold: both sides end with the same keys, since what does not authenticate after
    /// the answer is dropped.
    @Test func one_forged_confirmation_does_not_leave_different_keys() throws {
        var table = try Table()
        var forged = 0
        table.settle { to, packet in
            guard to == 1, Self.isConfirmation(packet) else { return nil }
            forged += 1
            return Self.forgery
        }
        table.wait(seconds: 15)
        #expect(forged == 1)
        let (agrees, kept) = (table.agrees, table.kept.map { $0 != nil })
        withKnownIssue("A confirmation that does not authenticate ends the run on one side.") {
            #expect(agrees, "kept by the watch: \(kept[0]), by the phone: \(kept[1])")
        }
    }
}
