import Foundation
import Testing

@testable import WatchProtoCore

/// The state table of the article against the code: every input in every state.
@Suite struct ConnectionTableTests {
    static let inputs = [
        "activate", "deactivate", "expire", "carrierUp", "carrierDown", "close", "message 1",
        "message 2", "packet", "reset",
    ]

    /// The phone of a pair brought into a state, with the watch that helped.
    static func pair(in phase: ConnectionPhase) -> TestPair {
        var pair = toyPair(seed: 40)
        switch phase {
        case .down: break
        case .waiting:
            pair.sides[0].connection.activate(at: pair.now)
            pair.sides[0].connection.carrierDown(
                CarrierFailure(call: "connect", errorNumber: 111), at: pair.now)
        case .opening: pair.sides[0].connection.activate(at: pair.now)
        case .handshaking:
            pair.start()
            pair.inFlight = []
        case .responded, .established:
            pair.start()
            pair.inFlight = []
            pair.isCut = true
            pair.inject(
                Self.message1(after: &pair), to: .phone, from: TestPair.watchAddress)
            guard phase == .established else { break }
            pair.inject(
                Self.packet(of: &pair), to: .phone, from: TestPair.watchAddress)
        }
        return pair
    }

    /// A message 1 of the watch that the phone may answer now.
    static func message1(after pair: inout TestPair) -> [UInt8] {
        pair.sides[0].connection.abandonInitiation()
        pair.sides[0].isStable = false
        pair.sides[1].connection.close(.localRequest, at: pair.now)
        _ = pair.sides[1].drain(at: pair.now)
        pair.sides[1].connection.activate(at: pair.now)
        _ = pair.sides[1].connection.nextEvent(at: pair.now)
        pair.sides[1].connection.carrierUp(
            pair.carrier, address: TestPair.phoneAddress, initiation: .atOnce,
            at: pair.now)
        let message = pair.sides[1].drain(at: pair.now)
        pair.sides[0].isStable = true
        return message.last?.bytes ?? []
    }

    /// A packet of the session that the phone responded with.
    static func packet(of pair: inout TestPair) -> [UInt8] {
        let answer = pair.capture.last { $0.from == .phone }?.bytes ?? []
        pair.inject(answer, to: .watch, from: TestPair.phoneAddress)
        return pair.sides[1].message(at: pair.now)?.bytes ?? []
    }

    static func apply(_ input: String, to pair: inout TestPair) {
        let watch = TestPair.watchAddress
        var now = pair.now
        switch input {
        case "activate": pair.sides[0].connection.activate(at: now)
        case "deactivate": pair.sides[0].connection.deactivate(at: now)
        case "expire":
            // Only deadlines of the state itself, and those of its end.
            pair.isCut = true
            while let deadline = pair.sides[0].connection.nextDeadline,
                deadline < now.advanced(by: .seconds(31))
            {
                let before = pair.sides[0].connection.phase
                pair.sides[0].connection.expire(at: deadline)
                now = deadline
                if pair.sides[0].connection.phase != before { return }
            }
        case "carrierUp":
            pair.sides[0].connection.carrierUp(
                pair.carrier, address: watch, initiation: .atOnce, at: now)
        case "carrierDown":
            pair.sides[0].connection.carrierDown(
                CarrierFailure(call: "read", errorNumber: 5), at: now)
        case "close": pair.sides[0].connection.close(.localRequest, at: now)
        case "message 1":
            let message = message1(after: &pair)
            pair.sides[0].connection.receive(message.span, from: watch, at: now)
            _ = pair.sides[0].drain(at: now)
        case "message 2":
            let message = pair.capture.last { $0.from == .phone }?.bytes ?? []
            pair.inject(message, to: .watch, from: TestPair.phoneAddress)
            let answer = pair.capture.last { $0.from == .watch }?.bytes ?? []
            pair.sides[0].connection.receive(answer.span, from: watch, at: now)
            _ = pair.sides[0].connection.nextEvent(at: now)
        case "packet":
            let packet = packet(of: &pair)
            pair.sides[0].connection.receive(packet.span, from: watch, at: now)
        default:
            let session = pair.sides[0].connection.currentSession
            let id = session?.counterpartID ?? ConnectionID(rawValue: 7)
            let sent = pair.sides[0].message(at: now)?.bytes ?? []
            let token = pair.sides[1].connection.security.resetToken(
                for: id, answering: SentTails.tail(of: sent), of: .own)
            var writer = WireWriter([PacketKind.reset.rawValue])
            ResetPacket(connectionID: id, token: token).write(to: &writer)
            pair.sides[0].connection.receive(writer.bytes.span, from: watch, at: now)
        }
    }

    @Test("the table of the article is the code")
    func table() throws {
        let rows = ConnectionPhase.allCases.map { phase in
            ["\(phase)"]
                + Self.inputs.map { input in
                    var pair = Self.pair(in: phase)
                    #expect(pair.sides[0].connection.phase == phase)
                    Self.apply(input, to: &pair)
                    let next = pair.sides[0].connection.phase
                    let isNewCandidate = phase == .responded && input == "message 1"
                    return next == phase && !isNewCandidate ? "–" : "\(next)"
                }
        }
        let article = try String(
            contentsOfFile: #filePath.replacingOccurrences(
                of: "Tests/WatchProtoCoreTests/Connection/ConnectionTableTests.swift",
                with: "Sources/WatchProtoCore/WatchProtoCore.docc/connection.md"),
            encoding: .utf8)
        let table = article.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty }
        }
        #expect(table.first == ["state"] + Self.inputs)
        #expect(Array(table.dropFirst(2).prefix(rows.count)) == rows)
    }
}
