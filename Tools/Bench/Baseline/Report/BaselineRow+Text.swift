import ControlProtocol
import Reports

extension BaselineRow {
    /// Heads of the columns of ``cells``.
    static let heads = [
        "Cell", "n", "ours p50", "p90", "p99 ms", "ideal p50", "p90", "p99 ms", "ratio p50", "p90",
        "p99", "limit ms", "bytes", "packets", "wakes",
    ]

    /// The row as people read it: bytes over those of the ideal; packets and wakes per trial, of
    /// the phone and of the watch.
    var cells: [String] {
        var cells = [cell.title, "\(samples.ours.count)"]
        cells += Self.percentiles.map { Self.text(samples.ours, $0) }
        cells += Self.percentiles.map { Self.text(samples.ideal, $0) }
        cells += Self.percentiles.map { Self.text(ratio($0)) }
        cells.append(Self.text(samples.limit, .p50))
        let trials = Double(max(1, samples.ours.count))
        let packets = samples.tallies.map { Decimals.table(Double($0.packets) / trials) }
        let wakes = samples.tallies.map { Decimals.table(Double($0.wakes) / trials) }
        // Beside bulk, nearly all of it belongs to the transfer.
        let cost = cell == .complicationBulk ? nil : cost
        cells.append(cost.map { Decimals.fixed($0, decimals: 2) + "x" } ?? "-")
        cells.append(packets.joined(separator: "+"))
        cells.append(wakes.joined(separator: "+"))
        // The mean size of the packets, where the cell limits a datagram to so many bytes.
        if cell.isBulk, let mean = samples.carriers.meanBytes {
            cells[0] += " (packets of \(Decimals.fixed(mean, decimals: 0)) B)"
        }
        if samples.busyLines > 0 { cells[0] += " (\(samples.busyLines) on a busy line)" }
        return cells
    }

    private static func text(_ samples: [UInt64], _ percentile: Percentile) -> String {
        guard let value = percentile.value(of: samples) else { return "-" }
        return value == BaselineSamples.never ? "never" : Decimals.table(Double(value) / 1e6)
    }

    private static func text(_ ratio: Double?) -> String {
        guard let ratio else { return "-" }
        return ratio.isFinite ? Decimals.fixed(ratio, decimals: 3) : "inf"
    }
}
