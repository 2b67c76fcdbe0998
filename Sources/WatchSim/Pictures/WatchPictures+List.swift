import ControlProtocol
import Locks
import Pictures
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// `picture.list`. The reply follows.
extension WatchPictures {
    /// Lists the phone's pictures: as it did at most 20 s ago, else anew.
    func list(_ request: ControlRequest) throws(ControlError) {
        let isForced = try request.flag("refresh", default: false)
        try open()
        let waiter = Waiter(id: request.id, begun: SystemClock.now, side: 0, number: 0)
        state.withLock { $0.simulator }?.begin(request)
        work.add { [self] in
            guard hasRoom else { return reply(waiter, .failure(Self.tooMany)) }
            let (isKnown, isFirst, changes) = state.withLock { state in
                if !isForced, Self.isFresh(state.list?.at) {
                    state.listHits += 1
                    return (true, false, 0)
                }
                state.listWaiters.append(waiter)
                let isFirst = state.listWaiters.count == 1
                if isFirst { state.asked += 1 } else { state.joined += 1 }
                return (false, isFirst, state.changes)
            }
            if isKnown { return reply(waiter, .success(listed(isFresh: true))) }
            if isFirst { ask(for: PictureListing(changes: changes), after: nil) }
        }
    }

    private static func isFresh(_ moment: UInt64?) -> Bool {
        guard let moment, moment <= now else { return false }
        return .milliseconds(now - moment) < listFreshness
    }

    /// Asks for a page of a list, and for the next ones. A list that changes meanwhile is not kept.
    private func ask(for listing: PictureListing, after: UInt128?) {
        let simulator = state.withLock { $0.simulator }
        simulator?.ask(.list(after: after), within: Self.patience) { [self] result in
            work.add { [self] in
                switch result {
                case .success(.list(let page, let hasMore)):
                    take(page, hasMore: hasMore, in: listing)
                case .success: endList(.failure(Self.noPictures))
                case .failure(let error):
                    let isKnown = state.withLock { $0.list != nil }
                    endList(isKnown ? .success(listed(isFresh: false)) : .failure(error))
                }
            }
        }
    }

    private func take(
        _ page: [PictureMessage.Listed], hasMore: Bool, in listing: PictureListing
    ) {
        var listing = listing
        let changes = state.withLock { $0.changes }
        switch listing.add(page, hasMore: hasMore, changes: changes) {
        case nil: endList(.failure(Self.noPictures))
        case .ask(let after): ask(for: listing, after: after)
        case .done(let isFresh):
            state.withLock { $0.list = (listing.pictures, Self.now) }
            endList(.success(listed(isFresh: isFresh, hasMore: listing.isCutOff)))
            if !isFresh { state.withLock { $0.list = nil } }
        }
    }

    private func endList(_ result: Result<JSONObject, ControlError>) {
        let waiters = state.withLock { state in
            defer { state.listWaiters = [] }
            return state.listWaiters
        }
        for waiter in waiters { reply(waiter, result) }
    }

    private func listed(isFresh: Bool, hasMore: Bool = false) -> JSONObject {
        state.withLock { state in
            let pictures = (state.list?.pictures ?? []).map { picture -> JSONValue in
                func isHeld(_ size: PictureSize) -> JSONValue {
                    let name = PictureName(picture.medication, size)
                    return .bool(state.cache?.version(of: name) == picture.version)
                }
                return [
                    "key": .string(Hex.text(picture.medication, digits: 32)),
                    "version": .string(Hex.text(UInt128(picture.version), digits: 16)),
                    "thumbnail": isHeld(.thumbnail), "whole": isHeld(.whole),
                ]
            }
            return JSONValue.members([
                "pictures": .array(pictures), "fresh": .bool(isFresh), "more": .bool(hasMore),
            ])
        }
    }
}
