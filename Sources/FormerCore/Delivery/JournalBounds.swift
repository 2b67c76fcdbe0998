/// How much of the past a journal remembers. The image and the peer that starts from it keep to
/// those of the image; a simulator sets smaller ones, to meet them.
package struct JournalBounds: Hashable, Sendable {
    /// Epochs of either side; open ones stay, however many.
    package var epochs = 1024

    package init() {}
}

extension JournalImage {
    /// Whether the counterpart's journal, which is this one, has forgotten what came after a
    /// backup, or is about to: who was restored from that must pair anew.
    package func isTooOld(_ backup: JournalImage) -> Bool {
        // What is not written yet may push two more out.
        let stays = counterpartLineage.epochs.map(\.id)
            .suffix(max(0, bounds.epochs - 2))
        let leaving = counterpartLineage.epochs.map(\.id.stamp).dropLast(stays.count)
        guard let through = ([counterpartLineage.forgottenThrough ?? 0] + leaving).max() else {
            return false
        }
        return backup.ownEpochs.contains { $0.id.stamp <= through && !stays.contains($0.id) }
    }
}
