import ControlProtocol
import Locks
import Pictures
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// The questions to the phone about pictures, and those who wait for the answers.
extension WatchPictures {
    /// The picture that the cache has.
    func look(_ name: PictureName, _ side: Int) -> PictureCache.Found? {
        switch state.withLock({ $0.cache?.look(name, fitting: side, now: Self.now) }) {
        case nil: return nil
        case .decoded(let found): return found
        case .file(let file):
            let found = PictureCache.decode(file, fitting: side)
            state.withLock { $0.cache?.decoded(file, found, fitting: side) }
            return found
        }
    }

    func waiter(_ id: JSONValue?, for side: Int, since begun: Instant) -> Waiter {
        let number = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        return Waiter(id: id, begun: begun, side: side, number: number)
    }

    /// Asks the phone for a picture, unless it was asked already.
    func fetch(
        _ name: PictureName, isForced: Bool, within timeout: Duration, for waiter: Waiter
    ) {
        guard hasRoom else { return reply(waiter, .failure(Self.tooMany)) }
        work.add({ [self] in timeIsOver(waiter, name) }, after: timeout)
        let question = state.withLock { state -> PictureMessage.Request? in
            if state.fetches[name] != nil {
                state.joined += 1
                state.fetches[name]?.waiters.append(waiter)
                return nil
            }
            // By force, a whole picture comes in the form that suits the link now.
            let isNew = isForced && name.size == .whole
            let small = PictureName(name.medication, .thumbnail)
            let question = PictureMessage.Request.fetch(
                name, held: isNew ? 0 : state.cache?.version(of: name) ?? 0,
                heldThumbnail: state.cache?.version(of: small) ?? 0,
                arrived: state.arrived.last { $0.name == name }?.offer ?? 0)
            state.fetches[name] = Fetch(
                question: question, asker: waiter.number, waiters: [waiter])
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
            fillFace([])
        case .success(PictureMessage.Reply.none?):
            state.withLock { $0.cache?.remove(medication: name.medication) }
            refuse(name, Self.noPicture)
            fillFace([])
        case .success: refuse(name, Self.noPictures)
        case .failure(let error):
            notAsked(name)
            refuse(name, error)
        }
    }

    /// The phone cannot send a picture that it was asked for.
    func notSent(_ name: PictureName) {
        work.add { [self] in
            guard state.withLock({ $0.fetches[name] != nil }) else { return }
            take(.failure(ControlError("not_fetched", ["cause": "not_sent"])), name)
        }
    }

    /// A question has failed. If the face needs the picture, it asks again after a pause, which
    /// doubles each time, and when the phone becomes reachable.
    func notAsked(_ name: PictureName) {
        let pause = state.withLock { state -> Duration? in
            state.face.notAsked(name)
            guard !state.asksAgain else { return nil }
            state.asksAgain = true
            defer { state.pause = min(state.pause * 2, Self.longestPause) }
            return state.pause
        }
        guard let pause else { return }
        work.add(
            { [self] in
                state.withLock { $0.asksAgain = false }
                fillFace([])
            }, after: pause)
    }

    static let firstPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(300)

    /// The phone is reachable: the face asks for the picture that it needs.
    func phoneIsReachable() {
        guard hasDirectory.load(ordering: .relaxed) else { return }
        work.add { [self] in
            state.withLock { $0.pause = Self.firstPause }
            fillFace([])
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
        if waiter.id == nil { state.withLock { $0.face.notAsked(name) } }
        refuse(waiter, name, ControlError("not_fetched", ["cause": "timed_out"]))
        if let question { ask(question, for: name) }
    }

    /// Whether one more of them may wait.
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

    // MARK: Answers

    /// Answers the commands that wait for a picture, which the cache has.
    func answer(_ name: PictureName, from place: String?) {
        let waiters = state.withLock { $0.fetches.removeValue(forKey: name)?.waiters ?? [] }
        for waiter in waiters {
            if let found = look(name, waiter.side) {
                reply(waiter, .success(members(found, name, from: place, since: waiter.begun)))
            } else {
                reply(waiter, .failure(Self.noPicture))
            }
        }
    }

    /// Answers the commands that wait for a picture that does not come: with the one that is here,
    /// if there is one.
    func refuse(_ name: PictureName, _ error: ControlError) {
        let waiters = state.withLock { $0.fetches.removeValue(forKey: name)?.waiters ?? [] }
        for waiter in waiters { refuse(waiter, name, error) }
    }

    func refuse(_ waiter: Waiter, _ name: PictureName, _ error: ControlError) {
        guard let found = look(name, waiter.side) else { return reply(waiter, .failure(error)) }
        var object = members(found, name, from: nil, since: waiter.begun)
        object["fresh"] = false
        object["problem"] = error.value
        reply(waiter, .success(object))
    }

    func reply(_ waiter: Waiter, _ result: Result<JSONObject, ControlError>) {
        guard let id = waiter.id else { return }
        state.withLock { $0.simulator }?.reply(to: id, result)
    }
}
