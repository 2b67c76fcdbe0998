import Simulation
import Testing
import WatchProtoCore

/// Copies against hand-made observations: a device whose copy was heard counts no more.
@Suite struct CopyCheckerTests {
    /// The watch of this moment writes a ticket, and the phone hears so.
    private func heard(_ ticket: UInt64) -> [(Int, RunObservation)] {
        [written(ticket), (0, .ticketShared(Ticket(rawValue: ticket)))]
    }

    private func written(_ ticket: UInt64) -> (Int, RunObservation) {
        (1, .ticketWritten(Ticket(rawValue: ticket)))
    }

    private let copied: [(Int, RunObservation)] = [(1, .backedUp)]
    private let exchange: [(Int, RunObservation)] = [(1, .crashed), (1, .exchanged), (1, .started)]

    private func isFound(_ story: [(Int, RunObservation)]) -> Bool {
        found(story).contains("copies")
    }

    @Test func the_word_of_a_device_whose_copy_was_heard_is_found() {
        let second = copied + heard(1) + exchange + heard(2)
        #expect(!isFound(second), "it cannot be told from a restored device")
        #expect(isFound(second + exchange + heard(3)))
        #expect(!isFound(second + exchange + [written(3)]), "nobody heard it")
        #expect(!isFound(second + exchange + exchange + heard(3)), "the copy is the one in use")
    }

    @Test func a_device_that_was_not_heard_since_the_copy_may_return() {
        #expect(!isFound(copied + exchange + heard(2) + exchange + heard(3)))
        #expect(!isFound(copied + [written(1)] + exchange + heard(2) + exchange + heard(3)))
        // The copy has that ticket, too.
        #expect(!isFound([written(1)] + copied + heard(1).suffix(1) + exchange + heard(2)))
        let shared = [written(1)] + copied + heard(1).suffix(1)
        #expect(!isFound(shared + exchange + heard(2) + exchange + heard(3)))
    }

    @Test func a_side_that_went_back_may_have_forgotten_whom_it_heard() {
        let both = copied + heard(1) + exchange + heard(2)
        for loss in [RunObservation.wiped, .restored, .exchanged] {
            let lost: [(Int, RunObservation)] = [(0, .crashed), (0, loss), (0, .started)]
            #expect(!isFound(both + lost + exchange + heard(3)))
        }
    }
}
