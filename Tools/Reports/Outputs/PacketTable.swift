/// Every packet of a run as comma-separated values (RFC 4180, yet with bare line feeds):
/// `packets.csv`, which the page's time lines are drawn from.
enum PacketTable {
    /// The first line.
    static let head =
        "way,session,packet,sent_ns,bytes,frames,fate,air_ns,came,repeats,records,sealed\n"

    /// The whole file; nil where no packets were listed. `sent_ns` is since the run began; `air_ns`
    /// is empty for what never came, and for what was put together the time until then; `sealed` is
    /// `no` on a link that anybody can read.
    static func text(of report: Report) -> String? {
        guard let detail = report.detail, detail.hasPackets else { return nil }
        var text = head
        let isSealed = report.isSealed.map { $0 ? "yes" : "no" } ?? ""
        for packet in detail.packets {
            var names = packet.records.map { detail.records[$0].name }
            if packet.otherCount > 0 { names.append("\(packet.otherCount) unmeasured") }
            let fields = [
                packet.isFromWatch ? "down" : "up", packet.session, "\(packet.number)",
                "\(packet.sent)", "\(packet.bytes)", packet.frames, packet.fate.word,
                packet.airNanoseconds.map { "\($0)" } ?? "", "\(packet.arrivalCount)",
                packet.isRepetition ? "yes" : "no", names.joined(separator: "; "),
                isSealed,
            ]
            text += fields.map(field).joined(separator: ",") + "\n"
        }
        return text
    }

    private static func field(_ text: String) -> String {
        guard text.contains(where: { ",\"\n\r".contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
