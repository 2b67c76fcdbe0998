/// The limits of a platform's pushes to complications. A platform is a row.
package struct ComplicationProfile: Hashable, Sendable {
    /// Pushes in any 24 hours.
    package var perDay: Int
    /// Pushes in any hour.
    package var perHour: Int
    /// The least time between two pushes.
    package var spacing: Duration
    /// The least time between two pushes that are not urgent. Advice: an urgent one ignores it.
    package var routineSpacing: Duration

    /// WatchConnectivity: 50 a day; further ones go as user information, which wakes nobody.
    package static let watchConnectivity = ComplicationProfile(perDay: 50)
    /// WatchConnectivity while the face in use does not show the complication: none.
    package static let watchConnectivityInactive = ComplicationProfile(perDay: 0)
    /// WidgetKit: 40 to 70 reloads a day, of which 40 are sure; entries are 5 minutes apart.
    package static let widgetKit = ComplicationProfile(perDay: 40, spacing: .seconds(300))
    /// ClockKit: 4 refreshes an hour, and the 50 transfers a day that bring their content.
    package static let clockKit = ComplicationProfile(perDay: 50, perHour: 4)
    /// Wear: a tile's or complication's period of 5 minutes is advice, and there is no count.
    package static let wear = ComplicationProfile(perDay: 50, routineSpacing: .seconds(300))

    /// Without other limits: the spacing that brings the last of a burst within 500 ms.
    package init(
        perDay: Int, perHour: Int = .max, spacing: Duration = .milliseconds(500),
        routineSpacing: Duration = .zero
    ) {
        self.perDay = max(0, perDay)
        self.perHour = max(0, perHour)
        self.spacing = max(.zero, spacing)
        self.routineSpacing = max(.zero, routineSpacing)
    }
}
