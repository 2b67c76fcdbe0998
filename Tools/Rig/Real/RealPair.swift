import Bench
import CommandLine
import ControlProtocol
import NetworkEmulation
import Reports
import WatchProtoCore

/// One thing that was sent, and what that put on the line.
struct RealExchange {
    var cell: RealCell
    /// When the link came up for it; nil where it was up.
    var openedAt: UInt64?
    /// When it began and all was over, in nanoseconds of CLOCK_MONOTONIC.
    var span: Range<UInt64>
    /// The packets that the phone offered to the line meanwhile.
    var offered: [OfferedPacket]
}

/// The two simulators and the link between them.
final class RealPair {
    let phone: SimulatorProcess
    let watch: SimulatorProcess
    let conditioner: LinkConditioner
    /// Exchanges so far: no two neighbours are alike.
    var updates = 0

    init(_ phone: SimulatorProcess, _ watch: SimulatorProcess, _ conditioner: LinkConditioner) {
        self.phone = phone
        self.watch = watch
        self.conditioner = conditioner
    }

    /// Waits until both sides' status is as wanted.
    ///
    /// - Throws: exit code 75 when it is not in time.
    func drain(
        _ supervisor: Supervisor, within patience: Duration, _ isOver: (JSONValue) -> Bool
    ) throws(RigFailure) {
        let deadline = MonotonicClock.nowNanoseconds + UInt64(patience.nanosecondsClamped)
        for simulator in [phone, watch] {
            while !isOver(try simulator.call("status")) {
                guard MonotonicClock.nowNanoseconds < deadline else {
                    throw RigFailure(
                        .timedOut,
                        "\(simulator.name) was not done with an exchange after "
                            + "\(patience.meaning).")
                }
                try supervisor.rest(.milliseconds(10))
            }
        }
    }

    /// The rows of the exchanges, from the traces of both sides.
    func rows(
        _ exchanges: [RealExchange], _ settings: BaselineSettings,
        _ simulated: [RealCell: BaselineSamples]
    ) throws(RigFailure) -> [RealRow] {
        var traces = PairTraces()
        try traces.read(phone, watch, timeout: .seconds(10))
        let join = traces.joined().down
        let counters = conditioner.counters
        var late = counters.up.lateness
        late.merge(counters.down.lateness)
        return RealCell.own.map { cell in
            var row = RealRow(cell, settings)
            row.lateness = late[.p99] ?? late.maximumNanoseconds ?? 0
            row.simulated = simulated[cell]
            for exchange in exchanges where exchange.cell == cell {
                Self.add(exchange, join, to: &row)
            }
            return row
        }
    }

    private static func add(_ exchange: RealExchange, _ join: TraceJoin, to row: inout RealRow) {
        let isComplication = exchange.cell.isComplication
        let entries = join.entries(
            kind: isComplication ? "complication" : "user_info", in: exchange.span)
        let count = isComplication ? 1 : RealPlan.recordsPerRound
        guard let accepted = entries.map(\.record.intended).min(), entries.count == count else {
            return row.add(nil, bytes: 0)
        }
        let start = exchange.openedAt ?? accepted
        // A complication counts when it is seen, records when both journals hold the last.
        let seen = entries.compactMap(\.visible)
        let ends = isComplication ? seen : entries.compactMap(\.durable)
        let end = ends.count == count ? ends.max() : nil
        let packets = exchange.offered.map { (at: $0.at, bytes: $0.bytes) }
        let bytes = Ideal.bytes(
            of: packets, from: Instant(nanoseconds: start),
            until: end.map { Instant(nanoseconds: $0) } ?? .distantFuture,
            row.settings.conditions)
        // One datagram can do it; a second copy is no part of the limit.
        let first = packets.first { $0.at.nanoseconds >= start }?.bytes
        let commit = end.map { $0 - min($0, seen.max() ?? $0) } ?? 0
        row.add(
            end.map { $0 - min($0, start) }, bytes: bytes,
            first: exchange.cell == .complication ? first ?? 0 : nil, commit: commit)
    }
}
