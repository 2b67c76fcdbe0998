/// How much of the past a journal remembers. The image and the peer that starts from it keep to
/// those of the image; a simulator sets smaller ones, to meet them.
package struct JournalBounds: Hashable, Sendable {
    /// Epochs of either side; open ones stay, however many.
    package var epochs = 1024
    /// Records whose outcomes are remembered.
    package var outcomes = OutcomeLog.capacity

    package init() {}
}

extension JournalImage {
    /// Whether the counterpart's journal, which is this one, has forgotten what came after a
    /// backup, or is about to: who was restored from that must pair anew.
    package func isTooOld(_ backup: JournalImage) -> Bool {
        guard let newest = backup.newestEpoch?.id else { return false }
        // What is not written yet may push two more out.
        var stays = counterpartLineage.epochs.map(\.id)
        var forgotten = counterpartLineage.forgotten
        while stays.count > max(0, bounds.epochs - 2) {
            forgotten.note(stays.removeFirst(), staying: [])
        }
        let fresh = backup.lineage.next(newest, after: newest)
        return (backup.ownEpochs.map(\.id) + [fresh]).contains { id in
            !stays.contains(id) && forgotten.contains(id)
        }
    }
}
