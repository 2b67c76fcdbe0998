import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

/// An attack on two devices that pair anew, by somebody who can put a packet into the link
/// (issue 21, item 7).
@Suite struct ForgedConfirmationTests {
    /// One forged message of each shape, in front of the true one: both sides end with the same
    /// keys, except where the forgery is a guess at the code.
    @Test(arguments: [3, 4, 5])
    func one_forged_message_does_not_leave_different_keys(number: Int) throws {
        let lossy = PairingLinkTests.carriers[2]
        let whole = try DisturbedPairingTests.script(on: lossy)[number]
        var table = PairingLinkTests.Table(lossy)
        var forged = 0
        table.detour = { from, packet in
            guard packet.count == whole.count else { return [(1 - from, packet)] }
            forged += 1
            let bytes = packet.dropLast(16) + [UInt8](repeating: 0xA5, count: 16)
            return [(1 - from, Array(bytes)), (1 - from, packet)]
        }
        try table.show()
        try table.enter()
        table.pass(.seconds(15))
        #expect(forged > 0)
        #expect(table.arePaired, "\(table.events)")
        #expect(table.codes.count == 1 && table.failures.isEmpty)
    }
}
