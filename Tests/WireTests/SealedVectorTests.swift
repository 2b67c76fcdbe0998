import Articles
import Foundation
import Locks
import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

/// The code comes to what `Examples/peer` wrote from the articles: pairing, handshake and
/// packets from fixed scalars.
@Suite("Sealed vectors")
struct SealedVectorTests {
    private let rows: [String: String]

    init() throws {
        let all = try FixtureFiles.rows("wire/sealed.tsv").map { ($0[0], $0[1]) }
        rows = Dictionary(uniqueKeysWithValues: all)
    }

    private func text(_ name: String) throws -> String { try #require(rows[name], "\(name)") }
    private func bytes(_ name: String) throws -> [UInt8] {
        try #require(Hex.bytes(try text(name)), "\(name)")
    }

    /// Gives these values, one a draw, and fails beyond them.
    private func random(_ draws: [[UInt8]]) -> RandomSource {
        let left = Mutex(draws)
        return RandomSource { count in
            let next = left.withLock { $0.isEmpty ? [] : $0.removeFirst() }
            precondition(next.count == count, "\(count) bytes drawn for \(next.count)")
            return next
        }
    }

    private func side(_ name: String, _ role: DeviceRole) throws -> (PairingIdentity, RandomSource)
    {
        let device = DeviceID(rawValue: LittleEndian.value(try bytes("\(name) device")))
        let draws = try ["nonce", "scalar", "static", "ephemeral"].map {
            try bytes("\(name) \($0)")
        }
        return (PairingIdentity(role: role, device: device), random(draws))
    }

    /// Pairs as the fixture does, and checks every message.
    private func paired() throws -> (phone: PairedDevice, watch: PairedDevice) {
        let code = try #require(PairingCode(try text("code")))
        let (phone, phoneRandom) = try side("entry", .phone)
        let (watch, watchRandom) = try side("display", .watch)
        var entering = Pairing(entering: code, as: phone, random: phoneRandom)
        var displaying = Pairing(showing: code, as: watch, random: watchRandom)
        var devices: [PairedDevice] = []
        var message = entering.opening
        var number = 1
        while let sent = message {
            #expect(Hex.string(sent) == (try text("pairing message \(number)")))
            let step =
                try number.isMultiple(of: 2) ? entering.receive(sent) : displaying.receive(sent)
            switch step {
            case .send(let answer): message = answer
            case .paired(let device, let last):
                devices.append(device)
                message = last
            }
            number += 1
        }
        #expect(number == 7)
        return (try #require(devices.last), try #require(devices.first))
    }

    @Test("S-1, S-2, I-40: a pairing, message by message, and what it leaves")
    func pairing() throws {
        let (phone, watch) = try paired()
        for device in [phone, watch] {
            let psk = unsafe device.psk.withBytes { unsafe Array($0) }
            #expect(Hex.string(psk) == (try text("psk")))
            let name = LittleEndian.bytes(device.pairing.rawValue)
            #expect(Hex.string(name) == (try text("pairing")))
            #expect(String(device.ticket.rawValue) == (try text("first ticket")))
        }
        #expect(Hex.string(phone.counterpartKey.bytes) == (try text("display static public")))
        #expect(Hex.string(watch.counterpartKey.bytes) == (try text("entry static public")))
    }

    @Test("S-3 to S-8: keys outside a session, message 1 and its refusal")
    func initiation() throws {
        let (phone, watch) = try paired()
        for role in DeviceRole.allCases {
            let keys = try OuterKeys(psk: phone.psk, role: role)
            let named = [
                ("counter mask", keys.mask), ("message 1 MAC", keys.message),
                ("refusal MAC", keys.refusal), ("reset token", keys.reset),
            ]
            for (purpose, key) in named {
                let found = Hex.string(unsafe key.withBytes { unsafe Array($0) })
                #expect(found == (try text("\(purpose) key of role \(role.rawValue)")))
            }
        }
        let message = try initiate(phone).message
        #expect(Hex.string(message.body) == (try text("body of message 1")))
        #expect(Hex.string(Array(message.body[32..<37])) == (try text("masked counter")))
        #expect(Hex.string(Array(message.body[37..<45])) == (try text("MAC of message 1")))
        let responder = try NoiseSecurity(watch)
        #expect(responder.counter(of: message) == 300)
        var writer = WireWriter()
        writer.uint128(responder.refusalMAC(of: message, naming: 700))
        #expect(Hex.string(writer.bytes) == (try text("refusal MAC naming 700")))
    }

    @Test("S-11 to S-17: message 2, the ticket, the keys and packets of every carrier")
    func session() throws {
        let (phone, watch) = try paired()
        var initiation = try initiate(phone)
        var early = initiation.earlySealer
        early.padding = .off
        let frames = try bytes("frames of early packet 0")
        #expect(
            Hex.string(seal(&early, frames, prefixed: .early))
                == (try text("early packet 0 on a stream")))
        var responder = try NoiseSecurity(watch, random: random([bytes("responder ephemeral")]))
        var response = try responder.open(initiation.message)
        #expect(Hex.string(response.payload) == (try text("payload of message 1")))
        let (body, _) = try response.respond(try bytes("payload of message 2"))
        #expect(Hex.string(body) == (try text("body of message 2")))
        let (payload, keys) = try initiation.open(body)
        #expect(Hex.string(payload) == (try text("payload of message 2")))
        #expect("\(keys.ticket.rawValue)" == (try text("ticket")))

        let plain = try bytes("frames of packet 0")
        var stream = try fresh(keys.sending)
        #expect(
            Hex.string(seal(&stream, plain, prefixed: .transport))
                == (try text("packet 0 of the initiator on a stream")))
    }

