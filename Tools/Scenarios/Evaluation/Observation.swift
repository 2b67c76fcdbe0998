package import CommandLine
import WatchProtoCore

/// Something that was seen on a stage, in real or in virtual time. The evaluator knows nothing
/// else.
package struct Observation: Hashable, Sendable {
    /// Since the begin of the scenario.
    package var at: Duration
    /// The observation.
    package var what: What

    /// Makes an observation.
    package init(_ at: Duration, _ what: What) {
        self.at = at
        self.what = what
    }

    /// An event that can be observed.
    package enum What: Hashable, Sendable {
        /// The watch confirmed a tap: it holds it.
        case tapped(String, medication: Int)
        /// The phone counted the tap, or met it again.
        case counted(String)
        /// The phone edited a medication, or removed it (revision nil).
        case changed(Int, revision: UInt64?)
        /// The watch shows a medication in this revision, or does not show it any more (nil).
        case visible(Int, revision: UInt64?)
        /// The phone gave the face this text.
        case faceSet(String)
        /// The face shows it.
        case faceShown(String)
        /// A device tells its user whether it can reach the other.
        case reachable(Device, Bool)
        /// A device tells what the other turned out to be.
        case told(Device, String)
        /// A device runs, or does not run any more.
        case running(Device, Bool)
        /// A device had an error to tell.
        case trouble(Device, String)
    }
}

/// How things stood in the end.
package struct ScenarioEnding: Hashable, Sendable {
    /// A list of medications: how many, and a fingerprint.
    package struct List: Hashable, Sendable {
        /// How many there are.
        package var count: Int
        /// Equal lists have equal ones.
        package var digest: String

        /// Makes it.
        package init(count: Int, digest: String) {
            self.count = count
            self.digest = digest
        }
    }

    /// When it was looked at, since the begin of the scenario.
    package var at: Duration = .zero
    /// How often the phone counts each tap.
    package var counted: [String: Int] = [:]
    /// The list that the phone wants on the watch.
    package var phoneList = List(count: 0, digest: "")
    /// The list that the watch holds.
    package var watchList = List(count: 0, digest: "")
    /// How many records each device has under way.
    package var underWay: [Device: Int] = [:]

    /// Makes one in which nothing was seen.
    package init() {}
}

/// All that a stage has to tell.
package struct ScenarioRecord: Sendable {
    /// The observation, in the order of time.
    package var observations: [Observation] = []
    /// How things stood in the end.
    package var ending = ScenarioEnding()
    /// Sentences about the run for its reader.
    package var notes: [String] = []
    /// How long it took on the stage's clock, from the first start on.
    package var duration: Duration = .zero
    /// How the processes say that they were built: `release`, `debug`, both where they differ, or
    /// `unknown`; nil on a stage without processes.
    package var build: String?

    /// Makes an empty record.
    package init() {}
}

/// Where a scenario is performed.
package protocol ScenarioStage {
    /// Performs the steps of a plan, and looks on.
    ///
    /// - Throws: what kept it from its end.
    func perform(_ plan: ScenarioPlan) throws(RigFailure) -> ScenarioRecord
}
