import Locks
package import WatchProtoCore
package import WatchProtoJournal
import WatchProtoTransport

/// The files of other devices.
extension FileCenter {
    private func arriving(_ id: RecordID) -> StoredValue? {
        store.values(.arrivingFile).first { $0.key == id.storedKey }
    }

    /// Keeps durably that content of a file may be here, which no sweep removes then.
    ///
    /// - Returns: false if the session is closed or its journal has failed.
    func keep(_ id: RecordID, from counterpart: UInt128, over link: any FileLink) -> Bool {
        if arriving(id) != nil { return true }
        let value = StoredValue(arriving: id, from: counterpart)
        guard let write = store.keep(value) else { return true }
        if link.write([write]), (try? store.file?.flush()) != nil { return true }
        store.forget(value)
        return false
    }

    /// Removes contents that no offer is about any more: their pairing is gone, or the journal lost
    /// them. Called by the work.
    func sweep() {
        guard let directory else { return }
        let kept = store.values(.arrivingFile).map(\.key)
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
    func keepWhole(_ id: RecordID, at path: String) { state.withLock { $0.whole[id] = path } }

    /// The path of a file that is whole and has no answer.
    func whole(_ id: RecordID) -> String? { state.withLock { $0.whole[id] } }

    /// The writes that forget a file, for the answer to its offer.
    package func removal(of id: RecordID) -> [SQLWrite] {
        arriving(id).map { store.removal(of: $0) } ?? []
    }

    /// The answer to the offer of a file was taken.
    package func forget(_ id: RecordID) {
        let exchanges = state.withLock { state in
            state.whole[id] = nil
            return state.exchanges
        }
        for exchange in exchanges { exchange.answered(id) }
        if let value = arriving(id) { store.forget(value) }
    }
}
