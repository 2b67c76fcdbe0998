import Locks
package import WatchProtoCore
package import WatchProtoJournal

/// The messages whose outcome is unknown on the device that sent them, and the last ones that the
/// application was given, on the device that received them.
///
/// The two libraries meet here: the sender asks, and the receiver answers, once the link is open
/// again. Both keep identities alone. The receiver keeps the identity of a message before its
/// application gets the message, so it never denies one that the application has.
package final class MessageTable: Sendable {
    /// A message of this run, until its call and its record have ended.
    private struct Course {
        var pairing: PairingID
        /// The opening of the other device that it was sent to.
        var receiver: EpochID?
        /// Whether its call waits.
        var isWaiting = true
        /// The outcome of its record; nil while that is under way.
        var outcome: TransferOutcome?
        /// Whether the other device may have forgotten it.
        var isForgotten = false
    }

    private struct State {
        var courses: [TransferID: Course] = [:]
        /// Messages that the other device asked about, and that wait for this application.
        var asked: Set<TransferID> = []
    }

    private let store: DeviceStorage
    private let waits: @Sendable (TransferID) -> Bool
    private let state = Mutex(State())

    /// The messages of a device. `waits` says whether one came that its application was not given
    /// yet.
    package init(
        _ store: DeviceStorage, waits: @escaping @Sendable (TransferID) -> Bool = { _ in false }
    ) {
        self.store = store
        self.waits = waits
    }

    // MARK: Own messages

    /// A message was accepted. Called under the driver's lock.
    ///
    /// - Parameters:
    ///   - id: the message.
    ///   - pairing: the pairing that it is sent in.
    ///   - receiver: the opening of the other device in the session just before.
    package func accepted(_ id: TransferID, in pairing: PairingID, to receiver: EpochID?) {
        state.withLock { $0.courses[id] = Course(pairing: pairing, receiver: receiver) }
    }

    /// The record of a message has ended. Called under the driver's lock.
    ///
    /// - Returns: the writes that keep that.
    package func settled(_ id: TransferID, _ outcome: TransferOutcome) -> [SQLWrite] {
        guard id.channel == .interactive else { return [] }
        return state.withLock { state in
            guard var course = state.courses[id] else { return [] }
            course.outcome = outcome
            state.courses[id] = course.isWaiting ? course : nil
            return course.isWaiting || outcome == .unknown ? [] : learn(id, outcome)
        }
    }

    /// The call of a message has ended. An unknown outcome is durable when this returns.
    ///
    /// - Returns: whether the session had told that the outcome is unknown, and a reply came.
    @discardableResult
    package func ended(_ id: TransferID?, _ end: CallEnd) async -> Bool {
        let (writes, isLearnt) = state.withLock { state -> ([SQLWrite], Bool) in
            guard let id, var course = state.courses.removeValue(forKey: id) else {
                return ([], false)
            }
            switch end {
            case .reply:
                guard course.outcome == .unknown else { return ([], false) }
                course.outcome = .reached(.applied)
                return (keep(id, course), true)
            case .unknown:
                course.isWaiting = false
                if course.outcome == nil { state.courses[id] = course }
                return (keep(id, course), false)
            case .other: return ([], false)
            }
        }
        try? await store.persist(writes)
        return isLearnt
    }

    /// The session is about to close: no call learns more than it has.
    ///
    /// - Returns: the writes that keep the messages.
    package func closing() -> [SQLWrite] {
        state.withLock { state in
            state.courses.filter { $0.value.isWaiting }.flatMap { keep($0.key, $0.value) }
        }
    }

    /// The session that carried those to a device has ended, and settles none of them any more.
    func sessionEnded(in pairing: PairingID) {
        state.withLock { state in
            for (id, var course) in state.courses
            where course.pairing == pairing && course.outcome == nil {
                course.outcome = .unknown
                state.courses[id] = course.isWaiting ? course : nil
            }
        }
    }

    private func keep(_ id: TransferID, _ course: Course) -> [SQLWrite] {
        store.keepMessage(
            StoredValue(
                sent: id, in: course.pairing, course.outcome ?? .unknown,
                receiver: course.receiver, isForgotten: course.isForgotten))
    }

    /// Keeps the outcome of a message whose call has ended.
    private func learn(_ id: TransferID, _ outcome: TransferOutcome) -> [SQLWrite] {
        guard let known = store.message(.sentMessage, id), known.outcome == .unknown else {
            return []
        }
        return store.keepMessage(
            StoredValue(sent: id, in: PairingID(rawValue: known.counterpart), outcome))
    }

    /// The outcome of a message as far as it was learnt; nil for one that is not kept.
    package func outcome(of id: TransferID) -> TransferOutcome? {
        guard id.channel == .interactive else { return nil }
        let known = state.withLock { $0.courses[id]?.outcome }
        return known ?? store.message(.sentMessage, id)?.outcome
    }

    // MARK: Questions

    /// The questions about the messages to a device whose outcome is unknown.
    func questions(in pairing: PairingID) -> [RecordDraft] {
        let ids = state.withLock { state in
            let waiting = state.courses.filter { _, course in
                course.pairing == pairing && course.outcome == .unknown && !course.isForgotten
            }
            let kept = store.messages(.sentMessage).filter { value in
                value.counterpart == pairing.rawValue && value.mayBeAsked
                    && state.courses[value.message] == nil
            }
            return Array(waiting.keys) + kept.map(\.message)
        }
        return AppMessage.drafts(.asked, ids)
    }

    /// The other device said what became of a message of this one. It may have been restored from a
    /// backup since, without anybody's notice: only the opening that the message was sent to can
    /// say that it did not arrive.
    ///
    /// - Parameters:
    ///   - id: the message.
    ///   - outcome: its outcome.
    ///   - opening: the opening of the other device that says so.
    /// - Returns: the writes that keep that; nil if nobody waits for it.
    func learnt(
        _ id: TransferID, _ outcome: TransferOutcome, from opening: EpochID
    ) -> [SQLWrite]? {
        state.withLock { state -> [SQLWrite]? in
            let receiver =
                state.courses[id]?.receiver ?? store.message(.sentMessage, id)?.receiver
            guard outcome == .reached(.applied) || receiver == opening else { return nil }
            if var course = state.courses[id] {
                guard course.outcome == .unknown else { return nil }
                course.outcome = outcome
                state.courses[id] = course
                return []
            }
            guard store.message(.sentMessage, id)?.mayBeAsked == true else { return nil }
            return learn(id, outcome)
        }
    }

    /// The other device lost state. It may have forgotten messages that its application was given,
    /// so it is not asked about them.
    ///
    /// - Returns: the writes that keep that.
    func forgotten(in pairing: PairingID) -> [SQLWrite] {
        state.withLock { state in
            for (id, course) in state.courses where course.pairing == pairing {
                var course = course
                course.isForgotten = true
                state.courses[id] = course
            }
            return store.messages(.sentMessage).filter { value in
                value.counterpart == pairing.rawValue && value.mayBeAsked
            }.flatMap { value in
                store.keepMessage(StoredValue(sent: value.message, in: pairing, isForgotten: true))
            }
        }
    }

    // MARK: Messages of the other device

    /// The answers to a question about messages of the other device. One that waits for this
    /// application is answered when the application has it. Called under the driver's lock.
    func answers(about ids: [TransferID]) -> [RecordDraft] {
        state.withLock { $0.asked.formUnion(ids) }
        let decided = ids.filter { !waits($0) }
        state.withLock { $0.asked.subtract(decided) }
        let kept = store.messages(.givenMessage).map(\.message)
        let known = Set(kept)
        // If others made room for new ones, an identity may have been kept and be gone. The oldest
        // ones go first, so it is not gone if an older one of its epoch is kept.
        let isWhole = kept.count < StoredValue.messageLimit && !store.hasDroppedMessages
        let missing = decided.filter { id in
            !known.contains(id)
                && (isWhole || kept.contains { $0.epoch == id.epoch && $0.number < id.number })
        }
        return AppMessage.drafts(.given, decided.filter(known.contains))
            + AppMessage.drafts(.missing, missing)
    }

    /// Keeps the identity of a message that a reader took, before the application gets the message.
    ///
    /// - Returns: false if the disk failed: the application must not get it.
    func give(_ id: TransferID, in pairing: PairingID) async -> Bool {
        do {
            try await store.persist(giving(id, in: pairing))
            return true
        } catch {
            store.forget(StoredValue(given: id, in: pairing))
            return false
        }
    }

    /// Keeps the identity of a message that the application is being given.
    ///
    /// - Returns: the writes that make that durable.
    package func giving(_ id: TransferID, in pairing: PairingID) -> [SQLWrite] {
        store.keepMessage(StoredValue(given: id, in: pairing))
    }

    /// The application has a message, or will not get it.
    ///
    /// - Returns: the answer, if the other device has asked.
    func given(_ id: TransferID, _ wasGiven: Bool) -> [RecordDraft] {
        guard state.withLock({ $0.asked.remove(id) }) != nil else { return [] }
        return AppMessage.drafts(wasGiven ? .given : .missing, [id])
    }
}
