import ControlProtocol

/// The records of a run in few bytes: columns of numbers in base 36. Moments are microseconds since
/// the one before; latencies are nanoseconds, as the tables have them, less what the moments say.
///
/// A page must stay below 1 MB. Above ``mostRecords``, or where their text would be longer than
/// ``mostBytes``, of which packets have a third, records are sampled: the slowest and all that were
/// not simply delivered are kept, and of the rest every so many.
struct RecordColumns {
    /// How many records a page holds at most.
    static let mostRecords = 20_000
    /// How long their text may be, and that of packets with it.
    static let mostBytes = 700_000
    /// How many of the slowest are always kept.
    static let slowestKept = 100

    /// How many the run had.
    let total: Int
    /// How many are in ``json``.
    let kept: Int
    /// The columns, for the page's script.
    let json: JSONValue
    /// Where the records of the run stand in them.
    let places: [Int: Int]
    /// The packets that went with them; nil where none were listed.
    let packets: PacketColumns?

    /// Chooses from `detail` what a page can hold.
    init(_ detail: RunDetail) {
        let all = detail.records
        let order = all.indices.sorted {
            (all[$0].intended, all[$0].series, $0) < (all[$1].intended, all[$1].series, $1)
        }
        let ordered = order.map { all[$0] }
        total = ordered.count
        // Packets may have the room that records do not need.
        let most = Self.mostBytes * (detail.packets.isEmpty ? 3 : 2) / 3
        var limit = Self.mostRecords
        var chosen = Self.sample(ordered, limit: limit)
        var columns = Self.columns(chosen.map { ordered[$0] })
        var size = JSONWriter.bytes(columns).count
        while size > most, limit >= 100 {
            limit = min(limit, chosen.count) * most / size * 9 / 10
            chosen = Self.sample(ordered, limit: limit)
            columns = Self.columns(chosen.map { ordered[$0] })
            size = JSONWriter.bytes(columns).count
        }
        kept = chosen.count
        json = columns
        places = Dictionary(
            uniqueKeysWithValues: chosen.enumerated().map { (order[$0.element], $0.offset) })
        packets =
            detail.hasPackets
            ? PacketColumns(detail, places: places, mostBytes: Self.mostBytes - size) : nil
    }

    /// The notice for the reader where not all records are there; nil where they are.
    var notice: String? {
        guard kept < total else { return nil }
        return "\(kept) of \(total) records are drawn: the slowest, what was lost, and a sample of "
            + "the rest. All else on this page counts all of them."
    }

    private static func sample(_ records: [RunDetail.Record], limit: Int) -> [Int] {
        guard records.count > limit else { return Array(records.indices) }
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
        return records.indices.filter { isKept[$0] }
    }

    /// `count` of `places`, equally far apart; all where there are no more.
    static func evenly(_ places: [Int], _ count: Int) -> [Int] {
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
