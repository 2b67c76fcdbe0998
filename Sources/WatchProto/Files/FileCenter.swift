import Locks
package import WatchProtoCore
package import WatchProtoJournal
package import WatchProtoTransport

/// The files that a device sends and receives.
///
/// A device that sends a file keeps its path, and nothing of its content: the receiver fetches it
/// block by block, so a transfer goes on where it was after a cut, a restart or a reboot.
package final class FileCenter: Sendable {
    /// A file of this device, by the idempotency key of its offer and the device that it is for.
    struct Name: Hashable {
        var file: UInt128
        var counterpart: UInt128
    }

    struct State {
        /// The own offers that are under way.
        var offers: [RecordID: Name] = [:]
        var exchanges: [FileExchange] = []
        /// The received files that are whole and have no answer of the application.
        var whole: [RecordID: String] = [:]
    }

    let store: DeviceStorage
    /// The directory of received files; nil for a device that receives none.
    let directory: String?
    let work: any LedgerWorker
    /// The room on the disk of a file, in bytes.
    package typealias FreeBytes =
        @Sendable (borrowing OpenFile) throws(SystemErrorNumber) -> UInt64
    let freeBytes: FreeBytes
    let now: @Sendable () -> Instant
    let report: @Sendable (FileReport) -> Void
    let state = Mutex(State())

    /// Held while the state of an own file changes.
    private let changes = Mutex(())

    /// The file that was read last. No lock but this one is held while the disk is waited for.
    private struct OpenSource: ~Copyable, Sendable {
        var name: Name
        var open: OpenFile
    }

    private let source = Mutex<OpenSource?>(nil)

    /// Held from the look for the offer of a file until it is offered: of two calls for one file,
    /// the second one finds the offer of the first.
    let offering = Mutex(())

    /// The files of a device.
    ///
    /// - Parameters:
    ///   - store: keeps the paths of sent files, and the offers of received ones.
    ///   - directory: where received files are put; nil for nowhere.
    ///   - work: performs what waits for the disk.
    ///   - freeBytes: the room on the disk of a received file.
    ///   - now: the clock of the session.
    ///   - report: receives the progress of each transfer.
    package init(
        _ store: DeviceStorage, directory: String?, _ work: any LedgerWorker = SerialWork(),
        freeBytes: @escaping FreeBytes = { file throws(SystemErrorNumber) in
            try file.freeBytes()
        },
        now: @escaping @Sendable () -> Instant, report: @escaping @Sendable (FileReport) -> Void
    ) {
        self.store = store
        self.directory = directory
        self.work = work
        self.freeBytes = freeBytes
        self.now = now
        self.report = report
    }

    /// Whether nothing is to be done.
    package var isIdle: Bool { work.isIdle }

    // MARK: Files that are sent

    /// Keeps what is needed to give the blocks of a file to a device.
    ///
    /// - Returns: the writes that make that durable, for the record of the offer.
    package func keep(_ source: Source, as file: UInt128, for counterpart: UInt128) -> [SQLWrite] {
        let value = StoredValue(sending: file, source.path, source.stamp, to: counterpart)
        return store.keep(value).map { [$0] } ?? []
    }

    /// The record of an own offer that is under way.
    package func offer(of file: UInt128, for counterpart: UInt128) -> RecordID? {
        let name = Name(file: file, counterpart: counterpart)
        return state.withLock { state in state.offers.first { $0.value == name }?.key }
    }

    /// The offer of a file was refused. The former source of the file stays, if there was one.
    package func notOffered(
        _ file: UInt128, for counterpart: UInt128, keeping former: StoredValue? = nil
    ) {
        let value = sent(Name(file: file, counterpart: counterpart))
        if let former { _ = store.keep(former) } else if let value { store.forget(value) }
    }

    /// The offer of a file was accepted. Called under the driver's lock.
    package func offered(_ file: UInt128, for counterpart: UInt128, as id: RecordID) {
        state.withLock { $0.offers[id] = Name(file: file, counterpart: counterpart) }
    }

    /// A value of a former pairing is a record again; perhaps it is the offer of a file.
    package func sent(_ value: StoredValue, as id: RecordID) {
        guard value.kind == .file, let file = value.idempotencyKey else { return }
        offered(file, for: value.counterpart, as: id)
    }

    /// An offer goes on under another identity.
    package func renamed(_ id: RecordID, as other: RecordID) {
        state.withLock { state in
            if let name = state.offers.removeValue(forKey: id) { state.offers[other] = name }
        }
    }

    /// A record has ended. Returns the writes that forget its file.
    package func settled(_ id: RecordID) -> [SQLWrite] {
        guard id.channel == .bulk,
            let name = state.withLock({ $0.offers.removeValue(forKey: id) })
        else { return [] }
        work.add { [self] in source.withLock { if $0?.name == name { $0 = nil } } }
        return changes.withLock { _ in
            guard let value = sent(name) else { return [] }
            store.forget(value)
            return store.removal(of: value)
        }
    }

    /// Pauses the transfer of an own file, lets it go on, or cancels it for good.
    ///
    /// - Returns: whether the record is the offer of a file that is under way in an open session.
    package func change(_ id: RecordID, to state: FileState) -> Bool {
        let found = self.state.withLock { state -> (Name, FileExchange)? in
            guard let name = state.offers[id] else { return nil }
            return state.exchanges.first { $0.counterpart == name.counterpart }.map { (name, $0) }
        }
        guard let (name, exchange) = found else { return false }
        let kept = changes.withLock { _ -> (former: StoredValue, write: SQLWrite?)? in
            guard let former = sent(name), former.fileState != .cancelled else { return nil }
            var value = former
            value.fileState = state
            return (former, store.keep(value))
        }
        guard let kept else { return false }
        let message: FileMessage =
            switch state {
            case .sending: .resumed
            case .paused: .stopped(.paused)
            case .cancelled: .stopped(.cancelled)
            }
        if exchange.signal(message, of: name.file, kept.write) { return true }
        _ = changes.withLock { _ in sent(name) == nil ? nil : store.keep(kept.former) }
        return false
    }

    func sent(_ name: Name) -> StoredValue? {
        store.values(.sentFile, of: name.counterpart).first { $0.key.rawValue == name.file }
    }

    /// The bytes of an own file.
    func size(of name: Name) -> UInt64? { sent(name)?.source?.stamp.size }

    /// The answer to a request.
    enum Content {
        /// The message of a block with so many bytes of the file.
        case block([UInt8], byteCount: Int)
        case stopped(FileMessage.Reason, problem: String? = nil)
        /// The file has no such byte.
        case nothing
    }

    /// The message with bytes of a file that was offered, if it is the same as then.
    func content(of name: Name, at offset: UInt64, _ count: Int) -> Content {
        guard let value = sent(name), let source = value.source else { return .stopped(.changed) }
        switch value.fileState {
        case .sending: break
        case .paused: return .stopped(.paused)
        case .cancelled: return .stopped(.cancelled)
        }
        let (path, stamp) = source
        guard offset < stamp.size else { return .nothing }
        let wanted = Int(min(UInt64(count), stamp.size - offset))
        let head = FileMessage.head(ofBlockAt: offset, of: name.file)
        return self.source.withLock { known in
            do throws(SystemErrorNumber) {
                if known?.name != name {
                    known = OpenSource(name: name, open: try OpenFile(reading: path))
                }
                let isSame = try known?.open.stamp() == stamp
                let bytes = try known?.open.read(at: offset, count: wanted, behind: head) ?? []
                if !isSame || offset + UInt64(wanted) == stamp.size { known = nil }
                let isWhole = isSame && bytes.count == head.count + wanted
                return isWhole ? .block(bytes, byteCount: wanted) : .stopped(.changed)
            } catch {
                known = nil
                if error.isNoFile || error.isNoRegularFile { return .stopped(.changed) }
                return .stopped(.unreadable, problem: error.text)
            }
        }
    }

    // MARK: Sessions

    /// A session begins, with these offers under way.
    func add(
        _ exchange: FileExchange, with counterpart: UInt128,
        _ offers: [OutboundRecord]
    ) {
        state.withLock { state in
            for offer in offers {
                guard let file = offer.idempotencyKey else { continue }
                state.offers[offer.id] = Name(file: file, counterpart: counterpart)
            }
            state.exchanges.append(exchange)
        }
    }

    func remove(_ exchange: FileExchange, with counterpart: UInt128) {
        state.withLock { state in
            state.exchanges.removeAll { $0 === exchange }
            for (id, name) in state.offers where name.counterpart == counterpart {
                state.offers[id] = nil
            }
        }
    }
}
