import Testing

@testable import WatchProtoCore

/// A peer whose application is in the background, and comes back.
@Suite struct PeerPhaseTests {
    @Test("A peer that comes to the foreground wants its link at once")
    func reopening() {
        let pair = PeerPair.connected()
        pair.isLinkPossible = false
        pair.input(pair.phone) { $0.setForeground(false, at: $1) }
        pair.cutLink()
        var wanted: Int {
            pair.phone.events.count { event in
                if case .linkWanted = event { true } else { false }
            }
        }
        for _ in 0..<8 {
            pair.run(for: .seconds(300))
            pair.input(pair.phone) {
                $0.linkDown(CarrierFailure(call: "connect", errorNumber: 0), at: $1)
            }
        }
        let before = wanted
        // In the foreground the wait would be 12.8 s at most.
        pair.run(for: .seconds(30))
        #expect(before >= 8 && wanted == before)
        pair.input(pair.phone) { $0.setForeground(true, at: $1) }
        #expect(wanted == before + 1)
    }
}

/// The wall clock of a peer at the ends of its range.
struct PeerTimeTests {
    @Test("Times far from the clock are clamped")
    func clamps() {
        let ends: [Int64] = [.min, -1, 0, .max]
        for clock in ends {
            var time = PeerTime(
                now: Instant(nanoseconds: 0),
                clock: WallClock(time: WallTime(milliseconds: clock), zoneOffsetMinutes: 0))
            for end in ends {
                let moment = time.instant(of: WallTime(milliseconds: end))
                #expect(moment == Instant(nanoseconds: 0) || end > clock)
            }
            time.now = Instant(nanoseconds: 5_000_000)
            #expect(time.wall.milliseconds == (clock == .max ? .max : clock + 5))
            _ = time.codingReference
        }
    }
}
