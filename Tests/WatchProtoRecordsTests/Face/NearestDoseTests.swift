import Testing
import WatchProtoCore
import WatchProtoRecords

/// The planned dose of a record that names none (S-19).
@Suite struct NearestDoseTests {
    /// The date, counted from that of the samples, and the number of the entry.
    private func planned(
        _ dosing: FaceDosing, day: Int, _ minute: Int, _ zone: ZoneTimeline = Faces.utc
    ) -> [Int]? {
        dosing.planned(at: Faces.minute(minute, day: Faces.day + day), zone).map {
            [Int($0.day) - Faces.day, Int($0.entry)]
        }
    }

    @Test func `Rule 15: half an hour after midnight, the dose of the evening is meant`() {
        let evening = Faces.dosing([1320])
        for (day, minute, wanted) in [
            (0, 1320, 0), (1, 30, 0), (1, 599, 0), (1, 600, 1), (1, 1300, 1), (2, 30, 1),
        ] {
            #expect(planned(evening, day: day, minute) == [wanted, 1320], "\(day) \(minute)")
        }
    }

    @Test func `A dose taken a while before its time is that one`() {
        let twice = Faces.dosing([480, 1320])
        for (day, minute, wanted) in [
            (0, 460, [0, 480]), (0, 899, [0, 480]), (0, 900, [0, 1320]), (0, 1300, [0, 1320]),
            (1, 179, [0, 1320]), (1, 180, [1, 480]),
        ] {
            #expect(planned(twice, day: day, minute) == wanted, "\(day) \(minute)")
        }
        // Midnight lies between the event and its dose.
        #expect(planned(Faces.dosing([10]), day: 0, 1430) == [1, 10])
    }

    @Test func `No dose is meant that is more than 12 hours away`() {
        // The date of the samples is a Thursday.
        let weekly = Faces.dosing([480]) { $0.weekdays = .monday }
        #expect(planned(weekly, day: 0, 480) == nil)
        #expect(planned(weekly, day: 3, 1199) == nil)
        #expect(planned(weekly, day: 3, 1200) == [4, 480])
        #expect(planned(weekly, day: 4, 1199) == [4, 480])
        #expect(planned(weekly, day: 4, 1200) == nil)
    }

    @Test func `A medication without doses by the clock has no planned dose`() {
        #expect(planned(Faces.dosing([480]) { $0.isAsNeeded = true }, day: 0, 480) == nil)
        #expect(planned(Faces.dosing([480]) { $0.isActive = false }, day: 0, 480) == nil)
        #expect(planned(Faces.dosing([]), day: 0, 480) == nil)
    }

    @Test func `Rule 14: on the days of a change of daylight saving, doses keep their minutes`() {
        let (winter, summer) = (ZoneOffset(clamping: 60), ZoneOffset(clamping: 120))
        let change = Faces.minute(60)
        // At 02:00 the local clock jumps to 03:00.
        let spring = ZoneTimeline(winter, [.init(at: change, summer)])
        let skipped = Faces.dosing([150])
        #expect(planned(skipped, day: -1, 794, spring) == [-1, 150])
        #expect(planned(skipped, day: -1, 795, spring) == [0, 150])
        #expect(planned(skipped, day: 0, 60, spring) == [0, 150])
        // From 22:00 in winter to 22:00 in summer it is 23 hours.
        let evening = Faces.dosing([1320])
        #expect(planned(evening, day: 0, 509, spring) == [-1, 1320])
        #expect(planned(evening, day: 0, 510, spring) == [0, 1320])
        // At 03:00 the local clock jumps back to 02:00: from 08:00 to 08:00 it is 25 hours.
        let autumn = ZoneTimeline(summer, [.init(at: change, winter)])
        let morning = Faces.dosing([480])
        #expect(planned(morning, day: -1, 1079, autumn) == [-1, 480])
        #expect(planned(morning, day: -1, 1110, autumn) == nil)
        #expect(planned(morning, day: -1, 1140, autumn) == [0, 480])
    }

    @Test func `A dose whose date a journey skips is meant after the jump`() {
        let east = ZoneTimeline(
            .utc, [.init(at: Faces.minute(1000), ZoneOffset(clamping: 540))])
        #expect(planned(Faces.dosing([1320]), day: 0, 1010, east) == [0, 1320])
    }

    @Test func `In random zones no dose is nearer than the one that is meant`() throws {
        var samples = RecordSamples(seed: 19)
        var found = 0
        for _ in 0..<2000 {
            let zone = samples.zones()
            var minutes: [Int] = []
            for _ in 0...samples.below(3) { minutes.append(samples.below(1440)) }
            let dosing = Faces.dosing(minutes)
            let now = samples.faceMinute(-1440, 4320)
            let distances = (Faces.day - 6...Faces.day + 7).flatMap { dosing.doses(on: $0) }.map {
                abs(Int(zone.due($0).minute.minutes) - Int(now.minutes))
            }
            let nearest = try #require(distances.min())
            guard let dose = dosing.planned(at: now, zone) else {
                #expect(nearest >= DoseTiming.longest)
                continue
            }
            found += 1
            #expect(abs(Int(zone.due(dose).minute.minutes) - Int(now.minutes)) == nearest)
            #expect(nearest <= DoseTiming.longest)
        }
        #expect(found > 1000)
    }
}
