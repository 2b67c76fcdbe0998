import Bench
import CommandLine
import ControlProtocol
import Reports

extension DemoRun {
    /// Lays the traces of both sides beside each other: latencies, and what was lost or came twice.
    func joinTraces(isComplete: Bool) throws(RigFailure) {
        let (phone, watch) = try both()
        var traces = PairTraces()
        try traces.read(phone, watch, timeout: options.timeout)
        let (down, up) = traces.joined(quietAt: isComplete ? quiet : .max)
        detail = RunDetail(of: start..<MonotonicClock.nowNanoseconds, isComplete: isComplete)
        detail?.addFace(down)
        measureLoad(down: down, up: up)
        if hasPackets { try joinPackets() }
        measureList(down)
        measureCuts(down: down, up: up)
        if isComplete { measureDelivery([("phone to watch", down), ("watch to phone", up)]) }
    }

    // MARK: Latencies

    private func measureLoad(down: TraceJoin, up: TraceJoin) {
        if let span = spans.load {
            for row in Self.load {
                let entries = (row.sender == .phone ? down : up).entries(kind: row.kind, in: span)
                detail?.add(
                    entries, series: row.series, isFromWatch: row.sender == .watch,
                    until: \.visible)
                let filled = latencies(row.series, entries)
                series.append(filled)
                guard let target = row.target else { continue }
                guard isDurable, TargetTable.target(target)?.asksForDurable == true else {
                    evaluate(target, filled)
                    continue
                }
                var durable = LatencySeries(row.series + ", durable")
                add(entries, to: &durable, of: \.durableNanoseconds)
                evaluate(target, durable)
                series.append(durable)
            }
            measureDoses([down, up].flatMap { $0.entries(kind: "dose", in: span) })
            measureRoundTrips(down.entries(kind: "message", in: span))
        }
        if let span = spans.background {
            let background = latencies(
                "complication, background", down.entries(kind: "complication", in: span))
            evaluate("complication.background", background)
            series.append(background)
        }
        var seconds = LatencySeries("complication, second of two")
        for span in spans.seconds {
            add(down.entries(kind: "complication", in: span), to: &seconds)
        }
        evaluate("complication.second", seconds)
        series.append(seconds)
        var pushes = LatencySeries("push, idle link")
        for span in spans.pushes {
            add(down.entries(kind: "medication", in: span), to: &pushes, of: reached)
        }
        evaluate("sync.push", pushes)
        series.append(pushes)
    }

    private func measureDoses(_ entries: [TraceJoin.Entry]) {
        var recorded = LatencySeries("dose, durable after the tap")
        add(entries, to: &recorded, of: \.recordedNanoseconds)
        evaluate("dose.recorded", recorded)
        var closed = LatencySeries("dose, closed on the other device")
        add(entries, to: &closed, of: reached)
        evaluate("dose.closed", closed)
    }

    private func measureRoundTrips(_ entries: [TraceJoin.Entry]) {
        var trips = LatencySeries(Self.roundTrip)
        for entry in entries {
            let intended = entry.record.intended
            guard let replied = entry.record.replied, replied > intended else { continue }
            trips.record(
                replied - intended, message: entry.record.name,
                atNanoseconds: intended - min(start, intended))
        }
        series.append(trips)
    }

    private func latencies(_ name: String, _ entries: [TraceJoin.Entry]) -> LatencySeries {
        var filled = LatencySeries(name)
        add(entries, to: &filled)
        return filled
    }

    /// The latency that counts for targets about durable records: until both files hold the record,
    /// where there are files.
    private var reached: KeyPath<TraceJoin.Entry, UInt64?> {
        isDurable ? \.durableNanoseconds : \.latencyNanoseconds
    }

    private func add(
        _ entries: [TraceJoin.Entry], to filled: inout LatencySeries,
        of latency: KeyPath<TraceJoin.Entry, UInt64?> = \.latencyNanoseconds
    ) {
        for entry in entries {
            guard let latency = entry[keyPath: latency] else { continue }
            filled.record(
                latency, message: entry.record.name,
                atNanoseconds: entry.record.intended - min(start, entry.record.intended))
        }
    }

    /// Measures the target `id` by `filled`.
    func evaluate(_ id: String, _ filled: LatencySeries, remark: String? = nil) {
        guard let target = TargetTable.target(id) else { return }
        guard var measurement = target.measurement(of: filled) else { return }
        measurement.remark = remark
        measured.append((id, measurement))
    }

