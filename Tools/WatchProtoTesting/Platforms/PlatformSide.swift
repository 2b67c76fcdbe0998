import WatchProtoCore

/// A transfer in the hands of a platform.
struct PlatformItem: Sendable {
    var number: UInt64
    var channel: Channel
    var bytes: [UInt8]
    var reply: @Sendable ([UInt8]) -> Void
    var fail: @Sendable (String) -> Void
}

/// One device as the platform sees it: its app, and the transfers that it sends.
struct PlatformSide: Sendable {
    typealias Handler = @Sendable (Channel, [UInt8]) -> [UInt8]?

    /// The app's handler; nil until the app has set one.
    var handler: Handler?
    /// Counts the runs of the app.
    var run = 0
    /// Messages that have launched the app, and wait for its handler.
    var launching: [PlatformItem] = []
    /// Messages without an answer.
    var messages: [UInt64: PlatformItem] = [:]
    /// How many messages were answered.
    var answered = 0
    /// User info and files, oldest first.
    var queue: [PlatformItem] = []
    /// The transfer under way.
    var transferring: UInt64?
    /// Transfers that were accepted and will never leave.
    var forgotten: [PlatformItem] = []
    /// How many transfers ended.
    var ended = 0
    /// Whether the oldest transfer is stuck, or one was stuck in a former run.
    var isStuck = false
    var wasStuck = false
    /// The newest states that wait, the ends of their delays, and the states sent last.
    var states: [Channel: PlatformItem] = [:]
    var delayEnds: [Channel: Instant] = [:]
    /// Counts the turns in which a state was to arrive. The last one counts.
    var turns: [Channel: Int] = [:]
    var sentStates: [Channel: [UInt8]] = [:]
    /// The complication that travels as the current one.
    var current: PlatformItem?
    var day: Int64 = 0
    var spentToday = 0

    var outstandingTransfers: Int {
        queue.count + forgotten.count + states.count + (current == nil ? 0 : 1)
    }

    /// Ends the run of the app. The platform's queues go on.
    mutating func restart(clearsQueue: Bool) {
        run += 1
        handler = nil
        messages = [:]
        transferring = nil
        endStuckTransfer()
        if clearsQueue { queue = [] }
    }

    /// The queue goes on, and gets stuck no more.
    mutating func endStuckTransfer() {
        wasStuck = wasStuck || isStuck
        isStuck = false
    }
}

/// A rhythm in which a platform is interrupted.
struct PlatformRhythm: Sendable {
    var open: Duration
    var closed: Duration

    /// The end of the interruption at this time; nil for none.
    func end(covering elapsed: Duration) -> Duration? {
        let passed = phase(at: elapsed)
        return passed < open ? nil : elapsed + (open + closed - passed)
    }

    /// The beginning of the next interruption.
    func next(after elapsed: Duration) -> Duration {
        let passed = phase(at: elapsed)
        return elapsed + (passed < open ? open : open + closed + open) - passed
    }

    private func phase(at elapsed: Duration) -> Duration {
        let period = (open + closed).nanosecondsClamped
        guard period > 0 else { return .zero }
        return .nanoseconds(elapsed.nanosecondsClamped % period)
    }
}
