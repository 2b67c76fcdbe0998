internal import ControlKit
internal import WatchProto
internal import WatchTransport

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
        default: nil
        }
    }
}

extension LinkCloseReason {
    /// The members of `link.closed` on a side that speaks `ownVersion`: where versions differ, also
    /// what to do.
    func controlValue(ownVersion: UInt8) -> JSONValue {
        switch self {
        case .peerTooOld(let version), .peerTooNew(let version):
            var members = JSONValue.members(controlValue)
            VersionSkew(own: ownVersion, other: version)?.add(to: &members)
            return .object(members)
        default: return controlValue
        }
    }

    /// The members of `link.closed`: the reason in one word, then what else is known.
    var controlValue: JSONValue {
        switch self {
        case .localRequest: ["reason": "local_request"]
        case .counterpart(.pairAnew):
            [
                "reason": "counterpart", "close_code": .whole(CloseCode.pairAnew.rawValue),
                "meaning": "pair_anew",
                "detail": .string(
                    "the other side found that this device was copied, or is a copy, or was "
                        + "restored from too old a backup: " + Self.pairAnew),
            ]
        case .counterpart(let code):
            ["reason": "counterpart", "close_code": .whole(code.rawValue)]
        case .violation(let error):
            ["reason": "violation", "detail": .string("\(error)")]
        case .unexpected(let frame): ["reason": "unexpected_frame", "frame": .whole(frame)]
        case .peerTooOld(let version): ["reason": "peer_too_old", "version": .whole(version)]
        case .peerTooNew(let version): ["reason": "peer_too_new", "version": .whole(version)]
        case .wrongPeer(let expected, let found):
            ["reason": "wrong_peer", "detail": .string("expected \(expected), found \(found)")]
        case .cloned:
            [
                "reason": "cloned",
                "detail": .string(
                    "the other device was copied, or is a copy: both speak under one name. "
                        + Self.pairAnew),
            ]
        case .outdated:
            [
                "reason": "outdated",
                "detail": .string(
                    "the other device was restored from a backup so old that what came after it "
                        + "is forgotten here. " + Self.pairAnew),
            ]
        case .stalled: ["reason": "stalled"]
        case .notAuthentic: ["reason": "not_authentic"]
        case .carrier(let failure): ["reason": "carrier", "detail": .string(failure.text)]
        case .cutShort(let heldBytes, let failure):
            [
                "reason": "cut_short", "held_bytes": .whole(heldBytes),
                "detail": .string(failure.text),
            ]
        case .handshakeTimedOut: ["reason": "handshake_timed_out"]
        case .datagramTooSmall(let bytes, let needed):
            [
                "reason": "datagram_too_small", "bytes": .whole(bytes), "needed": .whole(needed),
                "detail": .string(
                    "the carrier takes datagrams of \(bytes) bytes, a handshake needs \(needed)"),
            ]
        case .noMemory: ["reason": "no_memory"]
        case .counterpartPairs: ["reason": "counterpart_pairs"]
        }
    }

    /// What to do where one of two is a copy, or too far behind: only new keys tell them apart.
    private static let pairAnew =
        "pair the right one anew ('pair.show' on one, 'pair.enter' on the other)"

    /// The same on one line of a log.
    func text(ownVersion: UInt8) -> String {
        switch self {
        case .peerTooOld(let version), .peerTooNew(let version):
            VersionSkew(own: ownVersion, other: version)?.text ?? text
        default: text
        }
    }

    /// The members of ``controlValue`` on one line.
    var text: String {
        JSONValue.members(controlValue).members
            .map { $0.value.string ?? JSONWriter.text($0.value) }.joined(separator: " ")
    }
}
