import Simulation
import Testing
import WatchProtoCore

/// Amplification against hand-made sights.
@Suite struct AmplificationCheckerTests {
    private static let address = PathAddress(host: 7, port: 1)

    private func came(
        _ kind: PacketKind, _ bytes: Int, opening: Sight? = nil
    ) -> [(Int, Sight)] {
        let inside: [(Int, Sight)] = opening.map { [(1, $0)] } ?? []
        return [
            (1, .datagramCame(kind, bytes: bytes, from: Self.address)),
            (1, .arrival(isOver: false)),
        ] + inside + [(1, .arrival(isOver: true))]
    }

    private func left(_ kind: PacketKind, _ bytes: Int) -> [(Int, Sight)] {
        [(1, .datagramLeft(kind, bytes: bytes, to: Self.address))]
    }

    private func judged(_ story: [(Int, Sight)]) -> Bool { found(story).contains("amplification") }

    @Test func more_than_three_times_what_came_is_found() {
        let asked = came(.initiation, 100)
        #expect(!judged(asked + left(.response, 100) + left(.transport, 100)))
        #expect(!judged(asked + left(.response, 300)))
        #expect(judged(asked + left(.response, 301)))
        #expect(!judged(asked + came(.early, 50) + left(.response, 450)))
        #expect(judged(asked + came(.transport, 50) + left(.response, 450)))
        #expect(!judged(asked + left(.refusal, 100) + left(.response, 300)))
    }

    @Test func packets_that_leave_no_room_for_message_2_are_found() {
        let answered = came(.initiation, 100) + left(.response, 100)
        #expect(!judged(answered + left(.transport, 100)))
        #expect(judged(answered + left(.transport, 101)))
    }

    @Test func an_address_that_was_dialled_or_shown_has_no_limit() {
        #expect(judged(left(.transport, 1)))
        #expect(!judged([(1, .dialled(Self.address))] + left(.transport, 1)))
        #expect(!judged(came(.transport, 30, opening: .opened(1)) + left(.transport, 1_000)))
        #expect(!judged(came(.response, 30, opening: .messageOpened) + left(.transport, 1_000)))
        let early = came(.early, 30, opening: .openedEarly(1, counter: 1))
        #expect(judged(early + left(.transport, 1_000)), "anybody may have sent it once more")
        #expect(judged([(1, .opened(1))] + left(.transport, 1)), "it came from elsewhere")
    }
}
