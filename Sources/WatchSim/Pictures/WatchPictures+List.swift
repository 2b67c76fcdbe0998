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
            if isFirst { ask(for: [], since: changes) }
        }
    }

    private static func isFresh(_ moment: UInt64?) -> Bool {
        guard let moment, moment <= now else { return false }
        return .milliseconds(now - moment) < listFreshness
    }

    /// Asks for the page behind those that have come.
    ///
    /// - Parameter changes: the count of changes when the first page was asked for. A list that
    ///   changed meanwhile is not kept.
    private func ask(for pictures: [PictureMessage.Listed], since changes: Int) {
        let simulator = state.withLock { $0.simulator }
        simulator?.ask(.list(after: pictures.count), within: Self.patience) { [self] result in
            work.add { [self] in
                switch result {
                case .success(.list(let page, let hasMore)):
                    let all = pictures + page
                    if hasMore, !page.isEmpty, all.count < Self.longestList {
                        return ask(for: all, since: changes)
                    }
                    state.withLock { $0.list = (all, Self.now) }
                    endList(.success(listed(isFresh: true)))
                    state.withLock { if $0.changes != changes { $0.list = nil } }
                case .success: endList(.failure(Self.noPictures))
                case .failure(let error):
                    let isKnown = state.withLock { $0.list != nil }
                    endList(isKnown ? .success(listed(isFresh: false)) : .failure(error))
                }
            }
        }
    }

    private static let longestList = 1000

    private func endList(_ result: Result<JSONObject, ControlError>) {
        let waiters = state.withLock { state in
            defer { state.listWaiters = [] }
            return state.listWaiters
        }
        for waiter in waiters { reply(waiter, result) }
    }

    private func listed(isFresh: Bool) -> JSONObject {
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
            return JSONValue.members(["pictures": .array(pictures), "fresh": .bool(isFresh)])
        }
    }
}
