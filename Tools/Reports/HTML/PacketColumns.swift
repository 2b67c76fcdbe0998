import ControlProtocol

/// The packets of a run in few bytes: columns of numbers in base 36, in microseconds.
///
/// Above ``mostPackets``, or where their text would be longer than what records leave, they are
/// sampled. Packets that were lost, that repeat something, or that were sent while the slowest
/// records were on their way, are kept first.
struct PacketColumns {
    /// How many packets a page holds at most.
    static let mostPackets = 20_000

    /// How many the run had.
    let total: Int
    /// How many are in ``json``.
    let kept: Int
    /// How many the simulators had no room for.
    let omitted: UInt64
    /// The columns, for the page's script.
    let json: JSONValue

    /// Chooses from `detail` what a page can hold.
    ///
    /// - Parameters:
    ///   - places: where the records of `detail` stand in the page's columns.
    ///   - mostBytes: how long their text may be.
    init(_ detail: RunDetail, places: [Int: Int], mostBytes: Int) {
        total = detail.packets.count
        omitted = detail.packetsOmitted
        var limit = Self.mostPackets
        while true {
            let chosen = Self.sample(detail, limit: limit)
            let columns = Self.columns(chosen, places)
            let size = JSONWriter.bytes(columns).count
            if size <= mostBytes || limit < 100 {
                kept = chosen.count
                json = columns
                return
            }
            limit = min(limit, chosen.count) * mostBytes / size * 9 / 10
        }
    }

    /// The notice for the reader where not all packets are there; empty where they are.
    var notice: String {
        var text = ""
        if kept < total {
            text =
                "\(kept) of \(total) packets are drawn: what was lost or repeats a record, what "
                + "left while the slowest records were on their way, and a sample of the rest."
        }
        if omitted > 0 {
            text += " The simulators had no room for \(omitted) further lines of their lists."
        }
        return text
    }

    private static func sample(_ detail: RunDetail, limit: Int) -> [RunDetail.Packet] {
        let packets = detail.packets
        guard packets.count > limit else { return packets }
        let slowest = detail.slowest(20).map { $0.intended...max($0.intended, $0.reached ?? 0) }
        let special = packets.indices.filter {
            packets[$0].isRepetition || ![.arrived, .underWay].contains(packets[$0].fate)
        }
        let near = packets.indices.filter { place in
            slowest.contains { $0.contains(packets[place].sent) }
        }
        var isKept = [Bool](repeating: false, count: packets.count)
        for (places, share) in [(special, limit / 2), (near, limit / 4)] {
            for place in RecordColumns.evenly(places, share) { isKept[place] = true }
        }
        let rest = packets.indices.filter { !isKept[$0] }
        for place in RecordColumns.evenly(rest, limit - (packets.count - rest.count)) {
            isKept[place] = true
        }
        return packets.indices.filter { isKept[$0] }.map { packets[$0] }
    }

    // MARK: Text

    /// The properties that many packets share: way, fate, session, frames.
    private struct Look: Hashable {
        var code: Int
        var session: String
        var frames: String

        init(_ packet: RunDetail.Packet) {
            code =
                (packet.isFromWatch ? 1 : 0) + (packet.isRepetition ? 2 : 0)
                + packet.fate.rawValue * 4
            session = packet.session
            frames = packet.frames
        }
    }

    private static func columns(
        _ packets: [RunDetail.Packet], _ places: [Int: Int]
    ) -> JSONValue {
        var looks: [JSONValue] = []
        var known: [Look: Int] = [:]
        var columns = [[String]](repeating: [], count: 6)
        var next: [String: Int64] = [:]
        var twice = JSONObject()
        var sent: Int64 = 0
        var record = 0
        for (place, packet) in packets.enumerated() {
            let look = Look(packet)
            let number = known[look] ?? looks.count
            if number == looks.count {
                known[look] = number
                looks.append([.whole(look.code), .string(look.session), .string(look.frames)])
            }
            let way = "\(packet.isFromWatch) \(packet.session)"
            let step = Int64(clamping: packet.number) - next[way, default: 0]
            next[way] = Int64(clamping: packet.number) + 1
            let moment = Int64(clamping: packet.sent / 1000)
            columns[0].append(text(Int64(number)))
            columns[1].append(text(moment - sent))
            columns[2].append(step == 0 ? "" : text(step))
            columns[3].append(text(Int64(clamping: packet.bytes)))
            columns[4].append(
                packet.airNanoseconds.map { text(Int64(clamping: $0 / 1000)) } ?? "")
            sent = moment
            let drawn = packet.records.compactMap { places[$0] }
            let steps = drawn.map { place in
                defer { record = place }
                return text(Int64(place - record))
            }
            let others = packet.records.count - drawn.count + packet.otherCount
            columns[5].append(
                steps.joined(separator: ".") + (others > 0 ? "+\(text(Int64(others)))" : ""))
            if packet.arrivalCount > 1 { twice["\(place)"] = .whole(packet.arrivalCount) }
        }
        return [
            "looks": .array(looks), "look": NameColumn.joined(columns[0]),
            "sent": NameColumn.joined(columns[1]), "number": NameColumn.joined(columns[2]),
            "bytes": NameColumn.joined(columns[3]), "air": NameColumn.joined(columns[4]),
            "records": NameColumn.joined(columns[5]), "twice": .object(twice),
            "fates": .array(PacketJoin.Fate.allCases.map { .string($0.word) }),
        ]
    }

    private static func text(_ number: Int64) -> String { String(number, radix: 36) }
}
