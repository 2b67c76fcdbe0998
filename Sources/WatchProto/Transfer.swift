import Locks
public import WatchProtoCore

/// The identity of a record, the same on both devices and after restarts.
public typealias TransferID = RecordID

/// The outcome of a record.
public enum TransferOutcome: Hashable, Sendable {
    /// It reached the stage that was waited for, or a later one.
    case reached(Stage)
    /// It will not be applied, for this reason.
    case notApplied(Reason)
    /// The record may have been applied or not: the other device lost its journal, the session was
    /// closed first, or the disk failed. `CompanionSession.outcome(of:)` knows once it is known.
    case unknown

    /// Why a record will not be applied.
    public enum Reason: Hashable, Sendable {
        /// A newer value took its place.
        case superseded
        /// The caller cancelled it.
        case cancelled
        /// Its time ran out.
        case expired
        /// The receiving application does not want it.
        case rejected(Rejection)
        /// It never left.
        case notDelivered
    }

    /// The outcome as an application sees it.
    package init?(_ outcome: Outcome) {
        switch outcome {
        case .applied: self = .reached(.applied)
        case .superseded: self = .notApplied(.superseded)
        case .cancelled: self = .notApplied(.cancelled)
        case .expired: self = .notApplied(.expired)
        case .rejected(FileExchange.Refused.cancelled): self = .notApplied(.cancelled)
        case .rejected(let code): self = .notApplied(.rejected(Rejection(code: code)))
        case .notDelivered: self = .notApplied(.notDelivered)
        case .unknown, .outcomeUnknown: self = .unknown
        }
    }
}

/// An accepted record on its way. Dropping the handle cancels nothing.
public final class Transfer: Sendable, Identifiable {
    /// The record's identity, for `CompanionSession.outcome(of:)` after a restart. It changes where
    /// the record goes on under another identity: after a new pairing, and for a value that is
    /// written again after a restore.
    public var id: TransferID { course.id }
    let course: TransferCourse
    private let session: CompanionSession

    init(_ course: TransferCourse, _ session: CompanionSession) {
        self.course = course
        self.session = session
    }

    /// Waits until the record reaches a stage, or never will.
    ///
    /// - Parameter stage: by default the last one: the other application has applied it.
    /// - Returns: what was reached, or what became of it instead.
    /// - Throws: `CancellationError` where the waiting task was cancelled; the record goes on.
    public func outcome(
        reaching stage: Stage = .applied
    ) async throws(CancellationError) -> TransferOutcome {
        guard let outcome = await course.outcome(reaching: stage) else {
            throw CancellationError()
        }
        return outcome
    }

    /// The stages from now on, each once; ends when the record is settled.
    public var stages: SessionSequence<Stage> {
        SessionSequence(course.stages())
    }

    /// Cancels the record if it does not count yet. ``outcome(reaching:)`` reports the result. A
    /// file goes on if the process ends before its journal has written the call.
    ///
    /// - Returns: false where it is settled already, and for a record of a watch that is not
    ///   connected, which goes on.
    @discardableResult
    public func cancel() -> Bool { session.cancel(id) }

    /// Holds the transfer of a file until ``resume()``, also over restarts. Blocks that are on
    /// their way arrive. The file goes on if the process ends before its journal has the call.
    ///
    /// - Returns: false for a record that is no file, or is settled.
    @discardableResult
    public func pause() -> Bool { session.change(id, to: .paused) }

    /// Lets the transfer of a file go on where it was. The file rests on if the process ends before
    /// its journal has written the call.
    ///
    /// - Returns: false for a record that is no file, or is settled.
    @discardableResult
    public func resume() -> Bool { session.change(id, to: .sending) }
}

/// The progress of one record.
final class TransferCourse: Sendable {
    private struct State {
        var id: TransferID
        /// Nil before the record is durable here.
        var stage: Stage?
        var end: TransferOutcome?
        var waiters: [(token: Int, stage: Stage, continuation: Continuation)] = []
        var feeds: [ElementBuffer<Stage>] = []
        var nextToken = 0
    }

