import WatchProtoCore

/// The circumstances of a life, drawn before it begins: when the link is absent and why, and when
/// the wearer looks at the app or changes the list.
struct LifePlan {
    /// A change of the medication list, made on the phone.
    enum Edit: Hashable {
        case time
        case strength
        case note
    }

    let zones: LifeZones
    private(set) var phoneDead: [Range<LifeMoment>] = []
    private(set) var phoneAway: [Range<LifeMoment>] = []
    private(set) var watchOff: [Range<LifeMoment>] = []
    private(set) var otherGaps: [Range<LifeMoment>] = []
    private(set) var glances: [Range<LifeMoment>] = []
    private(set) var edits: [(at: LifeMoment, edit: Edit)] = []
    /// Updates of an app's own content, which no record accompanies.
    private(set) var notices: [LifeMoment] = []

    init(_ options: LifeOptions, _ random: inout SeededGenerator) {
        zones = LifeZones(options, &random)
        otherGaps = zones.airTimes
        // One day on which somebody enters the list anew, with a restart of the phone amid it. It
        // would be the median of one or two days.
        let drawn = Int(random.uniform(in: 0...UInt64(options.days - 1)))
        let busy = options.days > 2 ? drawn : -1
        for number in 0..<options.days {
            addNight(number, &random)
            addWork(number, &random)
            addPhone(number, isBusy: number == busy, &random)
            addChanges(number, isBusy: number == busy, &random)
        }
    }

    private func range(
        _ number: Int, _ first: ClosedRange<UInt64>, _ length: ClosedRange<UInt64>,
        _ random: inout SeededGenerator
    ) -> Range<LifeMoment> {
        let start = zones.moment(number, Int(random.uniform(in: first)))
        return start..<start + LifeMoment(random.uniform(in: length)) * LifeZones.minute
    }

    private mutating func addNight(_ number: Int, _ random: inout SeededGenerator) {
        // The watch charges off the wrist in some nights; the phone lies beside it in the others.
        if random.chance(0.2) {
            watchOff.append(range(number, 1350...1410, 360...480, &random))
        } else if random.chance(0.15) {
            // A low battery: the watch switches its radio off.
            otherGaps.append(range(number, 1200...1290, 60...180, &random))
        }
    }

    private mutating func addWork(_ number: Int, _ random: inout SeededGenerator) {
        let weekday = zones.weekday(number)
        if weekday < 5 {
            for _ in 0..<random.uniform(in: 2...5) {
                otherGaps.append(range(number, 540...1000, 2...25, &random))
            }
        }
        if [0, 2, 4].contains(weekday), random.chance(0.8) {
            phoneAway.append(range(number, 1080...1110, 60...90, &random))
        }
    }

    private mutating func addPhone(
        _ number: Int, isBusy: Bool, _ random: inout SeededGenerator
    ) {
        // On two days of five for six hours: a tenth of the time.
        if isBusy {
            phoneDead.append(range(number, 780...790, 3...5, &random))
        } else if random.chance(0.4) {
            phoneDead.append(range(number, 600...1320, 240...480, &random))
        }
    }

    private mutating func addChanges(
        _ number: Int, isBusy: Bool, _ random: inout SeededGenerator
    ) {
        for _ in 0..<random.uniform(in: 1...4) {
            let start = zones.moment(number, Int(random.uniform(in: 430...1350)))
            glances.append(start..<start + LifeMoment(random.uniform(in: 3_000...15_000)))
        }
        for _ in 0..<random.uniform(in: 0...6) {
            notices.append(zones.moment(number, Int(random.uniform(in: 420...1380))))
        }
        if isBusy {
            for _ in 0..<random.uniform(in: 70...110) {
                let at = zones.moment(number, Int(random.uniform(in: 480...1080)))
                let within = LifeMoment(random.uniform(in: 0...59_999))
                edits.append((at + within, random.chance(0.5) ? .time : .strength))
            }
        }
        if random.chance(0.15) {
            edits.append((zones.moment(number, 1140), random.chance(0.7) ? .time : .strength))
        }
        if random.chance(0.5) { edits.append((zones.moment(number, 1145), .note)) }
    }

    /// Whether a moment lies in one of the times.
    static func isIn(_ ranges: [Range<LifeMoment>], _ moment: LifeMoment) -> Bool {
        ranges.contains { $0.contains(moment) }
    }

    /// The times without a link, merged and ascending.
    var linkDown: [Range<LifeMoment>] {
        let all = phoneDead + phoneAway + watchOff + otherGaps
        var merged: [Range<LifeMoment>] = []
        for one in all.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, one.lowerBound <= last.upperBound {
                let end = max(last.upperBound, one.upperBound)
                merged[merged.count - 1] = last.lowerBound..<end
            } else {
                merged.append(one)
            }
        }
        return merged
    }
}
