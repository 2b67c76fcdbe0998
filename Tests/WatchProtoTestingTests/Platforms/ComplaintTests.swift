import Testing
import WatchProto
import WatchProtoTesting

/// Complaints from the field: each shows its harm on the calls of the platform, and none on the
/// sessions of the library over the same platform.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ComplaintTests {
    @Test(arguments: [PlatformProfile.wcsession, .pebble])
    func a_dose_not_delivered_that_was_counts_twice(_ profile: PlatformProfile) async throws {
        let faulty = try profile.with("error-after-delivery")
        let plain = PlainApp(faulty)
        plain.record(1, on: .watch)
        plain.run(for: .seconds(60))
        #expect(plain.result().phoneDoses == [1, 1])
        let library = try await LibraryApp(faulty)
        let changes = library.pair.phone.doses.changes()
        // The wearer records the dose again, on either device. Another dose follows.
        for (dose, role) in [(1, DeviceRole.watch), (1, .watch), (1, .phone), (2, .watch)] {
            try await library.record(dose, on: role)
            try await library.run(for: .seconds(20))
        }
        let counted = try await library.pair.run { () async -> [DoseEvent] in
            var events: [DoseEvent] = []
            for await event in changes {
                events.append(event)
                if events.count == 2 { break }
            }
            return events
        }
        #expect(counted == [.example(1), .example(2)])
        #expect(library.pair.link.effects(of: "error-after-delivery") > 0)
        #expect(try await library.result().phoneDoses == [1, 2])
        await library.close()
    }

    @Test func a_queue_is_stuck_until_the_next_restart() async throws {
        let profile = try PlatformProfile.wcsession.with("queue-stuck-until-restart")
        let plain = PlainApp(profile)
        let library = try await LibraryApp(profile)
        for app in [plain, library] as [any PlatformApp] {
            await app.setConnected(false)
            for dose in 1...5 { try await app.record(dose, on: .phone) }
            await app.setConnected(true)
            for dose in 1...20 {
                try app.sendList([UInt8(dose)])
                try await app.run(for: .seconds(180))
            }
        }
        #expect(plain.result().watchDoses.isEmpty)
        #expect(plain.pair.outstandingTransfers(of: .phone) == 5)
        plain.restart(.phone)
        plain.run(for: .seconds(10))
        #expect(plain.result().watchDoses == [1, 2, 3, 4, 5])
        // The messages of one link were stuck, and the session opened the next one.
        #expect(library.pair.link.effects(of: "queue-stuck-until-restart") > 0)
        #expect(try await library.result().watchDoses == [1, 2, 3, 4, 5])
        #expect(try await library.result().list == [20])
        #expect(library.openedSessions >= 3)
        await library.close()
    }

    @Test func a_transfer_is_stuck_until_the_next_one() async throws {
        let results = try await onBoth(.wcsession, "queue-stuck-until-next") { app in
            await app.setConnected(false)
            try await app.record(1, on: .phone)
            await app.setConnected(true)
            try await app.run(for: .seconds(3_600))
        }
        #expect(results.platform.watchDoses.isEmpty)
        #expect(results.library.watchDoses == [1])
    }

    @Test func a_context_is_delivered_eight_times() async throws {
        let results = try await onBoth(.wcsession, "state-copies") { app in
            for list in 1...10 {
                try app.sendList([UInt8(list)])
                try await app.run(for: .seconds(1))
            }
        }
        #expect(results.platform.list == [10] && results.platform.listArrivals == 80)
        #expect(results.library.list == [10] && results.library.listArrivals == 10)
    }

    @Test func user_info_is_delivered_twice() async throws {
        let results = try await onBoth(.wcsession, "user-info-copies") { app in
            try app.turn("watch-asleep", nil)
            try await app.record(1, on: .phone)
            try await app.run(for: .seconds(45))
        }
        #expect(results.platform.watchDoses == [1, 1])
        #expect(results.library.watchDoses == [1])
    }

    @Test func reachability_is_stuck_true_with_one_direction_dead() async throws {
        let profile = PlatformProfile.wcsession
        var during: [AppResult] = []
        let results = try await onBoth(profile) { app in
            try app.turn("one-way", nil)
            try await app.record(1, on: .phone)
            try await app.run(for: .seconds(120))
            during.append(try await app.result())
            try app.turn("one-way", 0)
            try await app.run(for: .seconds(600))
        }
        #expect(during.map(\.isReachable) == [true, false])
        #expect(during.map(\.watchDoses) == [[], []])
        // The platform said that all was well, and the dose is lost.
        #expect(results.platform.watchDoses.isEmpty)
        #expect(results.library.watchDoses == [1] && results.library.isReachable)
    }

    @Test(arguments: [PlatformProfile.wcsession, .wear, .pebble])
    func an_acknowledgement_comes_before_the_app_has_it(_ profile: PlatformProfile) async throws {
        let results = try await onBoth(profile, "early-answer-seconds") { app in
            app.ask(7, from: .watch)
            try await app.run(for: .milliseconds(300))
            try await app.record(1, on: .watch)
            try await app.run(for: .milliseconds(500))
            try await app.restart(.phone)
            try await app.run(for: .seconds(600))
        }
        #expect(results.platform.answers.first == .reply([]))
        #expect(results.platform.phoneDoses.isEmpty)
        #expect(results.library.phoneDoses == [1])
    }

    @Test(arguments: [PlatformProfile.wcsession, .pebble])
    func data_queued_while_unreachable_is_never_sent(_ profile: PlatformProfile) async throws {
        let results = try await onBoth(profile.with("offline-never-sent")) { app in
            await app.setConnected(false)
            try await app.record(1, on: .watch)
            try await app.run(for: .seconds(45))
            await app.setConnected(true)
            try await app.run(for: .seconds(86_400))
        }
        #expect(results.platform.phoneDoses.isEmpty)
        #expect(results.library.phoneDoses == [1])
    }

    @Test func data_queued_while_the_watch_is_asleep_is_never_sent() async throws {
        let results = try await onBoth(.wcsession, "offline-never-sent") { app in
            try app.turn("watch-asleep", nil)
            try await app.record(1, on: .phone)
            try await app.run(for: .seconds(45))
            try app.turn("watch-asleep", 0)
            try await app.run(for: .seconds(600))
        }
        #expect(results.platform.watchDoses.isEmpty)
        #expect(results.library.watchDoses == [1])
    }

    @Test func both_handlers_are_called() async throws {
        let results = try await onBoth(.wcsession, "both-handlers") { app in
            app.ask(7, from: .watch)
            try await app.run(for: .seconds(30))
        }
        #expect(results.platform.answers.count == 2)
        #expect(results.library.answers == [.reply([7])])
    }

    /// Compares two ways of an app on a platform without a fault: each device sends its whole state
    /// as the application context, which replaces that of the other; or each records its doses in
    /// the library's ledger, which joins the events of both.
    @Test func a_stale_watch_overwrites_the_phone() async throws {
        let results = try await onBoth(.wcsession, sendsWholeState: true) { app in
            try await app.record(1, on: .phone)
            try await app.run(for: .seconds(5))
            await app.setConnected(false)
            try await app.record(2, on: .phone)
            try await app.record(3, on: .watch)
            await app.setConnected(true)
            try await app.run(for: .seconds(60))
        }
        #expect(results.platform.phoneDoses == [1, 3])
        #expect(results.library.phoneDoses == [1, 2, 3])
        #expect(results.library.watchDoses == [1, 2, 3])
    }

    @Test func a_queue_is_cleared_on_a_disconnection() async throws {
        let profile = try PlatformProfile.pebble.with("queue-cleared")
        let results = try await onBoth(profile) { app in
            await app.setConnected(false)
            try await app.record(1, on: .watch)
            await app.setConnected(false)
            await app.setConnected(true)
            try await app.run(for: .seconds(60))
        }
        #expect(results.platform.phoneDoses.isEmpty)
        #expect(results.library.phoneDoses == [1])
    }

    @Test func the_face_is_stale_when_the_budget_is_spent() async throws {
        let results = try await onBoth(.wcsession, "no-user-info") { app in
            for dose in 1...60 {
                if dose == 46 { try app.turn("watch-asleep", nil) }
                try app.show(UInt8(dose))
                try await app.run(for: .seconds(60))
            }
            try app.turn("watch-asleep", 0)
            try await app.run(for: .seconds(120))
            // The watch is awake for another reason.
            try await app.record(1, on: .watch)
            try await app.run(for: .seconds(60))
        }
        #expect(results.platform.face == 50)
        #expect(results.library.face == 60)
    }

    @Test func an_older_complication_arrives_behind_the_newer_one() async throws {
        let results = try await onBoth(.wcsession, "user-info-seconds") { app in
            try app.turn("watch-asleep", nil)
            try app.show(1)
            try app.show(2)
            try await app.run(for: .seconds(601))
            try app.turn("watch-asleep", 0)
            try await app.run(for: .seconds(180))
        }
        #expect(results.platform.face == 1)
        #expect(results.library.face == 2)
    }

    @Test func a_list_is_half_an_hour_late() async throws {
        let results = try await onBoth(.wear) { app in
            try app.sendList([1, 2, 3])
            try await app.run(for: .seconds(5))
        }
        #expect(results.platform.list.isEmpty)
        #expect(results.library.list == [1, 2, 3])
    }
}
