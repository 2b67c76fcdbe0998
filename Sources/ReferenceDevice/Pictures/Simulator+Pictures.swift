package import ControlProtocol
internal import Locks
internal import WatchProto
package import WatchProtoCore
internal import WatchProtoSecurity
package import WatchProtoTransport

extension Simulator {
    /// The directory of this device's pictures; nil without `--inbox`.
    package var pictureDirectory: String? { options.inbox.map { "\($0)/watchproto-pictures" } }

    /// A command begins that is replied to later.
    package func begin(_ request: ControlRequest) { late.withLock { $0.append(request.id) } }

    /// Replies to such a command, unless the process ended first.
    package func reply(to id: JSONValue, _ result: Result<JSONObject, ControlError>) {
        let isAwaited = late.withLock { late in
            guard let place = late.firstIndex(of: id) else { return false }
            late.remove(at: place)
            return true
        }
        if isAwaited { send(result, to: id) }
    }

    /// The process ends: such commands are refused.
    func refuseLate(_ error: ControlError) {
        let ids = late.withLock { late in
            defer { late = [] }
            return late
        }
        for id in ids { send(.failure(error), to: id) }
    }

    private func send(_ result: Result<JSONObject, ControlError>, to id: JSONValue) {
        let line =
            switch result {
            case .success(let members): ControlMessage.reply(to: id, members)
            case .failure(let error): ControlMessage.refusal(of: id, error)
            }
        output.append(JSONWriter.line(line), droppable: false)
    }

    /// Asks the phone about pictures.
    ///
    /// - Parameters:
    ///   - request: the question.
    ///   - timeout: the time that the reply may take.
    ///   - ended: receives the reply; nil for one that cannot be read, and for a phone without
    ///     pictures.
    package func ask(
        _ request: PictureMessage.Request, within timeout: Duration,
        _ ended: @escaping @Sendable (Result<PictureMessage.Reply?, ControlError>) -> Void
    ) {
        let payload = AppRequest(to: PictureMessage.capability, request.bytes).bytes
        let draft = RecordDraft(
            channel: .interactive, kind: .request, payload: payload, expectsReply: true)
        let batch = session.messages(
            [draft], isPartial: false, timeout: timeout, outlivesLink: true,
            accepted: { _, id, now in
                accepted(id, SendOrigin(draft.kind, payload: payload), at: now)
            },
            ended: { _, result in
                switch result {
                case .success(let bytes): ended(.success(PictureMessage.Reply(bytes)))
                case .failure(.permanent): ended(.success(nil))
                case .failure(.notDelivered(let cause)), .failure(.outcomeUnknown(let cause)):
                    let word = JSONValue.string(cause.controlName)
                    ended(.failure(ControlError("not_fetched", ["cause": word])))
                }
            })
        if batch.accepted.isEmpty {
            ended(.failure(explained((batch.refusal ?? .notReachable).controlError)))
        }
    }

    /// The number of the device of a pairing; 0 without sealing.
    func counterpart(of pairing: PairingID?) -> UInt128 {
        if let device = life.withLock({ $0.device }), device.pairing == pairing {
            return device.counterpartNumber
        }
        let devices = (try? storage.paired()) ?? []
        return devices.first { $0.pairing == pairing }?.counterpartNumber ?? 0
    }

    /// The pairing in use; nil without one, and unsealed.
    package var pairingInUse: PairingID? { life.withLock { $0.device?.pairing } }

    /// The pairing in use (nil without one, and unsealed), and those with the other watches that
    /// have a session.
    package var pairings: [PairingID?] {
        life.withLock { [$0.device?.pairing] + $0.further.keys.map(Optional.some) }
    }

    /// Sends a record to each of those watches that has room for it.
    package func sendToFurther(_ draft: RecordDraft, _ origin: SendOrigin) {
        for session in life.withLock({ $0.further.values.map(\.session) }) {
            _ = try? session.transfer(draft, writes: []) { id, now in
                accepted(id, origin, at: now)
            }
        }
    }

    /// Sends user info to the device of a pairing, if it has a session with room for it.
    package func sendUserInfo(_ payload: [UInt8], to pairing: PairingID?) {
        let draft = RecordDraft(channel: .background, kind: .userInfo, payload: payload)
        let origin = SendOrigin(.userInfo, payload: payload)
        _ = try? session(with: pairing)?.transfer(draft, writes: []) { id, now in
            accepted(id, origin, at: now)
        }
    }

    /// The quality of the link with the device of a pairing.
    package func linkQuality(of pairing: PairingID?) -> LinkQuality? {
        session(with: pairing)?.linkQuality
    }

    /// Writes a line to the log.
    package func log(_ text: String) { observer.log(text) }
}

extension ControlError {
    /// A picture was not kept, as the disk failed.
    package static func pictureNotKept(_ error: SystemErrorNumber) -> ControlError {
        ControlError("picture_not_kept", ["system": .string(SystemErrorText.of(error.rawValue))])
    }

    /// A device that was started without `--inbox` keeps no pictures.
    package static var noPictureDirectory: ControlError {
        ControlError("no_directory", ["expected": "a device that was started with '--inbox'"])
    }
}
