internal import ControlProtocol
internal import WatchProto
internal import WatchProtoTransport

extension CloseCode {
    /// The code in one word; nil when it has none here.
    var controlName: String? {
        switch self {
        case .normal: "normal"
        case .suspending: "suspending"
        case .violation: "violation"
        case .incompatible: "incompatible"
        case .wrongPeer: "wrong_peer"
        case .stalled: "stalled"
        case .busy: "busy"
        case .pairAnew: "pair_anew"
        case .pairing: "pairing"
        default: nil
        }
    }
}

extension PeerLabel {
    /// The device, and a tag that tells pairings apart without naming them.
    var text: String {
        let tag = String(pairingTag, radix: 16)
        return "the \(role) of pairing #"
            + String(repeating: "0", count: 8 - tag.count) + tag
    }
}

extension ConnectionEnd {
    /// The members of `link.closed` on a side that speaks `ownVersion`: the reason in one word,
    /// then the rest that is known; where versions differ, also what to do.
    func controlValue(ownVersion: UInt8) -> JSONValue {
        var members = JSONObject()
        members["reason"] = .string(controlName)
        switch self {
        case .counterpart(let code):
            members["close_code"] = .whole(code.rawValue)
        case .unexpected(let code): members["frame"] = .whole(code)
        case .peerTooOld(let version), .peerTooNew(let version):
            members["version"] = .whole(version)
            VersionSkew(own: ownVersion, other: version)?.add(to: &members)
        case .cutShort(let bytes, _): members["held_bytes"] = .whole(bytes)
        case .datagramTooSmall(let bytes, let needed):
            members["bytes"] = .whole(bytes)
            members["needed"] = .whole(needed)
        default: break
        }
        if needsNewPairing { members["meaning"] = .string("pair_anew") }
        if let detail { members["detail"] = .string(detail) }
        return .object(members)
    }

    private var controlName: String {
        switch self {
        case .localRequest: "local_request"
        case .notWanted: "not_wanted"
        case .replaced: "replaced"
        case .renewal: "renewal"
        case .counterpart: "counterpart"
        case .reset: "reset"
        case .unreachable: "unreachable"
        case .violation: "violation"
        case .unexpected: "unexpected_frame"
        case .notAuthentic: "not_authentic"
        case .wrongPeer: "wrong_peer"
        case .peerTooOld: "peer_too_old"
        case .peerTooNew: "peer_too_new"
        case .counterpartPairs: "counterpart_pairs"
        case .refused: "refused"
        case .handshakeTimedOut: "handshake_timed_out"
        case .stalled: "stalled"
        case .cloned: "cloned"
        case .carrier: "carrier"
        case .cutShort: "cut_short"
        case .datagramTooSmall: "datagram_too_small"
        case .noMemory: "no_memory"
        case .numbersUsedUp: "numbers_used_up"
        }
    }

    private var detail: String? {
        switch self {
        case .counterpart(.pairAnew):
            "the other side found that this device was copied, or is a copy. " + Self.pairAnew
        case .violation(let error): error.text
        case .wrongPeer(let expected, let found):
            "expected \(expected.text), found \(found.text)"
        case .cloned:
            "the other device was copied, or is a copy: both speak under one name. "
                + Self.pairAnew
        case .carrier(let failure), .cutShort(_, let failure): failure.text
        case .datagramTooSmall(let bytes, let needed):
            "the carrier takes datagrams of \(bytes) bytes, a handshake needs \(needed)"
        default: nil
        }
    }

    private static let pairAnew =
        "Pair the right one anew ('pair.show' on one, 'pair.enter' on the other)"

    /// The same on one line of a log.
    func text(ownVersion: UInt8) -> String {
        if case .peerTooOld(let version) = self,
            let skew = VersionSkew(own: ownVersion, other: version)
        {
            return skew.text
        }
        if case .peerTooNew(let version) = self,
            let skew = VersionSkew(own: ownVersion, other: version)
        {
            return skew.text
        }
        return JSONValue.members(controlValue(ownVersion: ownVersion)).members
            .map { $0.value.string ?? JSONWriter.text($0.value) }.joined(separator: " ")
    }
}

extension WireError {
    /// The rule that was broken, where, and what was found, on one line.
    var text: String { "\(rule) at byte \(offset): expected \(expected), found \(found)" }
}
