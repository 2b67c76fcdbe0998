internal import ControlProtocol
internal import WatchProto

/// How far a load has come, for the program that watches it: cheap enough to be asked for every
/// second while latencies are measured, which pages of the trace are not.
struct LoadCount {
    /// Records of the load that was started last.
    private(set) var sent: UInt64 = 0
    /// Of how many of them this side knows what became.
    private(set) var settled: UInt64 = 0
    /// From when a record was due until this side knew that it was applied, in nanoseconds; those
    /// since the last question, records of the warm-up aside.
    private(set) var latencies: [UInt64] = []

    /// More between two questions are left out.
    static let latencyLimit = 4096

    mutating func add(_ origin: SendOrigin) {
        if origin.intended != nil { sent += 1 }
    }

    mutating func settle(_ origin: SendOrigin, isApplied: Bool, atNanoseconds now: UInt64) {
        guard let intended = origin.intended?.nanoseconds else { return }
        settled += 1
        guard isApplied, !origin.isWarmUp, latencies.count < Self.latencyLimit else { return }
        latencies.append(now - min(now, intended))
    }

    /// Makes the reply to the command `load.progress`, and removes the latencies it reports.
    mutating func take() -> JSONObject {
        defer { latencies = [] }
        return [
            "sent": .whole(sent), "settled": .whole(settled),
            "latencies_ns": .array(latencies.map { .whole($0) }),
        ]
    }
}
