import ControlProtocol
import Locks
import Pictures
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// `picture.get`, `picture.list`, `picture.status` and `memory.pressure`. Replies follow.
extension WatchPictures {
    /// The picture that a command asks for.
    private struct Wanted {
        var name: PictureName
        var side: Int
        /// Whether the phone is asked in any case.
        var isForced: Bool
        var timeout: Duration
    }

    /// Gives a picture: the one that is here for as long as it is fresh, else the phone's.
    func get(_ request: ControlRequest, of medication: UInt128) throws(ControlError) {
        let expected = PictureSize.allCases.map { "'\($0.controlName)'" }.joined(separator: " or ")
        let word = try request.optionalString("size", expected: expected) ?? "thumbnail"
        guard let size = PictureSize(controlName: word) else {
            throw .badField("size", expected: expected, found: word)
        }
        let usual: Int64 = size == .thumbnail ? 96 : 400
        let side = try request.optionalInteger("side", in: 1...1920) ?? usual
        let wanted = Wanted(
            name: PictureName(medication, size), side: Int(side),
            isForced: try request.flag("refresh", default: false),
            timeout: .milliseconds(
                try request.optionalInteger(
                    "timeout_ms", in: 1...EventCondition.longestMilliseconds) ?? 30_000))
        try open()
        let (id, begun) = (request.id, SystemClock.now)
        state.withLock { $0.simulator }?.begin(request)
        work.add { [self] in get(wanted, id, begun) }
    }

    private func get(_ wanted: Wanted, _ id: JSONValue, _ begun: Instant) {
        let name = wanted.name
        let number = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        let waiter = Waiter(id: id, begun: begun, side: wanted.side, number: number)
        if !wanted.isForced {
            let found = look(name, wanted.side)
            let isFresh = state.withLock { state in
                state.cache?.count(found)
                return found.flatMap { state.cache?.isFresh($0) } ?? false
            }
            if let found, isFresh {
                return reply(waiter, .success(members(found, name, from: nil, since: begun)))
            }
        }
        guard hasRoom else { return reply(waiter, .failure(Self.tooMany)) }
        work.add({ [self] in timeIsOver(waiter, name) }, after: wanted.timeout)
        let question = state.withLock { state -> PictureMessage.Request? in
            if state.fetches[name] != nil {
                state.joined += 1
                state.fetches[name]?.waiters.append(waiter)
                return nil
            }
            // By force, a whole picture comes in the form that suits the link now.
            let isNew = wanted.isForced && name.size == .whole
            let small = PictureName(name.medication, .thumbnail)
            let question = PictureMessage.Request.fetch(
                name, held: isNew ? 0 : state.cache?.version(of: name) ?? 0,
                heldThumbnail: state.cache?.version(of: small) ?? 0)
            state.fetches[name] = Fetch(question: question, asker: number, waiters: [waiter])
            return question
        }
        if let question { ask(question, for: name) }
    }

    private func ask(_ question: PictureMessage.Request, for name: PictureName) {
        let simulator = state.withLock { state in
            state.asked += 1
            return state.simulator
        }
        simulator?.ask(question, within: Self.patience) { [self] result in
            work.add { [self] in take(result, name) }
        }
    }

    /// The phone has replied about a picture.
    private func take(
        _ result: Result<PictureMessage.Reply?, ControlError>, _ name: PictureName
    ) {
        switch result {
        case .success(.follows): break
        case .success(.notModified):
            state.withLock { $0.cache?.confirm(name, now: Self.now) }
            answer(name, from: nil)
        case .success(PictureMessage.Reply.none?):
            state.withLock { $0.cache?.remove(medication: name.medication) }
            refuse(name, Self.noPicture)
        case .success: refuse(name, Self.noPictures)
        case .failure(let error): refuse(name, error)
        }
    }

    static var noPictures: ControlError {
        ControlError("no_pictures", ["expected": "a phone that has pictures"])
    }

    /// A command has waited long enough. If it was the one that asked, the next one asks again.
    private func timeIsOver(_ waiter: Waiter, _ name: PictureName) {
        let (isWaiting, question) = state.withLock { state -> (Bool, PictureMessage.Request?) in
            guard var fetch = state.fetches[name],
                let place = fetch.waiters.firstIndex(where: { $0.number == waiter.number })
            else { return (false, nil) }
            fetch.waiters.remove(at: place)
            let next = fetch.waiters.first
            let isAsker = fetch.asker == waiter.number
            if isAsker, let next { fetch.asker = next.number }
            state.fetches[name] = next == nil ? nil : fetch
            return (true, isAsker && next != nil ? fetch.question : nil)
        }
        guard isWaiting else { return }
        refuse(waiter, name, ControlError("not_fetched", ["cause": "timed_out"]))
        if let question { ask(question, for: name) }
    }

    /// Whether one more command may wait.
    var hasRoom: Bool {
        state.withLock { state in
            let waiting = state.fetches.values.reduce(state.listWaiters.count) {
                $0 + $1.waiters.count
            }
            return waiting < Self.mostWaiters
        }
    }

    private static let mostWaiters = 256

    static var tooMany: ControlError {
        ControlError("too_many_waits", ["limit": .whole(mostWaiters)])
    }

    // MARK: The state

    /// The pictures that are held, and the counters.
    func status() throws(ControlError) -> JSONObject {
        try open()
        return state.withLock { state in
            guard let cache = state.cache else { return JSONObject() }
            let counters = cache.counters
            return JSONValue.members([
                "count": .whole(cache.names.count), "disk_bytes": .whole(cache.diskBytes),
                "memory_bytes": .whole(cache.memoryBytes),
                "hits": [
                    "memory": .whole(counters.memoryHits), "disk": .whole(counters.diskHits),
                    "list": .whole(state.listHits),
                ],
                "misses": .whole(counters.misses), "unreadable": .whole(counters.unreadable),
                "evicted": [
                    "age": .whole(counters.removed.age), "count": .whole(counters.removed.count),
                    "bytes": .whole(counters.removed.bytes),
                ],
                "asked": .whole(state.asked), "joined": .whole(state.joined),
                "waiting": .whole(state.fetches.values.reduce(0) { $0 + $1.waiters.count }),
            ])
        }
    }

    /// Gives memory back, as if the system had asked for it.
    func shed(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let expected = "'warning' or 'critical'"
        let level = try request.string("level", expected: expected)
        guard ["warning", "critical"].contains(level) else {
            throw .badField("level", expected: expected, found: level)
        }
        try open()
        let shed = state.withLock { state in
            if level == "critical" { state.list = nil }
            return state.cache?.shed(all: level == "critical") ?? (0, 0)
        }
        return JSONValue.members([
            "pictures": .whole(shed.0), "bytes": .whole(shed.1),
            "memory_bytes": .whole(state.withLock { $0.cache?.memoryBytes ?? 0 }),
        ])
    }
}
