internal import ControlKit
internal import Synchronization
internal import WatchProto
internal import WatchTransport

extension SessionObserver {
    /// The members of `activation`: of several watches, whose session it is.
    func activation(_ state: ActivationState) -> JSONValue {
        [
            "state": .string(state.controlName),
            "pairing": pairing.withLock { $0 }.map { .string($0.hex) } ?? .null,
        ]
    }

    /// What the counterpart's greeting revealed, and what this device owes it then.
    func tellChanged(_ change: CounterpartChange, at now: Instant, later: inout DeferredInputs) {
        hub.post("counterpart", ["change": .string("\(change)")], at: now)
        if change == .lostItsState {
            // The file is read on the main thread: the driver waits for no disk.
            for write in application.counterpartForgot() { later.write(write) }
            wake.signal()
        }
        if change == .lostItsQueue {
            StandardError.write(
                "\(application.role): the counterpart came back without its journal; "
                    + "what it had queued and not delivered is lost")
        }
    }

    /// Why the link is over.
    func tellClosed(_ reason: LinkCloseReason, at now: Instant) {
        hub.post("link.closed", reason.controlValue(ownVersion: wireVersion), at: now)
        let text = reason.text(ownVersion: wireVersion)
        StandardError.write("\(application.role): link closed: \(text)")
        // Nobody asked for it, so nobody else tells that none is wanted any more.
        if reason.needsNewPairing {
            hub.post("activation", activation(.notActivated), at: now)
        }
    }

    /// Somebody's advice. The peer lets few of them through, so that each may be a line.
    func tellNotice(_ code: CloseCode, of version: UInt8, at now: Instant) {
        var members = JSONValue.members([
            "version": .whole(version), "close_code": .whole(code.rawValue),
            "meaning": code.controlName.map { .string($0) } ?? .null,
        ])
        var text =
            "'\(code.controlName ?? "?")' (close code \(code.rawValue)) in wire version \(version)"
        if code == .incompatible, let skew = VersionSkew(own: wireVersion, other: version) {
            skew.add(to: &members)
            text = skew.text
        }
        hub.post("notice", .object(members), at: now)
        StandardError.write("\(application.role): somebody on the link says: \(text)")
    }
}
