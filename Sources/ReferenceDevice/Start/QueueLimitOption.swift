internal import CommandLine
internal import WatchProto

/// The option that says how much a device holds for the other one; for tests of full queues, less
/// than the device has room for.
struct QueueLimitOption {
    let records: CommandOption<Int>
    /// The records of each channel for which a device of this role has room.
    private let most: Int

    init(_ role: DeviceRole) {
        most = Limits(role).queuedRecords
        records = CommandOption<Int>(
            "queue-limit", value: "records", default: most,
            help: "Records that each channel holds for the other device, waiting or under way; one "
                + "more is refused (queue_full). 1 to \(most).")
    }

    /// - Throws: what is wrong with the value.
    func read(_ run: Invocation, _ program: Verb) throws(UsageError) -> Int {
        let found = run[records] ?? most
        guard (1...most).contains(found) else {
            throw program.usageError(
                "The value '\(found)' is invalid for '--queue-limit': it must be 1 to \(most).",
                option: "queue-limit")
        }
        return found
    }
}
