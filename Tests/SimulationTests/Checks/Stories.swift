import Simulation
import WatchProtoCore

/// Which checkers find something in a story of (side, observation) pairs that is told to all of
/// them.
func found(_ story: [(Int, RunObservation)]) -> [String] {
    var panel = CheckerPanel()
    for side in 0..<2 { panel.show(.started, side: side, at: .zero) }
    for (step, (side, observation)) in story.enumerated() {
        panel.show(observation, side: side, at: Instant(nanoseconds: UInt64(step)))
    }
    return panel.findings.map(\.checker)
}

/// The end of a run in which all had come to rest on a healed link.
var quietEnd: (Int, RunObservation) {
    let side = SideEnding(
        isReachable: true, outstanding: [], quietWakes: 0, quietTime: .seconds(5),
        wakesInOneMoment: 1, wire: WireTally(), runTime: .seconds(10))
    return (
        0,
        .ended(
            Ending(
                isHealed: true, isDrained: true, deadDirection: nil,
                carrier: EndingCarrier(isLossy: true), sides: [side, side]))
    )
}
