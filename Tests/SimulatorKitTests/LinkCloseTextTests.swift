import ControlKit
import Testing
import WatchProto

@testable import SimulatorKit

/// How the end of a link reads in the event `link.closed` and in the log.
@Suite struct LinkCloseTextTests {
    @Test func a_wrong_peer_is_told_with_what_was_expected_and_found() {
        let expected = PeerLabel(role: .watch, pairing: PairingID(rawValue: 1))
        let found = PeerLabel(role: .watch, pairing: PairingID(rawValue: 2))
        let reason = LinkCloseReason.wrongPeer(expected: expected, found: found)
        let detail = "expected \(expected), found \(found)"
        #expect(reason.controlValue == ["reason": "wrong_peer", "detail": .string(detail)])
        #expect(reason.text == "wrong_peer " + detail)
        #expect(expected.description != found.description)
    }

    @Test func a_copied_device_is_told_on_both_sides_with_what_to_do() {
        for (reason, words) in [
            (LinkCloseReason.cloned, "the other device was copied"),
            (.outdated, "so old that what came after it is forgotten here"),
            (.counterpart(.pairAnew), "this device was copied"),
        ] {
            let detail = reason.controlValue["detail"]?.string ?? ""
            #expect(detail.contains(words) && detail.contains("pair.show"))
            #expect(reason.text(ownVersion: 1).contains(detail))
        }
        #expect(LinkCloseReason.counterpart(.normal).controlValue["detail"] == nil)
    }
}
