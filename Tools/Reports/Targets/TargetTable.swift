/// Every target of the product. A row that nothing measures yet stays here and is reported as "not
/// built".
package enum TargetTable {
    /// All rows, in the order of the report.
    package static let all = watchLink + internals + starts

    /// The ids of the twelve rows that a short report shows.
    package static let headline: Set = [
        "sync.one-change", "sync.list", "message", "complication", "sync.incremental",
        "sync.offline", "reconnect", "wire.list", "watch.launch", "watch.memory",
        "delivery.exact", "session.record",
    ]

    /// The row called `id`; nil where there is none.
    package static func target(_ id: String) -> Target? { all.first { $0.id == id } }

    /// The targets of the link between phone and watch.
    ///
    /// Under load a row is evaluated by its 99th percentile. An event that happens only a few times
    /// in a run is evaluated by the worst of those times.
    static let watchLink: [Target] = [
        .time(
            "sync.one-change", "phone-watch sync, one change", goal: 1000, limit: 3000,
            .percentile(.p99), durable: true, built: true),
        .time(
            "sync.list", "data sync, list of 50", goal: 500, limit: 2000, .job(ofAtLeast: 50),
            durable: true, built: true),
        .time(
            "message", "message delivery", goal: 200, limit: 1000, .percentile(.p99), built: true),
        .time(
            "complication", "complication update", goal: 100, limit: 500, .percentile(.p99),
            built: true),
        .time(
            "complication.background", "complication update, background", goal: 100, limit: 500,
            .worst(ofAtLeast: 5), built: true),
        .number(
            "complication.burst", "pushes for 1,000 updates in a second", .count, on: .phone,
            goal: 3, .job(ofAtLeast: 950), built: true),
        .number(
            "complication.offered", "complication updates: offered", .count, on: .phone, goal: nil,
            built: true),
        .number(
            "complication.pushed", "complication updates: pushed", .count, on: .phone, goal: nil,
            built: true),
        .number(
            "complication.merged", "complication updates: merged", .count, on: .phone, goal: nil,
            built: true),
        .number(
            "complication.free", "complication updates: free", .count, on: .phone, goal: nil,
            built: true),
        .number(
            "complication.left", "complication pushes left of 50", .count, .atLeast, on: .phone,
            goal: nil, built: true),
        .time(
            "complication.second", "second of two updates 30 ms apart", goal: 100, limit: 500,
            .worst(ofAtLeast: 20), built: true),
        .time(
            "face.age", "age of the displayed face", goal: 100, limit: 500, .percentile(.p99),
            built: true),
        .time(
            "face.age.alone", "age of the face, link down", on: .watch, goal: 100, limit: 500,
            .worst(ofAtLeast: 20), built: true),
        .time(
            "face.stale", "time for which the face said as of", on: .watch, goal: nil, .total,
            built: true),
        .time(
            "dose.closed", "dose closed on the other device", goal: 1000, limit: 3000,
            .percentile(.p99), durable: true, built: true),
        .time(
            "dose.recorded", "dose durable after the tap", goal: 50, .percentile(.p99),
            built: true),
        .time(
            "dose.silenced", "reminder silenced on the other device", goal: 1000, limit: 3000,
            .worst(ofAtLeast: 20), built: true),
        .time(
            "sync.push", "sync push, idle link", goal: 500, .worst(ofAtLeast: 3), durable: true,
            built: true),
        .time(
            "sync.incremental", "incremental sync, 100 items", goal: 2000, .job(ofAtLeast: 100),
            durable: true, built: true),
        .time(
            "sync.offline", "offline changes, 20 each way", goal: 5000, .job(ofAtLeast: 40),
            durable: true, built: true),
        .time(
            "reconnect", "offline to online, caught up", goal: 500, limit: 1000,
            .worst(ofAtLeast: 2), built: true),
        .number(
            "wire.list", "50 items on the wire", .megabytes, on: .link, goal: 1e6,
            .job(ofAtLeast: 50),
            built: true),
        .number(
            "record.size", "record, encoded mean", .bytes, on: .host, goal: 200,
            .mean(ofAtLeast: 50),
            built: true),
        .time(
            "watch.launch", "watch launch to first face", on: .watch, goal: 1000, limit: 2000,
            .worst(ofAtLeast: 1), built: true),
        .number(
            "watch.memory", "watch memory, peak", .megabytes, on: .watch, goal: 20e6, limit: 30e6,
            built: true),
        .number(
            "watch.memory.wear", "watch memory, Wear class", .megabytes, on: .watch, goal: 25e6,
            limit: 40e6,
            built: true),
        .time(
            "stress.time", "sync stress, 100 operations", goal: nil, .job(ofAtLeast: 100),
            built: true),
        .number(
            "stress.rate", "sync stress, rate", .perSecond, .atLeast, goal: nil,
            .job(ofAtLeast: 100), built: true),
        .number("stress.retries", "sync stress, retries", .count, goal: nil, built: true),
        .number(
            "delivery.exact", "delivered exactly once", .percent, .exactly, goal: 100, built: true),
        .number(
            "battery.sync", "battery per 15 min sync", .percent, on: .watch, goal: 1, built: true),
        .number(
            "battery.wakeups", "4 h in the background: wake-ups", .count, on: .watch, goal: nil,
            built: true),
        .time(
            "battery.awake", "4 h in the background: radio awake", on: .watch, goal: nil, .total,
            built: true),
        .number(
            "battery.packets", "4 h in the background: packets", .count, on: .watch, goal: nil,
            built: true),
        .time(
            "background.time", "background sync task, time", on: .watch, goal: 25_000,
            .job(ofAtLeast: 120), built: true),
        .number(
            "background.memory", "background sync task, memory", .megabytes, on: .watch,
            goal: 50e6, built: true),
        .number(
            "background.cpu", "background sync task, one core", .percent, on: .watch, goal: 80,
            built: true),
    ]

    /// The internals of phone and watch.
    static let internals: [Target] = [
        inside("aead.seal", "AEAD seal 1 KB", 3, 10, .percentile(.p99), built: true),
        inside("aead.open", "AEAD open 1 KB", 2, 8, .percentile(.p99), built: true),
        .number(
            "aead.rate", "1,000 blobs sealed and opened, mean", .perSecond, .atLeast,
            group: .internals, on: .host, goal: 333, .mean(ofAtLeast: 3), built: true),
        .number(
            "aead.memory.mean", "1,000 blobs, memory on average", .megabytes, group: .internals,
            on: .host, goal: nil, .mean(ofAtLeast: 60), built: true),
        .number(
            "aead.memory.peak", "1,000 blobs, memory at its peak", .megabytes, group: .internals,
            on: .host, goal: nil, built: true),
        .number(
            "aead.all", "sealAll on all cores, mean", .perSecond, .atLeast, group: .internals,
            on: .host, goal: nil, .mean(ofAtLeast: 3), built: true),
        inside("key.generate", "key generation", 5, 20, .percentile(.p99), built: true),
        inside("key.read", "key read from its file", 5, 30, .percentile(.p99), built: true),
        inside(
            "key.read.android", "key read, Android", 15, 50, .percentile(.p99), built: true),
        inside(
            "argon2id", "Argon2id t=3 m=64 MiB p=4", 200, 500, .worst(ofAtLeast: 3), built: true),
        inside(
            "session.record", "session: 200 B sealed and opened", 0.002, recordLimit,
            .percentile(.p50), built: true),
        .time(
            "session.kilobyte", "session: 1 KB sealed and opened", .internals, on: .host,
            goal: nil, .percentile(.p50), built: true),
        .number(
            "session.padding", "session: padding of a 200 B record", .bytes, group: .internals,
            on: .host, goal: nil, built: true),
        .time(
            "reconnection", "session: reconnection, both sides", .internals, on: .host,
            goal: nil, .percentile(.p50), built: true),
        .time(
            "pairing", "session: pairing, both sides", .internals, on: .host, goal: nil,
            .percentile(.p50), built: true),
        inside(
            "timeline", "complication timeline, 24 entries", 100, 500, .percentile(.p95),
            built: true),
        inside(
            "face.render", "face rendered from the timeline", 50, 200, .percentile(.p95),
            built: true),
        .number(
            "timeline.memory", "timeline work, memory", .megabytes, group: .internals, on: .host,
            goal: 30e6, limit: 50e6, built: true),
        inside("store.fetch", "store: fetch one", 5, 20, .percentile(.p99), built: true),
        inside("store.list", "store: list 50", 20, 50, .percentile(.p95), built: true),
        inside(
            "store.batch", "store: batch of 500", 50, 150, .worst(ofAtLeast: 20), built: true),
        inside("store.due", "store: due-now query", 30, 100, .percentile(.p95), built: true),
        inside(
            "store.sort", "store: sort 100 by next dose", 10, 50, .percentile(.p95), built: true),
        inside("migrate.add", "migration: additive", 100, 500, .worst(ofAtLeast: 3), built: true),
        inside(
            "migrate.100", "migration: 100 records", 1000, 3000, .worst(ofAtLeast: 3), built: true),
        inside(
            "migrate.1000", "migration: 1,000 records", 5000, 15_000, .worst(ofAtLeast: 3),
            built: true),
    ]

    /// Ten cold starts of the watch on each class of devices, with the memory that the class allows
    /// in MB.
    static let starts: [Target] = [
        ("low", 32.0, 200.0), ("mid", 64, 100), ("high", 128, 50),
    ].flatMap { device in
        let (name, megabytes, dose) = device
        return [
            Target.time(
                "start.\(name).first", "cold start, \(name): first face", .internals, on: .watch,
                goal: 1000, limit: 2000, .worst(ofAtLeast: 10), built: true),
            Target.time(
                "start.\(name).dose", "cold start, \(name): a dose durable", .internals,
                on: .watch, goal: dose, limit: 2 * dose, .worst(ofAtLeast: 10), built: true),
            Target.time(
                "start.\(name).interactive", "cold start, \(name): interactive", .internals,
                on: .watch, goal: 1000, limit: 2000, .worst(ofAtLeast: 10), built: true),
            Target.number(
                "start.\(name).memory", "cold start, \(name): memory", .megabytes,
                group: .internals, on: .watch, goal: megabytes * 1e6, .worst(ofAtLeast: 10),
                built: true),
        ]
    }

    /// In milliseconds. Builds without optimisation take ten times as long as others.
    #if DEBUG
        private static let recordLimit = 0.05
    #else
        private static let recordLimit = 0.005
    #endif

    private static func inside(
        _ id: String, _ title: String, _ goal: Double, _ limit: Double,
        _ statistic: Target.Statistic, built: Bool = false
    ) -> Target {
        .time(
            id, title, .internals, on: .host, goal: goal, limit: limit, statistic, built: built)
    }
}
