extension RunDetail {
    /// How old what the face showed was.
    package struct FaceFigures: Hashable, Sendable {
        /// For how much of the time that it showed a value the phone had none newer, 0 to 1.
        package var upToDateShare: Double
        /// The longest time in nanoseconds that it showed one value while the phone had a newer.
        package var longestOutdated: UInt64
        /// The greatest age in nanoseconds, since the phone had it, that a shown value came to.
        package var oldest: UInt64
    }

    /// The figures of all values that another followed on the face: of the last, and of the last
    /// of each round, nobody knows how long it would have stayed. Nil where there was none.
    package var faceFigures: FaceFigures? {
        let face = face.filter { !$0.isCut }
        guard !face.isEmpty else { return nil }
        let shown = face.map { $0.replaced - min($0.shown, $0.replaced) }
        let outdated = face.map { span in
            span.outdated.map { span.replaced - min(max($0, span.shown), span.replaced) } ?? 0
        }
        let total = Double(shown.reduce(0, +))
        let share = total == 0 ? 1 : 1 - Double(outdated.reduce(0, +)) / total
        return FaceFigures(
            upToDateShare: share, longestOutdated: outdated.max() ?? 0,
            oldest: face.map { $0.replaced - min($0.made, $0.replaced) }.max() ?? 0)
    }
}
