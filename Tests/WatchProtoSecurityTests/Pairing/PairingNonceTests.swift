import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

/// Pairing's messages have no payload; what they seal is each side's static key. No key and number
/// seals two: a message that is asked for again is the same one, byte for byte.
@Suite struct PairingNonceTests {
    /// Runs a pairing in which every message comes three times, and gives the beginnings of the key
    /// streams under which static keys were sealed.
    private func keyStreams(_ random: RandomSource) throws -> [[UInt8]] {
        let code = try #require(PairingCode("424242"))
        var sides = [
            Pairing(entering: code, as: PairingBench.phone, random: random),
            Pairing(showing: code, as: PairingBench.watch, random: random),
        ]
        var devices: [PairedDevice?] = [nil, nil]
        var sent: [[UInt8]] = []
        var message = sides[0].opening
        var receiver = 1
        while let bytes = message {
            sent.append(bytes)
            message = nil
            switch try sides[receiver].receive(bytes) {
            case .send(let answer):
                message = answer
                for _ in 0..<2 {
                    guard case .send(let again) = try sides[receiver].receive(bytes) else {
                        Issue.record("a message that came again was not answered again")
                        break
                    }
                    #expect(again == answer)
                }
            case .paired(let device, let last):
                devices[receiver] = device
                message = last
            }
            receiver = 1 - receiver
        }
        let keys = try devices.map { try #require($0).keyPair.publicKey.bytes }
        func stream(_ key: [UInt8], at place: Int, of message: [UInt8]) -> [UInt8] {
            zip(key, message[place...]).map { $0 ^ $1 }
        }
        // Behind the kind: the displaying side's ephemeral key and its static one; the entering
        // side's.
        return [
            stream(keys[1], at: 1 + 32, of: sent[3]), stream(keys[0], at: 1, of: sent[4]),
        ]
    }

    @Test func no_key_and_number_seals_two_static_keys() throws {
        let random = RandomSource(seed: 7)
        let all = try (0..<50).flatMap { _ in try keyStreams(random) }
        #expect(all.count == 100 && Set(all).count == 100)
        // That they are key streams: where all that is drawn comes again, so do they.
        let again = try (0..<2).map { _ in try keyStreams(RandomSource(seed: 7)) }
        #expect(again[0] == again[1] && again[0] == Array(all[..<2]))
    }
}
