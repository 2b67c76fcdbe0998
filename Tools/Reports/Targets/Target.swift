/// One line of the product's targets: what is measured and what it should be.
package struct Target: Hashable, Sendable {
    /// Which of the two tables it stands in.
    package enum Group: String, Sendable, CaseIterable {
        /// The traffic over the link, and the watch's resources for it.
        case watchLink = "Watch link"
        /// The work of phone and watch by themselves.
        case internals = "Phone and watch internals"
    }

    /// Which device the number is measured on; the raw value is its word in tables and files.
    package enum Device: String, Sendable, CaseIterable {
        /// In the phone's process.
        case phone
        /// In the watch's process.
        case watch
        /// From a moment on one device to a moment on the other, or counted on both.
        case both
        /// On the wire between the two.
        case link
        /// By the same library in the rig's own process: no device takes part.
        case host
    }

    /// The unit of its numbers.
    package enum Unit: String, Sendable {
        /// Nanoseconds; people see milliseconds.
        case nanoseconds = "ns"
        /// Bytes, shown as they are.
        case bytes = "B"
        /// Bytes, shown in MB of 1,000,000.
        case megabytes = "B (MB)"
        /// Per cent.
        case percent = "%"
        /// Operations a second.
        case perSecond = "/s"
        /// A plain number.
        case count = ""
    }

    /// When a number is good; the raw value is its word in files.
    package enum Sense: String, Sendable {
        /// At the bound or below.
        case atMost = "<"
        /// At the bound or above.
        case atLeast = ">="
        /// The bound and nothing else.
        case exactly = "="

        /// As people read it. Files of version 1 say `<` of what is at most, as they always did.
        var sign: String { self == .atMost ? "<=" : rawValue }
    }

    /// Which number stands for many samples.
    package enum Statistic: Hashable, Sendable {
        /// This percentile; needs its 10/(1−p) samples.
        case percentile(Percentile)
        /// The worst of at least so many samples.
        case worst(ofAtLeast: UInt64)
        /// The mean of at least so many samples.
        case mean(ofAtLeast: UInt64)
        /// One number for a job of at least so many items: a list of 50 says nothing when it was
        /// one of three.
        case job(ofAtLeast: UInt64)
        /// One number for the whole run.
        case total
    }

    /// A stable name for files: `sync.one-change`.
    package let id: String
    /// The report's name of it.
    package let title: String
    /// The table it stands in.
    package let group: Group
    /// The device it is measured on.
    package let device: Device
    /// The unit of goal, limit and measurement.
    package let unit: Unit
    /// When a number is good.
    package let sense: Sense
    /// The goal, in units; nil where the number is only to be known.
    package let goal: Double?
    /// The hard limit, in units; nil where the goal is the limit.
    package let limit: Double?
    /// Which number stands for many samples.
    package let statistic: Statistic
    /// Whether the target speaks of durable records.
    package let asksForDurable: Bool
    /// Whether anything measures it yet.
    package let isBuilt: Bool
    /// Whether a number beyond the goal counts as met where chance explains it.
    package var bearsNoise = false

    /// How many samples the statistic needs.
    package var samplesNeeded: UInt64 {
        switch statistic {
        case .percentile(let percentile): percentile.samplesNeeded
        case .worst(let count), .mean(let count), .job(let count): count
        case .total: 1
        }
    }

    /// The title with its statistic: `message delivery p99`.
    package var heading: String {
        switch statistic {
        case .percentile(let percentile): "\(title) \(percentile.name)"
        case .worst(let count) where count > 1: "\(title), worst"
        default: title
        }
    }
}

extension Target {
    /// A row for what is not in the product's table: one number, to be small.
    package static func ratio(_ id: String, _ title: String, atMost goal: Double?) -> Target {
        number(id, title, .count, goal: goal, built: true)
    }

    /// A row for something that a run of one's own expects, in units; nil where the number is only
    /// to be known.
    package static func expectation(
        _ id: String, _ title: String, _ unit: Unit, _ sense: Sense, on device: Device = .both,
        goal: Double?, limit: Double? = nil, _ statistic: Statistic = .total
    ) -> Target {
        number(id, title, unit, sense, on: device, goal: goal, limit: limit, statistic, built: true)
    }

    /// A row for a time, in milliseconds.
    static func time(
        _ id: String, _ title: String, _ group: Group = .watchLink, on device: Device = .both,
        goal: Double?, limit: Double? = nil, _ statistic: Statistic, durable: Bool = false,
        built: Bool = false
    ) -> Target {
        Target(
            id: id, title: title, group: group, device: device, unit: .nanoseconds, sense: .atMost,
            goal: goal.map { $0 * 1e6 }, limit: limit.map { $0 * 1e6 }, statistic: statistic,
            asksForDurable: durable, isBuilt: built)
    }

    /// A row for any other number, in units.
    static func number(
        _ id: String, _ title: String, _ unit: Unit, _ sense: Sense = .atMost,
        group: Group = .watchLink, on device: Device = .both, goal: Double?,
        limit: Double? = nil, _ statistic: Statistic = .total, built: Bool = false
    ) -> Target {
        Target(
            id: id, title: title, group: group, device: device, unit: unit, sense: sense,
            goal: goal, limit: limit, statistic: statistic, asksForDurable: false, isBuilt: built)
    }
}
