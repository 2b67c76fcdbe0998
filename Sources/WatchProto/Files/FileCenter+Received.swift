import Locks
package import WatchProtoCore
package import WatchProtoJournal
import WatchProtoTransport

/// The files of other devices.
extension FileCenter {
    private func arriving(_ id: RecordID) -> StoredValue? {
        store.values(.arrivingFile).first { $0.key == id.storedKey }
    }

    /// The bytes of a file that are durable here; nil for a file of which nothing was kept.
    func durable(_ id: RecordID) -> UInt64? { arriving(id)?.durableBytes }

    /// Keeps the progress of a file; gives the write.
    func keep(durable: UInt64, of id: RecordID, from counterpart: UInt128) -> [SQLWrite] {
        store.keep(StoredValue(arriving: id, durable, from: counterpart)).map { [$0] } ?? []
    }

    /// Waits until what was kept is durable. Returns whether it is.
    func flush() -> Bool { (try? store.file?.flush()) != nil || store.file == nil }

    /// Removes contents that no offer is about any more: their pairing is gone, or the journal lost
    /// them. Called by the work.
    func sweep() {
        guard let directory else { return }
        let exchanges = state.withLock { $0.exchanges }
        let kept = store.values(.arrivingFile).map(\.key) + exchanges.compactMap(\.fetchedKey)
        for name in Directories.names(in: directory) {
            guard let key = ArrivingFile.Place.key(ofPart: name), !kept.contains(key) else {
                continue
            }
            Directories.remove("\(directory)/\(name)")
        }
    }

    /// A pairing is gone, and so are its offers.
    package func pairingEnded() { work.add { [self] in sweep() } }

    /// A file is whole, and the application is to get it.
    func isWhole(_ id: RecordID, at path: String) { state.withLock { $0.whole[id] = path } }

    /// The path of a file that is whole and has no answer.
    func whole(_ id: RecordID) -> String? { state.withLock { $0.whole[id] } }

    /// The writes that forget a file, for the answer to its offer.
    package func removal(of id: RecordID) -> [SQLWrite] {
        arriving(id).map { store.removal(of: $0) } ?? []
    }

    /// The answer to the offer of a file was taken.
    package func forget(_ id: RecordID) {
        state.withLock { _ = $0.whole.removeValue(forKey: id) }
        if let value = arriving(id) { store.forget(value) }
    }
}
