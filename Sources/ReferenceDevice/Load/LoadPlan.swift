package import ControlProtocol
internal import WatchProto

/// An open-loop load: which kinds, how many a second, for how long. When each is to be sent follows
/// from this value alone, never from how fast the others went.
package struct LoadPlan: Sendable {
    /// When the records of a stream are due.
    package enum Arrivals: String, Sendable, CaseIterable {
        /// Equally far apart; the first within one gap, at a moment drawn from the seed.
        case constant
        /// Independent of each other (Poisson): gaps drawn from the seed.
        case poisson
    }

    /// One kind of record and its rate.
    package struct Stream: Hashable, Sendable {
        /// The name of the kind of record.
        package var kind: String
        /// Records a second.
        package var ratePerSecond: Double
    }

    /// The kinds of records to send, each at its own rate.
    package var streams: [Stream]
    /// How long the load is sent, the warm-up included.
    package var duration: Duration
    /// The first part of the duration, whose records are marked.
    package var warmUp: Duration
    /// Decides every drawn moment: equal seeds give equal loads.
    package var seed: UInt64
    /// How the records of a stream lie in time.
    package var arrivals: Arrivals
    /// Whether events of single records are told during the load, too.
    package var tellsEvents: Bool

    /// The highest rate of a stream, in records a second.
    static let highestRate = 200_000.0
    /// The longest duration, in milliseconds: a day.
    static let longestMilliseconds: Int64 = 86_400_000

    /// Reads the plan from the command `load.start`. Throws `missingField` or `badField` with the
    /// field's name; the client is at fault.
    package init(
        _ request: ControlRequest, kinds: [String], seed fallback: UInt64
    ) throws(ControlError) {
        let form = "[{\"kind\":…,\"rate_per_s\":…}]"
        streams = []
        for (place, value) in try request.array("mix", expected: form).enumerated() {
            let name = "mix[\(place)]"
            let form = ["kind", "rate_per_s"]
            for member in value.object?.members ?? [] where !form.contains(member.name) {
                throw .unknownField(member.name, known: form)
            }
            guard let kind = value["kind"]?.string, kinds.contains(kind) else {
                throw .badField(
                    "\(name).kind", expected: kinds.joined(separator: " or "),
                    found: value["kind"]?.string ?? value["kind"]?.kindName ?? "nothing")
            }
            guard let rate = value["rate_per_s"]?.number, rate > 0, rate <= Self.highestRate else {
                throw .badField(
                    "\(name).rate_per_s", expected: "a number above 0, at most 200000",
                    found: value["rate_per_s"].map { JSONWriter.text($0) } ?? "nothing")
            }
            streams.append(Stream(kind: kind, ratePerSecond: rate))
        }
        guard !streams.isEmpty else {
            throw .badField("mix", expected: form, found: "an empty array")
        }
        let longest = Self.longestMilliseconds
        duration = .milliseconds(try request.integer("duration_ms", in: 1...longest))
        warmUp = .milliseconds(try request.optionalInteger("warmup_ms", in: 0...longest) ?? 0)
        seed = try request.optionalUnsigned("seed") ?? fallback
        tellsEvents = try request.flag("events", default: false)
        let words = Arrivals.allCases.map(\.rawValue).joined(separator: " or ")
        let word = try request.optionalString("arrivals", expected: words) ?? "constant"
        guard let arrivals = Arrivals(rawValue: word) else {
            throw .badField("arrivals", expected: words, found: word)
        }
        self.arrivals = arrivals
    }

    /// The moments of all streams in order.
    package func makeMoments() -> Moments { Moments(self) }

    /// When what is to be sent, one after the other.
    package struct Moments: Sequence, IteratorProtocol {
        /// One record to send.
        package struct Moment: Hashable, Sendable {
            /// Nanoseconds since the start.
            package var offsetNanoseconds: UInt64
            /// Which stream of the plan.
            package var stream: Int
            /// Counts the stream's records, from 0.
            package var sequence: UInt64
            /// Whether it belongs to the time before measuring.
            package var isWarmUp: Bool
        }

        private struct Source {
            var generator: SeededGenerator
            var gap: Double
            var next: Double
            var sequence: UInt64 = 0
        }

        private let arrivals: Arrivals
        private let warmUpEnd: Double
        private let end: Double
        private var sources: [Source] = []

        init(_ plan: LoadPlan) {
            arrivals = plan.arrivals
            warmUpEnd = Double(plan.warmUp.nanosecondsClamped)
            end = Double(plan.duration.nanosecondsClamped)
            for (place, stream) in plan.streams.enumerated() {
                var generator = SeededGenerator(seed: plan.seed &+ UInt64(place) &* 0x9E37_79B9)
                let gap = 1e9 / stream.ratePerSecond
                let first = gap * generator.unitInterval()
                sources.append(Source(generator: generator, gap: gap, next: first))
            }
        }

        private static func gap(
            _ mean: Double, _ arrivals: Arrivals, _ generator: inout SeededGenerator
        ) -> Double {
            switch arrivals {
            case .constant: mean
            case .poisson: mean * Logarithm.ofInverse(1 - generator.unitInterval())
            }
        }

        /// The next record to send, of whichever stream comes first; nil at the end of the load.
        package mutating func next() -> Moment? {
            var first = 0
            for place in sources.indices where sources[place].next < sources[first].next {
                first = place
            }
            let due = sources[first].next
            guard due < end else { return nil }
            let moment = Moment(
                offsetNanoseconds: UInt64(due), stream: first, sequence: sources[first].sequence,
                isWarmUp: due < warmUpEnd)
            sources[first].sequence += 1
            sources[first].next += Self.gap(sources[first].gap, arrivals, &sources[first].generator)
            return moment
        }
    }
}
