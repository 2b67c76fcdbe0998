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
        let side = try request.optionalInteger("side", in: 1...1920) ?? Int64(size.shownSide)
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
        let waiter = waiter(id, for: wanted.side, since: begun)
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
        fetch(name, isForced: wanted.isForced, within: wanted.timeout, for: waiter)
    }

    /// The members of a reply about a picture.
    ///
    /// - Parameter place: where it came from, if not from here.
    func members(
        _ found: PictureCache.Found, _ name: PictureName, from place: String?, since begun: Instant
    ) -> JSONObject {
        let isFresh = state.withLock { $0.cache?.isFresh(found) ?? false }
        return JSONValue.members([
            "key": .string(Hex.text(name.medication, digits: 32)),
            "size": .string(name.size.controlName),
            "version": .string(Hex.text(UInt128(found.version), digits: 16)),
            "width": .whole(found.bitmap.width), "height": .whole(found.bitmap.height),
            "pixels_hash": .string(Hex.text(UInt128(ContentHash.of(found.bitmap.rgb)), digits: 16)),
            "source": .string(place ?? (found.wasInMemory ? "memory" : "disk")),
            "fresh": .bool(isFresh),
            "age_ms": found.age.map { .whole($0.nanosecondsClamped / 1_000_000) } ?? .null,
            "took_ns": .whole(begun.duration(to: SystemClock.now).nanosecondsClamped),
        ])
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
                "waiting": .whole(
                    state.fetches.values.reduce(0) { $0 + $1.waiters.count { $0.id != nil } }),
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
