/// The content of a face and the device's state: the input of the contents of all families.
package struct FaceScene: Hashable, Sendable {
    /// The entry of the timeline, and whether its time is over.
    package var shown: ShownFace
    /// The medication of the entry's dose; nil if it has none, or it is not known.
    package var drug: FaceDrug?
    /// The last comparison of the ledgers that counts; nil for none.
    package var checked: WallMinute?
    /// The present minute.
    package var now: WallMinute
    /// The offsets of local time.
    package var zone: ZoneTimeline
    /// Whether the watch is locked or off the wrist: the face names no medication then.
    package var isPrivate: Bool
    /// Whether the display is always on and dimmed: nothing changes within a minute then.
    package var isDimmed: Bool
    /// Seconds since what is shown was known to be right; nil if that is not shown.
    package var age: Int?

    /// Makes the input.
    package init(
        _ shown: ShownFace, drug: FaceDrug? = nil, checked: WallMinute?, now: WallMinute,
        zone: ZoneTimeline, isPrivate: Bool = false, isDimmed: Bool = false, age: Int? = nil
    ) {
        self.shown = shown
        self.drug = drug
        self.checked = checked
        self.now = now
        self.zone = zone
        self.isPrivate = isPrivate
        self.isDimmed = isDimmed
        self.age = age
    }

    /// The sign of the face.
    package var sign: FaceSign {
        let entry = shown.entry
        guard let dose = entry.headline else {
            if entry.conflicting > 0 { return .conflicting }
            return entry.total > 0 ? .done : .nothing
        }
        switch dose.phase {
        case .overdue: return dose.isUnchecked ? .unchecked : .overdue
        case .due: return dose.isUnchecked ? .unchecked : .due
        default: break
        }
        if entry.conflicting > 0 { return .conflicting }
        if case .snoozed = dose.phase { return .snoozed }
        let isLater = zone.day(at: dose.due) > zone.day(at: now)
        return isLater && entry.total > 0 ? .done : .upcoming
    }
}

/// The state of a face in one sign. Each has a shape and a word of its own, so that colour is never
/// the only sign.
package enum FaceSign: UInt8, CaseIterable, Hashable, Sendable {
    /// No dose is planned today.
    case nothing
    /// Nothing more is to take today.
    case done
    /// A dose is still to come.
    case upcoming
    /// The reminder was postponed.
    case snoozed
    /// A dose is due.
    case due
    /// A dose is due or overdue, and another device may have closed it.
    case unchecked
    /// A dose is overdue.
    case overdue
    /// Events of a dose conflict, and a person has to resolve them.
    case conflicting

    /// The tint of the sign.
    package var tint: FaceTint {
        switch self {
        case .nothing, .done, .upcoming, .snoozed: .calm
        case .due, .unchecked: .notice
        case .overdue, .conflicting: .alert
        }
    }
}

/// The colour of a sign by its meaning; a mode of the face decides on the colour.
package enum FaceTint: UInt8, CaseIterable, Hashable, Sendable {
    /// Nothing is to do.
    case calm
    /// A dose is to take.
    case notice
    /// A dose is late, or a person has to look.
    case alert
}

/// The progress of the day.
package struct FaceGauge: Hashable, Sendable {
    /// Today's doses that were taken.
    package var taken: Int
    /// Today's doses, at least 1.
    package var total: Int
}