    private func measureList(_ down: TraceJoin) {
        guard let span = spans.list else { return }
        let entries = down.entries(kind: "medication", in: span)
        guard !entries.isEmpty, let last = lastReached(entries) else { return }
        found(
            "sync.list", Double(last - min(last, span.lowerBound)),
            samples: UInt64(entries.count))
    }

    private func measureCuts(down: TraceJoin, up: TraceJoin) {
        var caughtUp = LatencySeries("caught up")
        var reads: [Range<UInt64>] = []
        var progressCount = 0
        for cut in spans.cuts {
            let entries = down.entries(in: cut.changed) + up.entries(in: cut.changed)
            guard let last = lastReached(entries) else { continue }
            let time = last - min(last, cut.reopened)
            reads += cut.reads.filter { $0.lowerBound < last }
            progressCount += cut.progressCount
            // Changes of one medication that replaced one another are no work for the link.
            let items = UInt64(entries.count { !$0.isSuperseded })
            found(cut.name, Double(time), samples: items)
            caughtUp.record(
                time, message: cut.name, atNanoseconds: cut.reopened - min(start, cut.reopened))
            if cut.name == "stress.time", time > 0 {
                found("stress.rate", Double(items) * 1e9 / Double(time), samples: items)
            }
        }
        evaluateCatchingUp(caughtUp, reads: reads, progressCount: progressCount)
        series.append(caughtUp)
    }

    /// The target asks for three things: to be caught up in time, local reads meanwhile, and that
    /// progress is told. Without one of the latter two the time alone says nothing.
    private func evaluateCatchingUp(
        _ caughtUp: LatencySeries, reads: [Range<UInt64>], progressCount: Int
    ) {
        guard let longest = reads.map({ $0.upperBound - $0.lowerBound }).max(), progressCount > 0
        else {
            let missing = reads.isEmpty ? "no local read" : "no progress told"
            guard caughtUp.histogram.count > 0 else { return }
            return found("reconnect", nil, samples: caughtUp.histogram.count, missing)
        }
        let milliseconds = Decimals.fixed(Double(longest) / 1e6, decimals: 2)
        evaluate("reconnect", caughtUp, remark: "reads <= \(milliseconds) ms")
        notes.append(
            "catching up: \(Counted.words(reads.count, "local read")) of the watch meanwhile, each answered within "
                + "\(milliseconds) ms; progress was told \(Counted.words(progressCount, "time"))")
    }

    /// When the last of `entries` was seen, and held by both files where there are some; nil when
    /// one never was.
    private func lastReached(_ entries: [TraceJoin.Entry]) -> UInt64? {
        let seen = entries.compactMap { isDurable ? $0.durable : $0.visible }
        return seen.count == entries.count ? seen.max() : nil
    }

    // MARK: Exactly once

    private func measureDelivery(_ joins: [(name: String, join: TraceJoin)]) {
        var total = 0
        var wrong = 0
        var remarks: [String] = []
        for (name, join) in joins {
            let superseded = join.entries.count(where: \.isSuperseded)
            total += join.entries.count
            wrong += join.wrongCount
            counts[name] = [
                "records": .whole(join.entries.count), "lost": .whole(join.lost.count),
                "twice": .whole(join.twice.count), "unknown": .whole(join.unknown.count),
                "superseded": .whole(superseded),
            ]
            notes.append(
                "\(name): \(Counted.words(join.entries.count, "record")), \(join.lost.count) lost, "
                    + "\(join.twice.count) twice, \(superseded) replaced by a newer value"
            )
            if isDurable {
                let volatile = join.entries.count { entry in
                    entry.deliveryCount > 0 && entry.durable == nil
                        && entry.record.channel != "interactive"
                }
                wrong += volatile
                if volatile > 0 {
                    notes.append(
                        "\(name): \(Counted.words(volatile, "record")) never stood in both files")
                }
            }
            remarks += join.lost.prefix(5).map { "lost: \($0.name)" }
            remarks += join.twice.prefix(5).map { "twice: \($0.name)" }
            remarks += join.unknown.prefix(5).map { "from nowhere: \($0.identity)" }
        }
        cautions += remarks
        guard total > 0 else { return }
        let percent = 100 * Double(max(0, total - wrong)) / Double(total)
        found(
            "delivery.exact", percent, samples: UInt64(total),
            wrong > 0 ? "\(wrong) of \(total) wrong" : Counted.words(total, "record"))
    }
}
