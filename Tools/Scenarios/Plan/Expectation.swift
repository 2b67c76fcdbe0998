package import Reports

/// Something that must come of a scenario.
package struct Expectation: Hashable, Sendable {
    /// The condition that must hold.
    package var what: What
    /// Where it stands in the file: the number of its entry in `expect`, from 0.
    package var entry: Int

    /// Makes an expectation.
    package init(_ what: What, entry: Int) {
        self.what = what
        self.entry = entry
    }

    /// A condition that can be expected.
    package enum What: Hashable, Sendable {
        /// Each tap that the watch confirmed is counted on the phone in the end, once; and every
        /// tap was confirmed.
        case tapsOnce
        /// In the end the watch holds the phone's list.
        case listsEqual
        /// In the end neither device has anything under way.
        case nothingUnderWay
        /// Neither device had an error to tell, and no record was refused. In virtual time no
        /// checker found anything, either.
        case noErrors
        /// All actions of a kind take effect in time.
        case within(Subject, Duration, Measure)
        /// At a moment, what the face shows was the phone's newest at most so long ago.
        case faceAge(Duration, at: Duration)
        /// At a moment, or in the end, the face shows this text.
        case face(String, at: Duration?)
        /// At a moment, a device tells its user whether it can reach the other.
        case reachable(Bool, on: Device, at: Duration)
        /// A device tells what it found the other to be, in the words of the control protocol.
        case told(String, on: Device)
    }

    /// A kind of thing that arrives.
    package enum Subject: String, Hashable, Sendable, CaseIterable {
        /// A medication edited or removed on the phone is seen on the watch.
        case changes
        /// A tap on the watch is counted on the phone.
        case taps
        /// A text for the face is shown, or a newer one.
        case faces
    }

    /// How the times of many are evaluated.
    package struct Measure: Hashable, Sendable {
        /// Which of them counts; nil for the longest.
        package var percentile: Percentile?
        /// Whether only the time since the act counts in which nothing stood in the way, rather
        /// than all of it.
        package var fromClear = false

        /// The longest time, from the act on.
        package init() {}
    }

    /// The moment that is looked at, where there is one.
    package var at: Duration? {
        switch what {
        case .faceAge(_, let at), .reachable(_, _, let at): at
        case .face(_, let at): at
        default: nil
        }
    }

    /// The words of `told`.
    package static let changes = ["first", "restarted", "went_back", "wiped", "cloned"]
}
