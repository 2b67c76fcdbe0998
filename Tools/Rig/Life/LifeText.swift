import Bench
import CommandLine
import ControlProtocol

/// The table of a campaign of lives.
enum LifeText {
    private typealias Row = (
        name: String, decimals: Int, values: @Sendable (LifeFigures) -> [Double]
    )

    private static let rows: [Row] = [
        ("pushes a day", 0, { $0.pushesOfDay.map(Double.init) }),
        ("most pushes in 24 h", 0, { [Double($0.mostPushes)] }),
        ("radio wake-ups a day", 0, { $0.wakeUps.map(Double.init) }),
        ("energy a day, mJ", 0, { $0.millijoules }),
        ("link maintenance a day, mJ", 0, { $0.maintenance }),
        ("age on the face, link present, ms", 0, { $0.linkedAges.map(Double.init) }),
        ("age on the face, link absent, s", 0, { $0.unlinkedAges.map { Double($0) / 1000 } }),
        ("age of a state on the watch, s", 0, { $0.stateAges.map { Double($0) / 1000 } }),
        ("wrong dose shown, ms", 0, { $0.wrong.map(Double.init) }),
        ("wrong after a change of zone, s", 0, { $0.wrongByZone.map { Double($0) / 1000 } }),
        ("wrong dose shown in a life, s", 1, { [Double($0.wrong.reduce(0, +)) / 1000] }),
    ]

    /// The figures of the product, and beside it without planning and without the timeline.
    static func text(_ campaign: LifeCampaign) -> String {
        let count = campaign.results.count
        var text =
            "\(count == 1 ? "1 life" : "\(count) lives") of "
            + Counted.words(campaign.options.days, "day") + "\n\n"
        let parts: [(String, (LifeResult) -> LifeFigures)] = [
            ("the product", { $0.product }), ("without planning", { $0.unplanned }),
            ("without the timeline", { $0.frozen }),
        ]
        for (title, part) in parts {
            text += "\(padded(title, 36))         n        p50        p99        max\n"
            for row in rows {
                let spread = LifeSpread(campaign.results.flatMap { row.values(part($0)) })
                let cells = [0.5, 0.99, 1].map { share in
                    spread.value(share).map { Decimals.fixed($0, decimals: row.decimals) } ?? "-"
                }
                text += padded(row.name, 36) + aligned("\(spread.count)")
                text += cells.map(aligned).joined() + "\n"
            }
            text += "\n"
        }
        let four = campaign.wakeUpsOfFour
        text += "radio wake-ups on \(four.count) days of four doses: "
        for (name, share) in [("p50", 0.5), ("p90", 0.9), ("max", 1.0)] {
            text += "\(name) " + (four.value(share).map { "\(Int($0))" } ?? "-") + ", "
        }
        text += "goal of p90: \(LifePromise.wakeUps)\n"
        for (seed, promises) in campaign.broken {
            text += "seed \(seed) breaks: \(promises.map(\.rawValue).joined(separator: "; "))\n"
        }
        if let fault = campaign.options.fault {
            text += "the fault \(fault.rawValue) is \(campaign.passes ? "caught" : "NOT caught")\n"
            return text
        }
        if !campaign.reachesWakeUps { text += "the goal of wake-ups is missed\n" }
        if campaign.broken.isEmpty && campaign.reachesWakeUps {
            text += "no promise is broken\n"
        }
        return text
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func aligned(_ text: String) -> String {
        String(repeating: " ", count: max(1, 11 - text.count)) + text
    }
}
