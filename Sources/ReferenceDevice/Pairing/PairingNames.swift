internal import ControlProtocol
internal import WatchProto
internal import WatchProtoSecurity
internal import WatchProtoTransport

extension PairingFailure {
    /// The failure in one word.
    var controlName: String {
        switch self {
        case .notAuthentic: "not_authentic"
        case .abandoned: "abandoned"
        case .malformed: "malformed"
        case .counterpartTooOld: "counterpart_too_old"
        case .counterpartTooNew: "counterpart_too_new"
        case .wrongCounterpart: "wrong_counterpart"
        case .over: "over"
        case .noSecretMemory: "no_memory"
        }
    }
}

extension PairingLink.Ending {
    /// The end in one word.
    var controlName: String {
        switch self {
        case .paired: "paired"
        case .tooManyFailures: "too_many_failures"
        case .timedOut: "timed_out"
        case .cancelled: "cancelled"
        }
    }
}

extension PairingLink.Advice {
    /// The members of `pairing.advice`.
    var controlValue: JSONValue {
        switch self {
        case .notPairing: ["meaning": "not_pairing"]
        case .gaveUp: ["meaning": "gave_up"]
        case .entersAsWell:
            [
                "meaning": "enters_as_well",
                "detail": "the other device was given a code as well: show one there",
            ]
        case .refused(let failure): Self.members(failure)
        }
    }

    /// With both versions where they differ.
    private static func members(_ failure: PairingFailure) -> JSONValue {
        var object = JSONValue.members([
            "meaning": .string(failure.controlName), "detail": .string("\(failure)"),
        ])
        switch failure {
        case .counterpartTooOld(let version), .counterpartTooNew(let version):
            object["version"] = .whole(version)
            object["own_version"] = .whole(SealedSecurity.wireVersion)
            // No older program, but one that was told not to seal.
            if version == OpenSecurity.wireVersion {
                let skew = VersionSkew(own: SealedSecurity.wireVersion, other: version)
                object["detail"] = (skew?.text).map { .string($0) }
            }
        default: break
        }
        return .object(object)
    }
}

extension DeviceID {
    /// 32 hexadecimal digits.
    var hex: String { Hex.text(rawValue, digits: 32) }
}

extension PairingID {
    /// 32 hexadecimal digits.
    var hex: String { Hex.text(rawValue, digits: 32) }
}

extension LinkAddress {
    /// Whether a link that has ended can be followed by another on the same address.
    var opensAgain: Bool {
        switch self {
        case .unixStream, .unixSeqpacket, .unixDatagram, .udp: true
        case .descriptors, .standardIO, .command: false
        }
    }
}