    private typealias Continuation = CheckedContinuation<TransferOutcome?, Never>
    private let state: Mutex<State>

    init(_ id: TransferID) { state = Mutex(State(id: id)) }

    /// The identity under which the record is known now.
    var id: TransferID { state.withLock { $0.id } }

    func rename(_ id: TransferID) { state.withLock { $0.id = id } }

    func reach(_ stage: Stage) {
        let (due, feeds) = state.withLock { state -> ([Continuation], [ElementBuffer<Stage>]) in
            guard state.end == nil, state.stage.map({ stage > $0 }) ?? true else {
                return ([], [])
            }
            state.stage = stage
            let due = state.waiters.filter { $0.stage <= stage }.map(\.continuation)
            state.waiters.removeAll { $0.stage <= stage }
            return (due, state.feeds)
        }
        for continuation in due { continuation.resume(returning: .reached(stage)) }
        for feed in feeds { feed.add(stage) }
    }

    func settle(_ outcome: TransferOutcome) {
        if case .reached(let stage) = outcome { reach(stage) }
        let (waiting, feeds) = state.withLock { state -> ([Continuation], [ElementBuffer<Stage>]) in
            guard state.end == nil else { return ([], []) }
            state.end = outcome
            defer {
                state.waiters = []
                state.feeds = []
            }
            return (state.waiters.map(\.continuation), state.feeds)
        }
        for continuation in waiting { continuation.resume(returning: outcome) }
        for feed in feeds { feed.finish() }
    }

    func outcome(reaching stage: Stage) async -> TransferOutcome? {
        let token = state.withLock { state in
            state.nextToken += 1
            return state.nextToken
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> TransferOutcome?? in
                    if let reached = state.stage, reached >= stage {
                        return .some(.reached(reached))
                    }
                    if let end = state.end { return .some(end) }
                    if Task.isCancelled { return .some(nil) }
                    state.waiters.append((token, stage, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Continuation? in
                guard let place = state.waiters.firstIndex(where: { $0.token == token }) else {
                    return nil
                }
                return state.waiters.remove(at: place).continuation
            }
            waiter?.resume(returning: nil)
        }
    }

    func stages() -> ElementBuffer<Stage> {
        let feed = ElementBuffer<Stage>()
        state.withLock { state in
            state.feeds.removeAll { $0.isFinished }
            if state.end == nil { state.feeds.append(feed) } else { feed.finish() }
        }
        return feed
    }
}

/// The unsettled records of a session.
final class TransferTable: Sendable {
    private struct State {
        var courses: [TransferID: TransferCourse] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    /// The course of a record that was just accepted; the existing one where the record joined an
    /// earlier one.
    func course(of id: TransferID) -> TransferCourse {
        state.withLock { state in
            if let known = state.courses[id] { return known }
            let made = TransferCourse(id)
            if state.isFinished {
                made.settle(.unknown)
            } else {
                state.courses[id] = made
            }
            return made
        }
    }

    /// Whether the record was sent in this run and is not settled.
    func has(_ id: TransferID) -> Bool { state.withLock { $0.courses[id] != nil } }

    /// The identities of all unsettled records.
    var all: [TransferID] { state.withLock { Array($0.courses.keys) } }

    func reach(_ id: TransferID, _ stage: Stage) {
        state.withLock { $0.courses[id] }?.reach(stage)
    }

    func settle(_ id: TransferID, _ outcome: TransferOutcome) {
        state.withLock { $0.courses.removeValue(forKey: id) }?.settle(outcome)
    }

    /// A record goes on under another identity.
    func rename(_ id: TransferID, as other: TransferID) {
        state.withLock { state in
            guard let course = state.courses.removeValue(forKey: id) else { return }
            course.rename(other)
            state.courses[other] = course
        }
    }

    /// The session is over: all outcomes are unknown here.
    func finish() {
        let all = state.withLock { state in
            state.isFinished = true
            defer { state.courses = [:] }
            return Array(state.courses.values)
        }
        for course in all { course.settle(.unknown) }
    }
}
