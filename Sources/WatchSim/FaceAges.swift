import ControlProtocol
import WatchProto
import WatchProtoTransport

/// How old states were when the face showed them, and how long it was stale.
struct FaceAges: Sendable {
    private var newest: [Int64] = []
    private var count = 0
    private var stale: Int64 = 0
    private var staleSince: Instant?

    /// Ages that are kept for percentiles.
    private static let limit = 1000

    /// Adds the age of a state in nanoseconds.
    mutating func add(_ age: Int64) {
        if newest.count < Self.limit {
            newest.append(age)
        } else {
            newest[count % Self.limit] = age
        }
        count += 1
    }

    /// Notes whether the face says *as of*, from `now` on.
    mutating func pass(isStale: Bool, at now: Instant) {
        if let since = staleSince { stale += since.duration(to: now).nanosecondsClamped }
        staleSince = isStale ? now : nil
    }

    /// The members of the reply to `face` at `now`.
    func members(at now: Instant) -> JSONObject {
        var passed = self
        passed.pass(isStale: staleSince != nil, at: now)
        let sorted = newest.sorted()
        func percentile(_ part: Int) -> JSONValue {
            sorted.isEmpty ? .null : .whole(sorted[(sorted.count - 1) * part / 100])
        }
        return [
            "count": .whole(count), "p50_ns": percentile(50), "p99_ns": percentile(99),
            "max_ns": percentile(100), "stale_ns": .whole(passed.stale),
        ]
    }
}
