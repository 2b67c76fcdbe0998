package import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoTransport

extension Simulator {
    /// Waits for the answer of the ledger to an act.
    func awaitLedger<Value: Sendable>(
        _ act: (@escaping @Sendable (Result<Value, DoseRefusal>) -> Void) -> Void
    ) throws(ControlError) -> Value {
        let result = Mutex<Result<Value, DoseRefusal>?>(nil)
        do throws(SystemErrorNumber) {
            let done = try WakeDescriptor()
            act { answer in
                result.withLock { $0 = answer }
                done.signal()
            }
            done.wait()
        } catch {
            throw .journalFailed(SystemErrorText.of(error.rawValue), outcome: "nothing")
        }
        switch result.withLock({ $0 }) {
        case .success(let value)?: return value
        case .failure(let refusal)?: throw ControlError(refusal)
        case nil: throw .journalFailed("the ledger gave no answer", outcome: "unknown")
        }
    }
}

extension Simulator {
    /// A refusal for the reply. If the journal was at fault, it says what had failed.
    func explained(_ error: ControlError) -> ControlError {
        guard error.code == "journal_failed", error.details["detail"] == nil else { return error }
        var explained = error
        let failure = file?.failure?.description ?? "the journal had failed, and is open again"
        explained.details["detail"] = .string(failure)
        return explained
    }
}

extension ControlError {
    /// The ledger refused an act, or does not know whether it recorded it.
    init(_ refusal: DoseRefusal) {
        self.init(
            refusal.isOutcomeUnknown ? "journal_failed" : "refused",
            ["detail": .string(refusal.description), "dose": .string(refusal.event.recordKey.hex)])
        if refusal.isOutcomeUnknown { details["outcome"] = "unknown" }
    }

    /// The same with the planned dose that the act was about, so that a repeated command can name
    /// it.
    func naming(_ planned: PlannedDose?) -> ControlError {
        guard let planned, code == "journal_failed" else { return self }
        var named = self
        named.details["day"] = .whole(planned.day)
        named.details["minute"] = .whole(planned.minute)
        return named
    }

    /// The same with the record that may be queued or not, so that `record.status` can tell.
    func naming(_ record: RecordID) -> ControlError {
        var named = self
        for member in record.controlMembers.members { named.details[member.name] = member.value }
        return named
    }

    /// The file cannot be written, or read.
    ///
    /// - Parameters:
    ///   - detail: the error.
    ///   - outcome: `nothing` if nothing has changed; `unknown` if it is not known whether
    ///     something has changed.
    package static func journalFailed(_ detail: String, outcome: String) -> ControlError {
        ControlError(
            "journal_failed", ["detail": .string(detail), "outcome": .string(outcome)])
    }
}
