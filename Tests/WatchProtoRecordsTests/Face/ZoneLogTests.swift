import Testing
import WatchProtoCore
import WatchProtoRecords

/// The offsets that a device has seen.
@Suite struct ZoneLogTests {
    private let home = ZoneOffset(clamping: 60)
    private let away = ZoneOffset(clamping: -300)

    private func at(_ minute: Int) -> WallMinute { Faces.minute(minute) }

    @Test func `FT-26: a journey is known for days, and then forgotten`() {
        var log = ZoneLog()
        #expect(log.offsets(at: at(0), ZoneTimeline(home)) == ZoneTimeline(home))
        let travelled = ZoneTimeline(home, [.init(at: at(600), away)])
        #expect(log.offsets(at: at(600), ZoneTimeline(away)) == travelled)
        #expect(log.offsets(at: at(700), ZoneTimeline(away)) == travelled)
        #expect(log.offsets(at: at(600 + ZoneLog.memory), ZoneTimeline(away)) == travelled)
        #expect(log.offsets(at: at(601 + ZoneLog.memory), ZoneTimeline(away)) == ZoneTimeline(away))
    }

    @Test func `FT-27: daylight saving passes at its minute, whenever the device looks`() {
        let rules = ZoneTimeline(home, [.init(at: at(60), ZoneOffset(clamping: 120))])
        var log = ZoneLog()
        for minute in [0, 300, 900] { #expect(log.offsets(at: at(minute), rules) == rules) }
        // A device that did not know of it, because it slept for a week.
        var late = ZoneLog()
        _ = late.offsets(at: at(-20), ZoneTimeline(home))
        #expect(late.offsets(at: at(300), rules) == rules)
    }

    @Test func `FT-28: a clock set back forgets journeys that are to come`() {
        var log = ZoneLog()
        _ = log.offsets(at: at(0), ZoneTimeline(home))
        _ = log.offsets(at: at(600), ZoneTimeline(away))
        let back = log.offsets(at: at(300), ZoneTimeline(away))
        #expect(back == ZoneTimeline(home, [.init(at: at(300), away)]))
    }

    @Test func `FT-29: the rules of a zone give the minutes of its changes`() {
        let rules = ZoneTimeline(
            home, [.init(at: at(77), away), .init(at: at(2000), home)])
        #expect(ZoneTimeline(around: at(0)) { rules.offset(at: $0) } == rules)
        #expect(ZoneTimeline(around: at(-9000)) { rules.offset(at: $0) } == ZoneTimeline(home))
    }
}
