import ControlKit

/// The records of a run in few bytes: columns of numbers in base 36. Moments are microseconds since
/// the one before; latencies are nanoseconds, as the tables have them, less what the moments say.
///
/// A page must stay below 1 MB. Above ``mostRecords``, or where their text would be longer than
/// ``mostBytes``, records are sampled: the slowest and all that were not simply delivered are kept,
/// and of the rest every so many.
struct RecordColumns {
    /// How many records a page holds at most.
    static let mostRecords = 20_000
    /// How long their text may be.
    static let mostBytes = 700_000
    /// How many of the slowest are always kept.
    static let slowestKept = 100

    /// How many the run had.
    let total: Int
    /// How many are in ``json``.
    let kept: Int
    /// The columns, for the page's script.
    let json: JSONValue

    /// Chooses from `detail` what a page can hold.
    init(_ detail: RunDetail) {
        let ordered = detail.records.sorted {
            ($0.intended, $0.series) < ($1.intended, $1.series)
        }
        total = ordered.count
        var limit = Self.mostRecords
        while true {
            let chosen = Self.sample(ordered, limit: limit)
            let columns = Self.columns(chosen)
            let size = JSONWriter.bytes(columns).count
            if size <= Self.mostBytes || limit < 100 {
                kept = chosen.count
                json = columns
                return
            }
            limit = min(limit, chosen.count) * Self.mostBytes / size * 9 / 10
        }
    }

    /// What a reader must know where not all records are there; nil where they are.
    var notice: String? {
        guard kept < total else { return nil }
        return "\(kept) of \(total) records are drawn: the slowest, what was lost, and a sample of "
            + "the rest. All else on this page counts all of them."
    }

    private static func sample(_ records: [RunDetail.Record], limit: Int) -> [RunDetail.Record] {
        guard records.count > limit else { return records }
        let slowest = records.indices.sorted {
            (records[$0].latencyNanoseconds ?? 0) > (records[$1].latencyNanoseconds ?? 0)
        }.prefix(slowestKept)
        let special = records.indices.filter {
            ![.delivered, .superseded].contains(records[$0].outcome)
        }
        var isKept = [Bool](repeating: false, count: records.count)
        for index in slowest { isKept[index] = true }
        for index in evenly(special, limit / 4) { isKept[index] = true }
        let rest = records.indices.filter { !isKept[$0] }
        for index in evenly(rest, limit - (records.count - rest.count)) { isKept[index] = true }
        return records.indices.filter { isKept[$0] }.map { records[$0] }
    }

    /// `count` of `places`, equally far apart; all where there are no more.
    private static func evenly(_ places: [Int], _ count: Int) -> [Int] {
        guard places.count > count else { return places }
        return (0..<max(0, count)).map { places[$0 * places.count / count] }
    }

    // MARK: Text

    private static func columns(_ records: [RunDetail.Record]) -> JSONValue {
        var names = NameColumn()
        var dues: [String] = []
        var moments = [[String]](repeating: [], count: 4)
        var latencies: [String] = []
        var previous: Int64 = 0
        for record in records {
            names.append(record.name)
            let due = Int64(clamping: record.intended / 1000)
            dues.append(text(due - previous))
            previous = due
            let reached = record.reached
            var before = due
            for (column, moment) in [record.sent, record.delivered, reached, record.applied]
                .enumerated()
            {
                let at = moment.map { Int64(clamping: $0 / 1000) }
                moments[column].append(at.map { text($0 - before) } ?? "")
                before = at ?? before
            }
            let known = reached.map { (Int64(clamping: $0 / 1000) - due) * 1000 } ?? 0
            latencies.append(
                record.latencyNanoseconds.map { text(Int64(clamping: $0) - known) } ?? "")
        }
        let kinds = records.map { text(Int64($0.series * 8 + $0.outcome.rawValue)) }
        return [
            "prefixes": names.prefixes, "names": names.column,
            "kinds": NameColumn.joined(kinds), "due": NameColumn.joined(dues),
            "moments": .array(moments.map(NameColumn.joined)),
            "latency": NameColumn.joined(latencies),
        ]
    }

    private static func text(_ number: Int64) -> String { String(number, radix: 36) }
}
