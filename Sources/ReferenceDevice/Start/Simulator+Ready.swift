internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoSecurity
internal import WatchProtoTransport

/// A simulator's report about itself.
extension Simulator {
    /// The members of `ready`.
    func ready() -> JSONValue {
        let role = "\(application.role)"
        return ControlMessage.event(
            "ready",
            JSONValue.members([
                "v": .integer(ControlMessage.version), "role": .string(role),
                "build": .string(ProcessFacts.build), "pid": .whole(ProcessFacts.pid),
                "seed": .whole(options.seed),
                "t_ns": .whole(SystemClock.now.nanoseconds), "sealed": .bool(options.isSealed),
                "paired": .bool(isPaired), "pairing": pairing,
                "durable": .bool(file != nil), "link": .string(link.description),
                "epoch": epoch,
                "face_ns": life.withLock { $0.firstFace }.map { .whole($0.nanoseconds) } ?? .null,
                "journal": file.map(describe) ?? .null,
            ]), atNanoseconds: 0)
    }

    private func describe(_ file: JournalFile) -> JSONValue {
        var object = JSONObject()
        object["path"] = .string(file.path)
        object["durable"] = true
        object["sealed"] = .bool(options.journal.isSealed)
        if let fault = options.journal.diskFault {
            object["disk_fault"] = .string(fault.argumentText)
        }
        return .object(object)
    }

    /// Whether there is a session: a device to speak with, or no sealing.
    package var isPaired: Bool { !options.isSealed || life.withLock { $0.device != nil } }

    /// The pairing in use; null without one.
    var pairing: JSONValue { life.withLock { $0.device }.map { .string($0.pairing.hex) } ?? .null }

    /// The name of this opening of the journal; null before there is a session.
    var epoch: JSONValue {
        let session = session
        return session is NoSession ? .null : .string(session.currentEpoch.hex)
    }

    /// A description of all that the run leaves unprotected, for the log; nil for nothing.
    var plainWords: String? {
        var words: [String] = []
        if !options.isSealed {
            words.append("the link is UNSEALED ('--unsealed'): nothing on it is encrypted")
        }
        if file == nil {
            words.append("nothing is durable")
        } else if !options.journal.isSealed {
            words.append("the journal is not sealed, keys included (mode 0600)")
        }
        if let fault = options.journal.diskFault {
            words.append("the journal's disk fails on purpose (\(fault.argumentText))")
        }
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }
}
