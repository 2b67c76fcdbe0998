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

    @Test func offsets_are_recent_within_their_minute_alone() {
        var log = ZoneLog()
        #expect(log.recent(at: at(0)) == nil)
        let offsets = log.offsets(at: at(5), ZoneTimeline(home))
        #expect(log.recent(at: at(5)) == offsets)
        #expect(log.recent(at: at(6)) == nil && log.recent(at: at(4)) == nil)
    }

    @Test func `FT-26: a journey outlives the process`() throws {
        var log = ZoneLog()
        _ = log.offsets(at: at(0), ZoneTimeline(home))
        let (first, second) = (log.takeNews(), log.takeNews())
        #expect(first != nil && second == nil, "it is written once")
        let travelled = log.offsets(at: at(600), ZoneTimeline(away))
        let news = log.takeNews()
        var next = try ZoneLog(#require(news))
        let again = next.takeNews()
        #expect(again == nil)
        #expect(next.offsets(at: at(700), ZoneTimeline(away)) == travelled)
        // A file that lost its content gets it again.
        next.forgetWritten()
        let anew = next.takeNews()
        var read = try ZoneLog(#require(anew))
        let none = read.takeNews()
        #expect(none == nil)
        // Without a change it is written once a day, so that its last look is not too old.
        _ = read.offsets(at: at(700 + 1440), ZoneTimeline(away))
        let daily = read.takeNews()
        #expect(daily != nil)
    }

    @Test func a_damaged_log_of_zones_is_refused() throws {
        var log = ZoneLog()
        _ = log.offsets(at: at(0), ZoneTimeline(home, [.init(at: at(60), away)]))
        let news = log.takeNews()
        let bytes = try #require(news)
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) { try ZoneLog(Array(bytes.prefix(count))) }
        }
        #expect(throws: WireError.self) { try ZoneLog(bytes + [0]) }
        #expect(throws: WireError.self) { try ZoneLog([2] + bytes.dropFirst()) }
        // An offset of more than 18 hours.
        #expect(throws: WireError.self) { try ZoneLog([1, 0, 0, 0, 0, 0xFF, 0x7F, 0]) }
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

    @Test func `FT-27: daylight saving that began days ago began before today`() {
        // The device is off from six days before the change until three days after it.
        let summer = ZoneOffset(clamping: 120)
        let rules = ZoneTimeline(home, [.init(at: at(60), summer)])
        func around(_ now: WallMinute) -> ZoneTimeline {
            ZoneTimeline(around: now) { rules.offset(at: $0) }
        }
        var log = ZoneLog()
        let before = at(60 - 6 * 1440)
        _ = log.offsets(at: before, around(before))
        let now = at(60 + 3 * 1440)
        let found = log.offsets(at: now, around(now))
        for minutes in [0, 1, 600, 2 * 1440] {
            #expect(found.offset(at: at(60 + 3 * 1440 - minutes)) == summer, "\(minutes)")
        }
        // A journey is no daylight saving: a dose that is due does not become upcoming again.
        var traveller = ZoneLog()
        _ = traveller.offsets(at: before, ZoneTimeline(home))
        let travelled = traveller.offsets(at: now, ZoneTimeline(away))
        #expect(travelled.offset(at: at(59 + 3 * 1440)) == home)
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
