import ControlProtocol
import Testing
import WatchProtoCore

@testable import ReferenceDevice

/// How the end of a session reads in the event `link.closed` and in the log.
@Suite struct LinkCloseTextTests {
    @Test func a_wrong_peer_is_told_with_what_was_expected_and_found() {
        let names: [UInt128] = [0x1111_2222_3333_4444_5555_6666_7777_8888, 2]
        let labels = names.map { PeerLabel(role: .watch, pairing: PairingID(rawValue: $0)) }
        let reason = ConnectionEnd.wrongPeer(expected: labels[0], found: labels[1])
        let detail = "expected \(labels[0].text), found \(labels[1].text)"
        #expect(
            reason.controlValue(ownVersion: 1)
                == ["reason": "wrong_peer", "detail": .string(detail)])
        #expect(reason.text(ownVersion: 1) == "wrong_peer " + detail)
        #expect(labels[0].text != labels[1].text)
        // Nobody shall read the name of a pairing in a log.
        #expect(!detail.contains(String(names[0], radix: 16)))
        #expect(!detail.contains("\(names[0])"))
    }

    @Test func a_copied_device_is_told_on_both_sides_with_what_to_do() {
        for (reason, words) in [
            (ConnectionEnd.cloned, "the other device was copied"),
            (.counterpart(.pairAnew), "this device was copied"),
        ] {
            let detail = reason.controlValue(ownVersion: 1)["detail"]?.string ?? ""
            #expect(detail.contains(words) && detail.contains("pair.show"))
            #expect(reason.text(ownVersion: 1).contains(detail))
        }
        #expect(ConnectionEnd.counterpart(.normal).controlValue(ownVersion: 1)["detail"] == nil)
    }
}
