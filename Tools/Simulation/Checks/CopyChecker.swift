import WatchProtoCore

/// Copies: of two devices that go on from one backup, and were both heard since to have written a
/// ticket, the one that returns is not taken for the other: nobody goes on in a ticket that it
/// writes then (Models/IDENTITY.md, I6).
struct CopyChecker: Checker {
    static let name = "copies"

    private var sides = [Devices(), Devices()]

    /// The two devices of one side, by number, since the backup.
    private struct Devices {
        var present = 0
        var hasCopy = false
        /// The device that wrote each ticket.
        var writers: [Ticket: Int] = [:]
        var wasHeard = [false, false]
        var heardLast = 0
    }

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .backedUp:
            sides[side] = Devices()
            sides[side].hasCopy = true
        case .wiped, .restored:
            sides[side] = Devices()
            // It may have forgotten whom it heard.
            sides[1 - side].wasHeard = [false, false]
        case .exchanged:
            sides[side].present = 1 - sides[side].present
            sides[1 - side].wasHeard = [false, false]
        case .ticketWritten(let ticket) where sides[side].hasCopy:
            sides[side].writers[ticket] = sides[side].present
        case .ticketShared(let ticket):
            let other = 1 - side
            guard let device = sides[other].writers[ticket] else { return nil }
            if sides[other].wasHeard == [true, true], sides[other].heardLast != device {
                return "a ticket counts that a device wrote whose copy was heard"
            }
            sides[other].wasHeard[device] = true
            sides[other].heardLast = device
        default:
            break
        }
        return nil
    }
}
