import Testing

@testable import WatchProtoCore

/// Links on which a round trip takes longer than anybody knows of them, and links that were dead.
@Suite("slow links") struct SlowLinkTests {
    /// The first time-out of a side is that of a link that was fast before, or of one that nobody
    /// knows. Shows C-46.
    @Test(
        "a session opens, however slow the link has become",
        arguments: [(20, 20), (500, 500), (20, 500)],
        [50, 200, 500, 1_000, 2_000, 3_000, 4_000])
    func opens(firstMilliseconds: (Int64, Int64), oneWayMilliseconds: Int64) throws {
        for (loss, watchOpens) in [(0, false), (0, true), (0.3, false), (0.3, true)] {
            for seed in UInt64(1)...3 {
                var pair = toyPair(seed: seed)
                pair.delay = .milliseconds(oneWayMilliseconds)
                pair.loss = loss
                pair.watchInitiates = .atOnce
                pair.watchKnowsAddress = watchOpens
                pair.sides[0].connection.firstTimeout = .milliseconds(firstMilliseconds.0)
                pair.sides[1].connection.firstTimeout = .milliseconds(firstMilliseconds.1)
                pair.start()
                pair.open(within: .seconds(120))
                let took = try #require(pair.took)
                // Of 14 ways, some are those of attempts that failed.
                let usual = Duration.seconds(4) + pair.delay * 14
                #expect(took <= (loss > 0 ? .seconds(90) : usual), "\(took), \(watchOpens)")
                let messages = pair.capture.count { $0.bytes[0] == PacketKind.initiation.rawValue }
                let isFast = min(firstMilliseconds.0, firstMilliseconds.1) == 20
                #expect(messages <= (isFast ? 160 : 30), "\(watchOpens)")
                #expect(pair.isJoined)
                #expect(pair.sides.allSatisfy { $0.connection.failedAttempts == 0 })
            }
        }
    }

    /// The attempts of a dead time have made both sides patient. Shows C-16, C-46.
    @Test("a link that comes back has a session at once", arguments: [1, 5, 13, 25, 60, 600])
    func comesBack(deadSeconds: Int64) throws {
        for (muted, seed) in [(DeviceRole?.none, UInt64(1)), (.phone, 2), (.watch, 3)] {
            var pair = toyPair(seed: seed)
            pair.watchInitiates = .atOnce
            pair.watchKnowsAddress = true
            for index in 0...1 { pair.sides[index].connection.firstTimeout = .milliseconds(20) }
            pair.isCut = true
            pair.start()
            pair.run(for: .seconds(deadSeconds))
            (pair.isCut, pair.muted) = (false, muted)
            pair.run(for: .milliseconds(2_500))
            pair.muted = nil
            pair.open(within: .seconds(70))
            let took = try #require(pair.took)
            // After a long time the carrier may be closed for the moment.
            let longest = Duration.seconds(deadSeconds > 60 ? 10 : 2)
            #expect(took <= longest, "\(took), \(String(describing: muted))")
        }
    }
}

extension TestPair {
    /// Runs until both sides have the same session, and sends as a peer does: at once as an
    /// initiator, and twice a second.
    fileprivate mutating func open(within limit: Duration) {
        let begin = now
        var told: [Ticket?] = [nil, nil]
        while !isJoined {
            let next = now.advanced(by: .milliseconds(500))
            while step(until: next) {
                for role in DeviceRole.allCases {
                    let side = sides[Int(role.rawValue)]
                    guard side.connection.phase == .established,
                        side.current?.ticket != told[Int(role.rawValue)]
                    else { continue }
                    told[Int(role.rawValue)] = side.current?.ticket
                    send(role)
                }
            }
            guard begin.duration(to: now) < limit else { return }
            for role in DeviceRole.allCases { send(role) }
        }
        took = begin.duration(to: now)
        for _ in 0..<8 {
            for role in DeviceRole.allCases { send(role) }
            run(for: delay)
        }
    }
}
