import WatchProtoCore
import WatchProtoRecords

/// Milliseconds since the life began.
typealias LifeMoment = Int64

/// The calendar of a life: its first date, the change of daylight saving, and the journeys.
struct LifeZones {
    static let minute: LifeMoment = 60_000
    static let day: LifeMoment = 86_400_000

    /// The first date, in days since 2020-01-01; the life begins at 0:00 UTC.
    let firstDay: Int
    /// The minute at which the offset of home changes.
    private let change: WallMinute
    private let before: ZoneOffset
    private let after: ZoneOffset
    private let away: ZoneOffset
    /// The times from one landing abroad to the landing at home.
    let journeys: [Range<LifeMoment>]
    /// The times in the air, without a link.
    let airTimes: [Range<LifeMoment>]

    init(_ options: LifeOptions, _ random: inout SeededGenerator) {
        // Sunday 2026-10-25 and Sunday 2027-03-28, at 1:00 UTC.
        let isSpring = random.chance(0.5)
        let sunday = isSpring ? 2643 : 2489
        firstDay = sunday - Int(random.uniform(in: 1...6))
        change = WallMinute(minutes: Int32(sunday * 1440 + 60))
        let (winter, summer) = (options.zone, options.zone + 60)
        before = ZoneOffset(clamping: isSpring ? winter : summer)
        after = ZoneOffset(clamping: isSpring ? summer : winter)
        let places = [-480, -300, 330, 540]
        away = ZoneOffset(clamping: places[Int(random.uniform(in: 0...3))])
        let hours = LifeMoment(random.uniform(in: 6...11))
        let start =
            LifeMoment(random.uniform(in: 9...13)) * Self.day
            + LifeMoment(random.uniform(in: 360...1200)) * Self.minute
        let stay = LifeMoment(random.uniform(in: 5...9)) * Self.day
        let length = hours * 60 * Self.minute
        let (out, back) = (start + length, start + length + stay)
        airTimes = [start..<out, back..<back + length]
        journeys = [out..<back + length]
    }

    /// The true minute of a moment.
    func minute(at moment: LifeMoment) -> WallMinute {
        WallMinute(minutes: Int32(clamping: Int64(firstDay) * 1440 + moment / Self.minute))
    }

    /// The true time of a moment, shifted by minutes.
    func wall(at moment: LifeMoment, ahead minutes: Int = 0) -> WallTime {
        let start = RecordBase.milliseconds + Int64(firstDay) * Self.day
        return WallTime(milliseconds: start + moment + Int64(minutes) * Self.minute)
    }

    /// Whether the wearer is in the other zone.
    func isAway(at moment: LifeMoment) -> Bool {
        journeys.contains { $0.contains(moment) }
    }

    /// The offset at a minute by the rules of the place where the wearer is at `moment`.
    func offset(of minute: WallMinute, at moment: LifeMoment) -> ZoneOffset {
        if isAway(at: moment) { return away }
        return minute < change ? before : after
    }

    /// The moment of a minute of the local day `number`, counted from the first.
    func moment(_ number: Int, _ minute: Int) -> LifeMoment {
        let noon = LifeMoment(number) * Self.day + 720 * Self.minute
        let offset = self.offset(of: self.minute(at: noon), at: noon)
        let local = LifeMoment(number * 1440 + minute - Int(offset.minutes))
        return max(0, local * Self.minute)
    }

    /// The day of the week of a day of the life, 0 for Monday.
    func weekday(_ number: Int) -> Int { (firstDay + number + 2) % 7 }
}
