/// The content of a face from one minute on.
package struct FaceEntry: Hashable, Sendable {
    /// The first minute with this content.
    package var minute: WallMinute
    /// Today's doses, those that were never due aside.
    package var total: UInt16 = 0
    /// Today's doses that were taken, a slot at most once.
    package var taken: UInt16 = 0
    /// Today's doses that were skipped.
    package var skipped: UInt16 = 0
    /// Today's doses of which nothing was recorded in time.
    package var notLogged: UInt16 = 0
    /// Doses that are due, of any date.
    package var due: UInt16 = 0
    /// Doses that are overdue, of any date.
    package var overdue: UInt16 = 0
    /// Doses whose reminder was postponed.
    package var snoozed: UInt16 = 0
    /// Slots whose events conflict.
    package var conflicting: UInt16 = 0
    /// Doses that are due and that another device may have closed. The face says so.
    package var unchecked: UInt16 = 0
    /// The dose to take next: the earliest one that is overdue, else that is due, else that comes.
    package var headline: FaceDose?

    /// Makes an entry without doses.
    package init(at minute: WallMinute) { self.minute = minute }

    /// Whether a face looks the same with both entries.
    package func shows(the other: FaceEntry) -> Bool {
        var moved = other
        moved.minute = minute
        return self == moved
    }
}

/// A dose as a face names it. A *Take* on the face is about its slot.
package struct FaceDose: Hashable, Sendable {
    /// The slot.
    package var slot: DoseSlot
    /// The minute at which it is due.
    package var due: WallMinute
    /// The phase: upcoming, snoozed, due or overdue.
    package var phase: DoseDisplay.Phase
    /// Whether another device may have closed it.
    package var isUnchecked: Bool
    /// Whether its local date does not occur, because a journey skips it.
    package var isDateSkipped: Bool

    /// Makes the dose.
    package init(
        slot: DoseSlot, due: WallMinute, phase: DoseDisplay.Phase, isUnchecked: Bool = false,
        isDateSkipped: Bool = false
    ) {
        self.slot = slot
        self.due = due
        self.phase = phase
        self.isUnchecked = isUnchecked
        self.isDateSkipped = isDateSkipped
    }

    /// The minute that counts for the order: the end of a snooze, or the minute at which it is due.
    package var minute: WallMinute {
        if case .snoozed(let end) = phase { return end }
        return due
    }

    /// The rank of the phase: the lowest goes first.
    private var rank: Int {
        switch phase {
        case .overdue: 0
        case .due: 1
        default: 2
        }
    }

    /// Whether a face names this dose rather than `other`. The order of a list has no part in it.
    func goes(before other: FaceDose) -> Bool {
        if rank != other.rank { return rank < other.rank }
        let (own, second) = (minute, other.minute)
        return own == second ? slot < other.slot : own < second
    }
}

/// An entry as a face shows it at some moment.
package struct ShownFace: Hashable, Sendable {
    /// The entry.
    package var entry: FaceEntry
    /// The minute up to which the entry is known to be right, if that is over. The face says *as
    /// of* with it.
    package var asOf: WallMinute?

    /// Makes it.
    package init(_ entry: FaceEntry, asOf: WallMinute? = nil) {
        self.entry = entry
        self.asOf = asOf
    }
}
