/// Mistakes that a test can plant, one rule of IDENTITY.md, section 6, left out each. None is set
/// outside of tests.
package struct LatestMutants: OptionSet, Hashable, Sendable {
    package var rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Values leave before a reservation covers them, and versions go on above the last one kept.
    package static let noReservation = LatestMutants(rawValue: 1 << 0)
    /// The sender does not look at the receiver's top.
    package static let noTopCheck = LatestMutants(rawValue: 1 << 1)
    /// The sender mends no version.
    package static let noMend = LatestMutants(rawValue: 1 << 2)
    /// The sender mends the versions of epochs that the receiver knows, too.
    package static let mendAll = LatestMutants(rawValue: 1 << 3)
    /// The sender adopts before it has mended.
    package static let adoptUnjudged = LatestMutants(rawValue: 1 << 4)
    /// The receiver writes down the epoch of any value that it takes.
    package static let knowByValue = LatestMutants(rawValue: 1 << 5)
    /// The receiver writes down announced epochs before any verdict.
    package static let knowEarly = LatestMutants(rawValue: 1 << 6)
    /// The receiver takes values of epochs that it does not know.
    package static let takeUnknown = LatestMutants(rawValue: 1 << 7)
    /// The receiver tells what it holds before it is all durable.
    package static let tellDirty = LatestMutants(rawValue: 1 << 8)
    /// The receiver presents its durable top.
    package static let presentDurable = LatestMutants(rawValue: 1 << 9)
    /// The receiver concludes that nothing is lost whatever its top is.
    package static let coverAny = LatestMutants(rawValue: 1 << 10)
    /// The receiver compares the epoch of its top alone, not its version.
    package static let coverNoEnd = LatestMutants(rawValue: 1 << 11)
    /// The receiver concludes by itself though it does not know the newest confirmed epoch.
    package static let coverUnknown = LatestMutants(rawValue: 1 << 12)
    /// The receiver forgets removals without a watermark.
    package static let noWatermark = LatestMutants(rawValue: 1 << 13)
    /// The sender tells its watermark whether both hold the same or not.
    package static let watermarkUnmatched = LatestMutants(rawValue: 1 << 14)
    /// The receiver does not raise its top to the watermark.
    package static let watermarkNotTop = LatestMutants(rawValue: 1 << 15)
    /// The receiver writes the watermark before the announcements of the session.
    package static let watermarkBeforeKnown = LatestMutants(rawValue: 1 << 16)
    /// The sender counts an announced epoch as confirmed without the receiver's word.
    package static let forgetAnnounced = LatestMutants(rawValue: 1 << 17)
    /// The sender does not announce its epochs anew to a receiver that lost state.
    package static let noReannounce = LatestMutants(rawValue: 1 << 18)
}
