import WatchProto

@testable import SimKit

/// Which checkers find something in a story of (side, sight) pairs that is told to all of them.
func found(_ story: [(Int, Sight)]) -> [String] {
    var panel = CheckerPanel()
    for side in 0..<2 { panel.show(.started, side: side, at: .zero) }
    for (step, (side, sight)) in story.enumerated() {
        panel.show(sight, side: side, at: Instant(nanoseconds: UInt64(step)))
    }
    return panel.findings.map(\.checker)
}
