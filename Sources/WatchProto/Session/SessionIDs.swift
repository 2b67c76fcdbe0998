/// The two random ids by which the sides of a link name one session of it.
struct SessionIDs: Hashable, Sendable {
    /// This side's id; never 0.
    var mine: UInt32
    /// The counterpart's; 0 until its first flight.
    var theirs: UInt32 = 0

    /// What packets to this side carry.
    var myHint: UInt16 { UInt16(truncatingIfNeeded: mine) }
    /// What packets to the counterpart carry.
    var theirHint: UInt16 { UInt16(truncatingIfNeeded: theirs) }
}
