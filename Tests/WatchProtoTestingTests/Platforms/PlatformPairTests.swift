import Locks
import Testing
import WatchProto
import WatchProtoTesting

/// The calls of each platform: its limits, and each fault alone.
@Suite(.timeLimit(.minutes(1))) struct PlatformPairTests {
    /// The transfers that arrive at a device, and the outcomes at the other.
    private final class Log: Sendable {
        let arrived = Mutex<[[UInt8]]>([])
        let outcomes = Mutex<[String]>([])

        var all: [[UInt8]] { arrived.withLock { $0 } }
        var ends: [String] { outcomes.withLock { $0 } }

        func listen(at role: DeviceRole, of pair: PlatformPair) {
            pair.onReceive(at: role) { [weak self] _, bytes in
                self?.arrived.withLock { $0.append(bytes) }
                return [1]
            }
        }

        func send(
            _ bytes: [UInt8], as channel: Channel, from role: DeviceRole, on pair: PlatformPair
        ) throws {
            try pair.send(
                bytes, as: channel, from: role,
                reply: { [weak self] _ in self?.outcomes.withLock { $0.append("reply") } },
                error: { [weak self] text in self?.outcomes.withLock { $0.append(text) } })
        }
    }

    private static func pair(
        _ profile: PlatformProfile, seed: UInt64 = 0
    ) -> (PlatformPair, Log) {
        let (pair, log) = (PlatformPair(profile, seed: seed), Log())
        log.listen(at: .watch, of: pair)
        return (pair, log)
    }

    @Test(arguments: [
        (PlatformProfile.wcsession, Channel.interactive, "message-bytes", 65_536),
        (.wcsession, .background, "user-info-bytes", 65_536),
        (.wcsession, .context, "state-bytes", 262_144),
        (.wear, .interactive, "message-bytes", 102_400),
        (.wear, .context, "state-bytes", 102_400),
        (.pebble, .interactive, "inbox-bytes", 124),
    ])
    func a_limit_holds_and_can_be_switched_off(
        _ profile: PlatformProfile, _ channel: Channel, _ trait: String, _ limit: Int
    ) throws {
        let (pair, log) = Self.pair(profile)
        try pair.send([UInt8](repeating: 1, count: limit), as: channel, from: .phone)
        let larger = [UInt8](repeating: 2, count: limit + 1)
        #expect(throws: SendRefusal.tooLarge(bytes: limit + 1, limit: limit)) {
            try pair.send(larger, as: channel, from: .phone)
        }
        pair.run(for: .seconds(1_801))
        pair.profile = try profile.with(trait, 0)
        try pair.send(larger, as: channel, from: .phone)
        pair.run(for: .seconds(1_801))
        #expect(log.all.map(\.count) == [limit, limit + 1])
    }

    @Test func a_pebble_sends_one_message_at_a_time_of_636_bytes() throws {
        let pair = PlatformPair(.pebble)
        let log = Log()
        log.listen(at: .phone, of: pair)
        try log.send([UInt8](repeating: 1, count: 636), as: .interactive, from: .watch, on: pair)
        #expect(throws: SendRefusal.queueFull(records: 1)) {
            try pair.send([1], as: .interactive, from: .watch)
        }
        pair.run(for: .seconds(1))
        #expect(log.ends == ["reply"])
        pair.restart(.phone)
        // Nobody answers any more.
        try log.send([2], as: .interactive, from: .watch, on: pair)
        pair.run(for: .milliseconds(9_999))
        #expect(log.ends == ["reply"])
        pair.run(for: .milliseconds(2))
        #expect(log.ends == ["reply", "no answer came"])
        #expect(throws: SendRefusal.tooLarge(bytes: 637, limit: 636)) {
            try pair.send([UInt8](repeating: 1, count: 637), as: .interactive, from: .watch)
        }
    }

    @Test func fifty_complications_a_day_are_urgent_and_none_off_the_face() throws {
        let slow = try PlatformProfile.wcsession.with("user-info-seconds", 3_600)
        let (pair, log) = Self.pair(slow)
        for number in 0..<60 {
            try pair.send([UInt8(number)], as: .complication, from: .phone)
            pair.run(for: .seconds(1))
        }
        #expect(log.all == (0..<50).map { [$0] })
        #expect(pair.remainingComplicationTransfers(of: .phone) == 0)
        #expect(pair.outstandingTransfers(of: .phone) == 10)
        pair.run(for: .seconds(86_400))
        #expect(log.all.count == 60 && pair.remainingComplicationTransfers(of: .phone) == 50)
        pair.profile = try slow.with("off-face")
        #expect(pair.remainingComplicationTransfers(of: .phone) == 0)
    }

    @Test func the_newest_state_is_late_by_the_seed() throws {
        func moments(_ seed: UInt64) throws -> [Int] {
            let (pair, log) = Self.pair(.wear, seed: seed)
            var moments: [Int] = []
            for number in 0..<5 {
                try pair.send([UInt8(number)], as: .context, from: .phone)
                var seconds = 0
                while log.all.count == number, seconds < 2_000 {
                    pair.run(for: .seconds(1))
                    seconds += 1
                }
                moments.append(seconds)
            }
            return moments
        }
        let one = try moments(1)
        #expect(try one == moments(1) && one != moments(2))
        #expect(one.allSatisfy { $0 <= 1_801 } && one.contains { $0 > 60 })
    }

    @Test func a_newer_state_replaces_one_that_waits_and_an_equal_one_can_be_skipped() throws {
        let (pair, log) = Self.pair(try .wcsession.with("equal-state-skipped"))
        pair.isConnected = false
        try pair.send([1], as: .context, from: .phone)
        try pair.send([2], as: .context, from: .phone)
        pair.isConnected = true
        pair.run(for: .seconds(1))
        try pair.send([2], as: .context, from: .phone)
        pair.run(for: .seconds(1))
        #expect(log.all == [[2]])
    }

    @Test func a_state_that_meets_an_interruption_arrives_when_the_link_is_back() throws {
        // Interrupted from 5 s to 6 s, and from 11 s to 12 s.
        let (pair, log) = Self.pair(try .wcsession.with("flap-seconds", 5))
        pair.run(for: .milliseconds(5_500))
        try pair.send([1], as: .context, from: .phone)
        pair.run(for: .milliseconds(490))
        #expect(log.all.isEmpty && pair.outstandingTransfers(of: .phone) == 1)
        pair.run(for: .seconds(1))
        #expect(log.all == [[1]])
        // This one leaves before the interruption, which it meets under way.
        pair.run(for: .milliseconds(3_980))
        try pair.send([2], as: .context, from: .phone)
        pair.run(for: .seconds(1))
        #expect(log.all == [[1]])
        pair.run(for: .seconds(1))
        #expect(log.all == [[1], [2]] && pair.outstandingTransfers(of: .phone) == 0)
    }

    @Test func a_state_keeps_its_delay_over_a_restart_and_another_profile() throws {
        func seconds(_ disturb: (PlatformPair, Log) throws -> Void) throws -> Int {
            let (pair, log) = Self.pair(.wear, seed: 1)
            try pair.send([1], as: .context, from: .phone)
            pair.run(for: .seconds(10))
            try disturb(pair, log)
            var seconds = 10
            while log.all.isEmpty, seconds < 2_000 {
                pair.run(for: .seconds(1))
                seconds += 1
            }
            return seconds
        }
        let undisturbed = try seconds { _, _ in }
        #expect(undisturbed > 60 && undisturbed <= 1_801)
        let withProfile = try seconds { pair, _ in pair.profile = .wear }
        let withPhone = try seconds { pair, _ in pair.restart(.phone) }
        let withWatch = try seconds { pair, log in
            pair.restart(.watch)
            log.listen(at: .watch, of: pair)
        }
        #expect(withProfile == undisturbed)
        #expect(withPhone == undisturbed)
        #expect(withWatch == undisturbed)
    }

    @Test func reachability_flaps_and_a_message_is_refused_meanwhile() throws {
        let (pair, _) = Self.pair(try .wear.with("flap-seconds", 5))
        var seen: [Bool] = []
        for _ in 0..<12 {
            seen.append(pair.isReachable)
            pair.run(for: .seconds(1))
        }
        #expect(seen == [true, true, true, true, true, false, true, true, true, true, true, false])
        pair.run(for: .seconds(5))
        #expect(throws: SendRefusal.notReachable) {
            try pair.send([1], as: .interactive, from: .phone)
        }
    }

    @Test func a_switch_of_the_watch_cancels_messages_and_not_user_info() throws {
        let (pair, log) = Self.pair(try .wcsession.with("watch-switch-seconds", 60))
        pair.run(for: .milliseconds(59_920))
        try log.send([1], as: .interactive, from: .phone, on: pair)
        pair.run(for: .seconds(1))
        #expect(log.all == [[1]])
        #expect(log.ends == ["cancelled: another watch is active"])
        try log.send([2], as: .background, from: .phone, on: pair)
        pair.run(for: .seconds(15))
        #expect(log.all == [[1], [2]])
    }

    @Test func user_info_is_kept_in_order_and_wear_has_none() throws {
        let (pair, log) = Self.pair(.wcsession)
        pair.isConnected = false
        for number in UInt8(0)..<3 {
            try log.send([number], as: .background, from: .phone, on: pair)
        }
        pair.restart(.phone)
        pair.run(for: .seconds(3_600))
        #expect(pair.outstandingTransfers(of: .phone) == 3)
        pair.isConnected = true
        pair.run(for: .seconds(1))
        #expect(log.all == [[0], [1], [2]] && log.ends == ["reply", "reply", "reply"])
        let wear = PlatformPair(.wear)
        wear.isConnected = false
        #expect(throws: SendRefusal.notReachable) {
            try wear.send([1], as: .background, from: .phone)
        }
    }

    @Test func a_stuck_transfer_leaves_behind_the_next_one() throws {
        let (pair, log) = Self.pair(try .wcsession.with("queue-stuck-until-next"))
        try pair.send([1], as: .background, from: .phone)
        pair.run(for: .seconds(3_600))
        #expect(log.all.isEmpty)
        try pair.send([2], as: .background, from: .phone)
        pair.run(for: .seconds(3_600))
        #expect(log.all == [[1]] && pair.outstandingTransfers(of: .phone) == 1)
    }

    @Test func user_info_can_arrive_twice_and_be_cancelled() throws {
        let (pair, log) = Self.pair(try .wcsession.with("user-info-copies"))
        try log.send([1], as: .background, from: .phone, on: pair)
        pair.run(for: .seconds(1))
        #expect(log.all == [[1], [1]] && log.ends == ["reply"])
        pair.isConnected = false
        try log.send([2], as: .background, from: .phone, on: pair)
        #expect(pair.outstandingTransfers(of: .phone) == 1)
        pair.cancelTransfers(of: .phone)
        pair.isConnected = true
        pair.run(for: .seconds(1))
        #expect(log.all == [[1], [1]] && log.ends == ["reply", "cancelled"])
        #expect(pair.outstandingTransfers(of: .phone) == 0)
    }

    @Test func a_watch_asleep_gets_user_info_and_is_not_reachable() throws {
        let (pair, log) = Self.pair(try .wcsession.with("watch-asleep"))
        #expect(!pair.isReachable && !pair.isReachable(from: .phone))
        #expect(pair.isReachable(from: .watch))
        #expect(throws: SendRefusal.notReachable) {
            try pair.send([1], as: .interactive, from: .phone)
        }
        try pair.send([2], as: .background, from: .phone)
        pair.run(for: .seconds(1))
        #expect(log.all == [[2]])
        let phone = Log()
        phone.listen(at: .phone, of: pair)
        try phone.send([3], as: .interactive, from: .watch, on: pair)
        pair.run(for: .seconds(1))
        #expect(phone.all == [[3]] && phone.ends == ["reply"])
        pair.profile = .wcsession
        #expect(pair.isReachable)
    }

    @Test func a_message_launches_the_phones_app_and_not_the_watchs() throws {
        let (pair, log) = Self.pair(.wcsession)
        try log.send([1], as: .interactive, from: .watch, on: pair)
        pair.run(for: .seconds(1))
        #expect(log.ends.isEmpty)
        let phone = Log()
        phone.listen(at: .phone, of: pair)
        pair.run(for: .seconds(1))
        #expect(phone.all == [[1]] && log.ends == ["reply"])
        pair.restart(.watch)
        #expect(throws: SendRefusal.notReachable) {
            try pair.send([2], as: .interactive, from: .phone)
        }
        try pair.send([3], as: .background, from: .phone)
        pair.run(for: .seconds(1))
        #expect(log.all.isEmpty && pair.outstandingTransfers(of: .phone) == 1)
        log.listen(at: .watch, of: pair)
        pair.run(for: .seconds(1))
        #expect(log.all == [[3]])
    }

    @Test func a_disconnection_fails_messages_under_way() throws {
        let (pair, log) = Self.pair(.wcsession)
        try log.send([1], as: .interactive, from: .phone, on: pair)
        pair.isConnected = false
        pair.run(for: .seconds(60))
        #expect(log.all.isEmpty && log.ends == ["not reachable"])
    }

    @Test func every_trait_can_be_switched_and_another_name_is_refused() throws {
        for profile in [PlatformProfile.wcsession, .wear, .pebble] {
            #expect(profile.traits.count >= 6)
            for trait in profile.traits {
                let (on, off) = (try profile.with(trait), try profile.with(trait, 0))
                #expect(on != off, "\(profile), \(trait)")
            }
        }
        let error = #expect(throws: UnknownPlatformName.self) {
            try PlatformProfile.wear.with("state-copies")
        }
        let text = try #require(error).description
        #expect(text.hasPrefix("wear-like has no trait 'state-copies'; there are message-bytes, "))
    }
}
