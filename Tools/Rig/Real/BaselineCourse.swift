import Bench
import CommandLine
import ControlProtocol
import Glibc
import Locks
import NetworkEmulation
import Simulation
import WatchProtoCore
import WatchProtoTransport

/// Kernel TCP beside it: a thread of its own, a tunnel, a conditioner with the same network
/// conditions.
final class BaselineCourse: Sendable {
    private struct State {
        var rows: [RealRow]
        var counters: ConditionerCounters?
        var congestion: String?
        var skipped: String?
        var isOver = false
    }

    private let state: Mutex<State>
    private let mayGoOn = Atomic<Bool>(true)
    private let thread = Mutex<SystemThread?>(nil)

    /// An exchange that takes longer is given up, and counts as never over.
    private static let patience: UInt64 = 20_000_000_000

    /// Begins at once.
    init(_ settings: BaselineSettings, _ plan: RealPlan, until deadline: UInt64) {
        let cells = [RealCell.lineWarm, .lineCold, .linesWarm, .linesCold]
        state = Mutex(State(rows: cells.map { RealRow($0, settings) }))
        do throws(SystemErrorNumber) {
            let made = try SystemThread { [self] in
                run(settings, plan, until: deadline)
                state.withLock { $0.isOver = true }
            }
            thread.withLock { $0 = made }
        } catch {
            state.withLock {
                $0.skipped = "no thread (errno \(error.rawValue))"
                $0.isOver = true
            }
        }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Ends it early, and waits for its end.
    func stop() {
        mayGoOn.store(false, ordering: .relaxed)
        thread.withLock { $0?.join() }
    }

    /// The measured value, or why nothing was.
    func add(to report: inout RealReport) {
        state.withLock { state in
            report.skipped = state.skipped
            guard state.skipped == nil, let counters = state.counters else { return }
            report.rows += state.rows
            report.conditioners["tcp"] = counters.json
            report.notes.append(RealRun.lateness("TCP", counters))
            report.notes.append(
                "TCP: \(state.congestion ?? "unknown") congestion control, packets of up to "
                    + "\(LinkTunnel.packetBytes) bytes with their IP headers; receipts, keys and "
                    + "journals are no part of it")
        }
    }

    private func run(_ settings: BaselineSettings, _ plan: RealPlan, until deadline: UInt64) {
        let tunnel: LinkTunnel
        do throws(LinkTunnel.Refusal) {
            tunnel = try LinkTunnel()
        } catch {
            return skip("\(error); it needs the rights of root and /dev/net/tun")
        }
        let conditions = NetworkConditions(settings.profile, reading: settings.reading)
        do {
            let conditioner = try LinkConditioner(
                tunnel: tunnel, conditions: conditions, seed: settings.seed)
            let exchange = try LineExchange(tunnel) { [self] in
                mayGoOn.load(ordering: .relaxed)
            }
            measure(exchange, conditioner, settings, plan, until: deadline)
            // The last packets of the connection still find a link.
            exchange.disconnect()
            let counters = conditioner.close()
            state.withLock { $0.counters = counters }
        } catch {
            skip("\(error)")
        }
    }

    private func skip(_ reason: String) { state.withLock { $0.skipped = reason } }

    private func measure(
        _ exchange: LineExchange, _ conditioner: LinkConditioner, _ settings: BaselineSettings,
        _ plan: RealPlan, until deadline: UInt64
    ) {
        // An earlier exchange of each kind: the connection is warm.
        _ = exchange.sendWarm(Self.bytes(.linesWarm, 0), until: deadline + Self.patience)
        let congestion = exchange.congestion
        state.withLock { $0.congestion = congestion }
        var number = 0
        for round in 0..<plan.rounds {
            let cells =
                [RealCell.linesWarm, .linesCold, .lineCold]
                + [RealCell](repeating: .lineWarm, count: plan.updates(of: round))
            for cell in cells {
                number += 1
                exchange.settle(until: deadline + Self.patience)
                guard rest(RealPlan.pause(number, settings)),
                    MonotonicClock.nowNanoseconds < deadline
                else { return }
                _ = conditioner.takeOffered()
                let start = SystemClock.now
                let limit = start.nanoseconds + Self.patience
                let bytes = Self.bytes(cell, number)
                let isCold = cell == .lineCold || cell == .linesCold
                let time =
                    isCold
                    ? exchange.sendCold(bytes, until: limit)
                    : exchange.sendWarm(bytes, until: limit)
                guard mayGoOn.load(ordering: .relaxed) else { return }
                let end = time.map { start.advanced(by: .nanoseconds(Int64($0))) }
                let sent = Ideal.bytes(
                    of: conditioner.takeOffered().map { ($0.at, $0.bytes) }, from: start,
                    until: end ?? .distantFuture, settings.conditions)
                state.withLock { state in
                    for place in state.rows.indices where state.rows[place].cell == cell {
                        state.rows[place].add(time, bytes: sent)
                    }
                }
            }
        }
    }

    /// Says whether to go on afterwards.
    private func rest(_ time: Duration) -> Bool {
        let end = MonotonicClock.nowNanoseconds + UInt64(max(0, time.nanosecondsClamped))
        while mayGoOn.load(ordering: .relaxed) {
            let now = MonotonicClock.nowNanoseconds
            if now >= end { return true }
            usleep(UInt32(min(end - now, 50_000_000) / 1_000 + 1))
        }
        return false
    }

    private static func bytes(_ cell: RealCell, _ number: Int) -> [UInt8] {
        guard cell == .linesWarm || cell == .linesCold else {
            return RecordLine.complication(number)
        }
        return (0..<RealPlan.recordsPerRound).flatMap {
            RecordLine.record(number &* 1000 &+ $0, bytes: RealPlan.recordBytes)
        }
    }
}
