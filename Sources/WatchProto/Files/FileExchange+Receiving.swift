import Locks
package import WatchProtoCore
import WatchProtoJournal
import WatchProtoTransport

/// The files of the other device.
extension FileExchange {
    /// Receives the offer of a file. Called under the driver's lock.
    ///
    /// - Parameters:
    ///   - record: the offer. Its payload is not kept.
    ///   - deliver: receives the record when the file is whole: its payload then is that of a
    ///     ``ReceivedFile``. It must not keep the record of the offer.
    /// - Returns: pending, as the answer comes later; rejected by T-1.
    package func receive(
        _ record: InboundRecord, _ deliver: @escaping @Sendable (InboundRecord) -> Void
    ) -> Disposition {
        guard center.directory != nil else { return .rejected(code: Refused.noDirectory) }
        guard record.id.channel == .bulk, let file = record.idempotencyKey,
            let offer = try? FileOffer(record.payload)
        else { return .rejected(code: Rejection.unreadable.code) }
        let arrival = Arrival(
            record: record.with([]), offer: offer, file: file, deliver: deliver)
        guard state.withLock({ $0.add(arrival, record.payload.count, offerBounds) }) else {
            return .rejected(code: Refused.tooManyOffers)
        }
        center.work.add { [self] in readSignals() }
        return .pending
    }

    /// The offer of a file has its answer.
    func answered(_ id: RecordID) { state.withLock { $0.unanswered[id] = nil } }

    /// Opens the file of the first offer that is neither paused nor waits, and fetches the rest.
    func startNext() {
        while let (arrival, directory, link) = nextArrival() {
            let id = arrival.record.id
            // The application may have accepted it although no session took its answer.
            if let path = center.whole(id), (try? OpenFile(reading: path)) != nil {
                deliver(arrival, path)
                continue
            }
            // The journal has failed, and takes no other offer either.
            guard center.keep(id, from: counterpart, over: link) else {
                return failed(arrival, SystemErrorNumber.inputOutput.text)
            }
            let now = center.now()
            do throws(SystemErrorNumber) {
                let written = try part.withLock { part throws(SystemErrorNumber) -> UInt64 in
                    part = try ArrivingFile.open(
                        id, arrival.offer, in: directory, center.freeBytes, at: now)
                    return part?.received ?? 0
                }
                let isOpen = state.withLock { state in
                    guard let place = state.arrivals.firstIndex(where: { $0.record.id == id })
                    else { return false }
                    state.arrivals[place].durable = written
                    state.fetch = FileFetch(arrival, written: written, at: now)
                    return true
                }
                if !isOpen { continue }
                if written == arrival.offer.size { return finish() }
                return ask(isAnew: true)
            } catch {
                // A smaller file may have room.
                failed(arrival, error.text)
            }
        }
    }

    private func nextArrival() -> (Arrival, directory: String, link: any FileLink)? {
        state.withLock { state in
            guard let link = state.link, state.fetch == nil, let directory = center.directory,
                let next = state.arrivals.first(where: \.isReady)
            else { return nil }
            return (next, directory, link)
        }
    }

    /// Asks for the bytes that the file lacks, if few are on their way.
    ///
    /// - Parameter isAnew: whether those that were asked for will not come.
    func ask(isAnew: Bool) {
        let now = center.now()
        let due = state.withLock { state -> (any FileLink, UInt128, FileMessage)? in
            guard let link = state.link, state.isReachable, let arrival = state.fetch?.arrival
            else { return nil }
            let known = state.arrivals.first { $0.record.id == arrival.record.id }
            let message = state.fetch?.next(
                isAnew: isAnew, durable: known?.durable ?? 0, at: now)
            return message.map { (link, arrival.file, $0) }
        }
        if let (link, file, message) = due { send(message, of: file, over: link) }
    }

    /// Writes the blocks that came, in their order.
    func writeBlocks() {
        while let (arrival, block) = state.withLock({ state -> (Arrival, ArraySlice<UInt8>)? in
            guard let fetch = state.fetch, let block = state.blocks.first else { return nil }
            return (fetch.arrival, block)
        }) {
            let now = center.now()
            do throws(SystemErrorNumber) {
                try part.withLock { file throws(SystemErrorNumber) in try file?.append(block) }
                let isComplete = state.withLock { state in
                    if !state.blocks.isEmpty { state.blocks.removeFirst() }
                    state.fetch?.wrote(block.count)
                    return state.fetch?.isComplete ?? false
                }
                // Further blocks come while the disk is waited for.
                if !isComplete { ask(isAnew: false) }
                let durable = try part.withLock { file throws(SystemErrorNumber) -> UInt64? in
                    try file?.checkpoint(at: now) == true ? file?.durable : nil
                }
                if let durable {
                    change(arrival) { $0.durable = durable }
                    report(
                        FileReport(
                            id: arrival.record.id, done: durable, total: arrival.offer.size))
                }
                if isComplete { finish() }
            } catch {
                failed(arrival, error.text)
                startNext()
            }
        }
    }

    func closePart() {
        part.withLock { $0 = nil }
        state.withLock { state in
            state.fetch = nil
            state.blocks = []
        }
    }

    /// All bytes are here: the file gets its name if they are those of the offer.
    private func finish() {
        guard let arrival = state.withLock({ $0.fetch?.arrival }) else { return }
        do throws(SystemErrorNumber) {
            let path = try part.withLock { file throws(SystemErrorNumber) -> String? in
                guard let whole = file.take() else { return nil }
                return try whole.finish()
            }
            if let path {
                center.keepWhole(arrival.record.id, at: path)
                deliver(arrival, path)
                return startNext()
            }
        } catch {
            if error.isOfName { return refuse(arrival, Rejection.unreadable.code) }
            failed(arrival, error.text)
            return startNext()
        }
        if arrival.hasDiffered { return refuse(arrival, Refused.differs) }
        // Perhaps this disk lost bytes: the content is fetched once more.
        removePart(of: arrival)
        change(arrival) { (arrival) in (arrival.hasDiffered, arrival.durable) = (true, 0) }
        startNext()
    }
}