    @Test("S-6, S-13, S-14: packets of datagrams, the next key, a reset")
    func datagrams() throws {
        let (phone, watch) = try paired()
        let name = "packet 65541 of the initiator in a datagram"
        let packet = try bytes(name)
        // The fixture's packets are opened by the side that they are meant for.
        var responder = try NoiseSecurity(watch, random: random([bytes("responder ephemeral")]))
        var response = try responder.open(try initiate(phone).message)
        let keys = try response.respond(try bytes("payload of message 2")).keys
        let plain = try text("frames of packet 0")
        for (name, start, number) in [
            ("packet 0 of the initiator on seqpacket", 1, 0),
            ("packet 0 of the initiator in a datagram, padded to 64", 7, 0), (name, 7, 65_541),
        ] as [(String, Int, UInt64)] {
            var receiving = keys.receiving
            var opened = try bytes(name)
            let isOpen = receiving.open(&opened, from: start, number: number)
            #expect(isOpen, "\(name)")
            let isPadded = SessionSealer.unpad(&opened, from: start)
            #expect(isPadded)
            #expect(Hex.string(Array(opened[start...])) == plain, "\(name)")
        }
        let tail: UInt64 = LittleEndian.value(packet.suffix(8))
        let id = ConnectionID(rawValue: 0x0807_0605)
        var writer = WireWriter()
        writer.uint128(responder.resetToken(for: id, answering: tail, of: .own))
        let token = try text("reset token that answers packet 65541")
        #expect(Hex.string(writer.bytes) == token)
    }

    private func initiate(_ phone: PairedDevice) throws -> NoiseInitiation {
        var security = try NoiseSecurity(
            phone, random: random([bytes("initiator ephemeral")]))
        return try security.initiate(
            ConnectionID(rawValue: 0x0403_0201), counter: 300,
            payload: try bytes("payload of message 1"))
    }

    private func fresh(_ sealer: SessionSealer) throws -> SessionSealer {
        var sealer = sealer
        sealer.padding = .off
        return sealer
    }

    private func seal(
        _ sealer: inout SessionSealer, _ frames: [UInt8], prefixed kind: PacketKind
    ) -> [UInt8] {
        var packet = frames
        let isReady = sealer.prepare(0)
        #expect(isReady)
        sealer.pad(&packet, from: 0, atMost: 1000)
        sealer.seal(&packet, from: 0, number: 0)
        return StreamFraming.prefix(of: kind, length: packet.count) + packet
    }
}
