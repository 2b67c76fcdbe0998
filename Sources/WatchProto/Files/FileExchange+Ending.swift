import Locks
import WatchProtoCore
import WatchProtoJournal
import WatchProtoTransport

/// The ends of transfers, and their pauses.
extension FileExchange {
    func isWhole(_ arrival: Arrival, _ path: String) {
        remove(arrival)
        arrival.deliver(arrival.record.with(ReceivedFile.payload(path, arrival.offer)))
    }

    /// The application has taken a whole file. Returns whether a session took the answer.
    package func accept(_ id: RecordID) -> Bool {
        let link = state.withLock { $0.link }
        guard link?.applied(id, writes: center.removal(of: id)) == true else { return false }
        center.forget(id)
        return true
    }

    /// The other device said that it gives no blocks, or gives them again.
    func takeSignals() {
        let signals = state.withLock { state in
            defer { state.signals = [] }
            return state.signals
        }
        for (file, message) in signals {
            guard let arrival = state.withLock({ $0.arrivals.first { $0.file == file } }) else {
                continue
            }
            switch message {
            case .stopped(.paused): pause(arrival)
            case .stopped(.cancelled): refuse(arrival, Refused.cancelled)
            case .stopped(.changed): refuse(arrival, Refused.changed)
            default: change(arrival) { $0.isPaused = false }
            }
        }
        startNext()
    }

    /// Another file is fetched meanwhile.
    private func pause(_ arrival: Arrival) {
        change(arrival) { $0.isPaused = true }
        if state.withLock({ $0.fetch?.file == arrival.file }) { closePart() }
        let id = arrival.record.id
        center.told(
            id, durable(arrival), of: arrival.offer.size,
            "the other device paused the transfer")
    }

    /// Changes what is known of a file, unless it has ended.
    func change(_ arrival: Arrival, _ body: (inout Arrival) -> Void) {
        state.withLock { state in
            let id = arrival.record.id
            if let place = state.arrivals.firstIndex(where: { $0.record.id == id }) {
                body(&state.arrivals[place])
            }
        }
    }

    /// The bytes of a file that are known to be durable.
    func durable(_ arrival: Arrival) -> UInt64 {
        let id = arrival.record.id
        return state.withLock { $0.arrivals.first { $0.record.id == id }?.durable } ?? 0
    }

    func refuse(_ arrival: Arrival, _ code: UInt16) {
        let (id, link) = (arrival.record.id, state.withLock { $0.link })
        removePart(of: arrival)
        remove(arrival)
        if link?.rejected(id, code: code, writes: center.removal(of: id)) == true {
            center.forget(id)
        }
        startNext()
    }

    /// Removes the content of a file.
    func removePart(of arrival: Arrival) {
        let id = arrival.record.id
        if state.withLock({ $0.fetch?.arrival.record.id == id }) { closePart() }
        if let directory = center.directory {
            Directories.remove(ArrivingFile.Place(id, arrival.offer, in: directory).part)
        }
    }

    private func remove(_ arrival: Arrival) {
        let id = arrival.record.id
        if state.withLock({ $0.fetch?.arrival.record.id == id }) { closePart() }
        state.withLock { $0.arrivals.removeAll { $0.record.id == id } }
    }
}
