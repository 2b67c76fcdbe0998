import Simulation
import Testing
import WatchProtoCore

/// Amplification against hand-made observations.
@Suite struct AmplificationCheckerTests {
    private static let address = PathAddress(host: 7, port: 1)

    private func came(
        _ kind: PacketKind, _ bytes: Int, opening: RunObservation? = nil
    ) -> [(Int, RunObservation)] {
        let inside: [(Int, RunObservation)] = opening.map { [(1, $0)] } ?? []
        return [
            (1, .datagramCame(kind, bytes: bytes, from: Self.address)),
            (1, .arrival(isOver: false)),
        ] + inside + [(1, .arrival(isOver: true))]
    }

    private func left(_ kind: PacketKind, _ bytes: Int) -> [(Int, RunObservation)] {
        [(1, .datagramLeft(kind, bytes: bytes, to: Self.address))]
    }

    private func isFound(_ story: [(Int, RunObservation)]) -> Bool {
        found(story).contains("amplification")
    }

    @Test func more_than_three_times_the_bytes_received_is_found() {
        let asked = came(.initiation, 100)
        #expect(!isFound(asked + left(.response, 100) + left(.transport, 100)))
        #expect(!isFound(asked + left(.response, 300)))
        #expect(isFound(asked + left(.response, 301)))
        #expect(!isFound(asked + came(.early, 50) + left(.response, 450)))
        #expect(isFound(asked + came(.transport, 50) + left(.response, 450)))
        #expect(!isFound(asked + left(.refusal, 100) + left(.response, 300)))
    }

    @Test func packets_that_leave_no_room_for_message_2_are_found() {
        let answered = came(.initiation, 100) + left(.response, 100)
        #expect(!isFound(answered + left(.transport, 100)))
        #expect(isFound(answered + left(.transport, 101)))
    }

    @Test func an_address_that_was_dialled_or_shown_has_no_limit() {
        #expect(isFound(left(.transport, 1)))
        #expect(!isFound([(1, .dialled(Self.address))] + left(.transport, 1)))
        #expect(!isFound(came(.transport, 30, opening: .opened(1)) + left(.transport, 1_000)))
        #expect(!isFound(came(.response, 30, opening: .messageOpened) + left(.transport, 1_000)))
        let early = came(.early, 30, opening: .openedEarly(1, counter: 1))
        #expect(isFound(early + left(.transport, 1_000)), "anybody may have sent it once more")
        #expect(isFound([(1, .opened(1))] + left(.transport, 1)), "it came from elsewhere")
    }
}
