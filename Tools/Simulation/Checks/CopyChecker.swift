import WatchProtoCore

/// Copies: of two devices that go on from one backup, and were both heard since to have written a
/// ticket, the one that returns is not taken for the other: nothing that it says of a record counts
/// any more (Models/IDENTITY.md, I6).
struct CopyChecker: Checker {
    static let name = "copies"

    private var sides = [Devices(), Devices()]

    /// The two devices of one side, by number, since the backup.
    private struct Devices {
        var present = 0
        /// Whether there is a copy; and whether the present device has started since it was made,
        /// so that it draws a ticket that the copy lacks.
        var hasCopy = false
        var hasStarted = false
        var wasHeard = [false, false]
        var heardLast = 0
        /// The present device came back after the other was heard.
        var isReturned: Bool { wasHeard == [true, true] && heardLast != present }
        /// By record: the device it was delivered to, and whether that had come back; nil where
        /// its end proves nothing: both devices were given it, or neither had a ticket of its own.
        var given: [RecordID: (device: Int, isReturned: Bool)?] = [:]
    }

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .backedUp:
            sides[side] = Devices()
            sides[side].hasCopy = true
        case .wiped, .restored:
            sides[side] = Devices()
        case .exchanged:
            sides[side].present = 1 - sides[side].present
        case .started:
            sides[side].hasStarted = sides[side].hasCopy
        case .delivered(let record, .applied) where sides[side].hasCopy:
            let here = (device: sides[side].present, isReturned: sides[side].isReturned)
            let isAlone = sides[side].given[record.id].map { $0?.device == here.device } ?? true
            sides[side].given[record.id] = .some(
                isAlone && sides[side].hasStarted ? here : nil)
        case .committed(.settled(let id, .applied)):
            let other = 1 - side
            guard let (device, isReturned) = sides[other].given[id] ?? nil else { return nil }
            if isReturned {
                return "\(id.text) was settled by the word of a device whose copy was heard"
            }
            sides[other].wasHeard[device] = true
            sides[other].heardLast = device
        default:
            break
        }
        return nil
    }
}
