import Locks
import WatchProtoCore
import WatchProtoJournal
import WatchProtoTransport

/// The ends of transfers, and their pauses.
extension FileExchange {
    /// Gives a whole file to its application.
    func deliver(_ arrival: Arrival, _ path: String) {
        remove(arrival)
        arrival.deliver(arrival.record.with(ReceivedFile.payload(path, arrival.offer)))
    }

    /// The application has accepted a whole file. Returns whether a session took the answer.
    package func accept(_ id: RecordID) -> Bool {
        let link = state.withLock { $0.link }
        guard link?.applied(id, writes: center.removal(of: id)) == true else { return false }
        // A journal that was opened again may have given the offer again.
        state.withLock { state in
            state.arrivals.removeAll { $0.record.id == id }
        }
        center.forget(id)
        return true
    }

    /// The other device said that it gives no blocks, or gives them again.
    func readSignals() {
        let signals = state.withLock { state -> [(Arrival, FileMessage)] in
            guard state.link != nil else { return [] }
            return state.arrivals.indices.compactMap { place in
                let message = state.arrivals[place].signal.take()
                return message.map { (state.arrivals[place], $0) }
            }
        }
        for (arrival, message) in signals {
            switch message {
            // The application has the whole file, and answers the offer.
            case .stopped where center.whole(arrival.record.id) != nil: break
            case .stopped(.paused):
                rest(arrival, "the other device paused the transfer") { $0.isPaused = true }
            case .stopped(.unreadable):
                failed(arrival, "the other device cannot read the file")
            case .stopped(.cancelled): refuse(arrival, Refused.cancelled)
            case .stopped(.changed): refuse(arrival, Refused.changed)
            default: change(arrival) { ($0.isPaused, $0.retryAt) = (false, nil) }
            }
        }
        startNext()
    }

    /// A disk failed, for instance because it is full. The transfer goes on after a pause.
    func failed(_ arrival: Arrival, _ problem: String) {
        let end = center.now().advanced(by: Self.pause)
        rest(arrival, problem) { $0.retryAt = end }
        // The driver asks for the deadline.
        _ = state.withLock { $0.link }?.write([])
    }

    /// The durable bytes of a file stay, and another one is fetched meanwhile.
    private func rest(
        _ arrival: Arrival, _ problem: String, _ change: (inout Arrival) -> Void
    ) {
        self.change(arrival, change)
        let id = arrival.record.id
        if state.withLock({ $0.fetch?.arrival.record.id == id }) { closePart() }
        report(
            FileReport(
                id: id, done: durable(arrival), total: arrival.offer.size, problem: problem))
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
            ArrivingFile.remove(id, arrival.offer, in: directory)
        }
    }

    private func remove(_ arrival: Arrival) {
        let id = arrival.record.id
        if state.withLock({ $0.fetch?.arrival.record.id == id }) { closePart() }
        state.withLock { $0.arrivals.removeAll { $0.record.id == id } }
    }
}
