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

    /// What packets to this side carry in clear, where nothing else shows who sent them: who has
    /// started over meets the same session of this side.
    var myHintInClear: UInt16 { myHint ^ UInt16(truncatingIfNeeded: theirs >> 16) }
    /// What packets to the counterpart carry in clear.
    var theirHintInClear: UInt16 { theirHint ^ UInt16(truncatingIfNeeded: mine >> 16) }
}
