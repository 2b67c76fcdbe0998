import Articles
import ControlKit

@testable import FormerCore

/// The fields of greetings, flights, notices and headers as JSON: names of 64 and 128 bits in
/// hexadecimal digits, lists by lane, all else as numbers.
enum PacketJSON {
    static func value(_ greeting: Greeting) -> JSONValue {
        [
            "role": .whole(greeting.role.rawValue),
            "pairing": .string(digits(greeting.pairing.rawValue, 32)),
            "highestVersion": .whole(greeting.highestVersion),
            "own": .array(greeting.ownEpochs.map(value)),
            "known": .array(
                greeting.knownEpochs.map { epoch in
                    [
                        "id": .string(digits(epoch.id.rawValue, 16)),
                        "receivedThrough": list(epoch.receivedThrough),
                    ]
                }),
            "offers": list(greeting.offers), "bytes": list(greeting.bytes),
            "digests": .array(
                [Lane.complication, .context].map {
                    .string(digits(greeting.heldDigests[Int($0.rawValue)], 16))
                }),
            "largestDatagram": .whole(greeting.largestDatagramBytes),
        ]
    }

    private static func value(_ epoch: Greeting.OwnEpoch) -> JSONValue {
        [
            "id": .string(digits(epoch.id.rawValue, 16)),
            "parent": epoch.parent.map { .string(digits($0.rawValue, 16)) } ?? nil,
            "parentHighest": list(epoch.parentHighest), "next": list(epoch.next),
            "unsettled": list(zip(epoch.next, epoch.floors).map { $0 - $1 }),
        ]
    }

    static func value(_ packet: HandshakePacket) -> JSONValue {
        [
            "version": .whole(packet.version), "sender": .whole(packet.senderSession),
            "receiver": .whole(packet.receiverSession),
            "flight": .string(Hex.string(packet.flight)),
        ]
    }

    static func value(_ notice: NoticePacket) -> JSONValue {
        ["version": .whole(notice.version), "code": .whole(notice.code.rawValue)]
    }

    static func value(_ header: DatagramHeader) -> JSONValue {
        [
            "kind": .whole(header.kind.rawValue), "keyPhase": .bool(header.keyPhase),
            "numberBytes": .whole(header.numberBytes), "hint": .whole(header.hint),
            "number": .whole(header.number),
        ]
    }

    private static func list(_ numbers: [UInt64]) -> JSONValue {
        .array(numbers.map { .whole($0) })
    }

    private static func digits(_ value: some BinaryInteger, _ count: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: count - text.count) + text
    }
}
