import Testing

@testable import WatchProtoCore
@testable import WatchProtoSecurity

/// Messages that somebody forges while two devices pair (FOUND.md: one forged confirmation left the
/// two with different keys).
@Suite struct PairingForgeryTests {
    @Test("only an answer that fails burns the code; what does not authenticate later is dropped")
    func forgeries() throws {
        let random = RandomSource(seed: 1)
        let code = try #require(PairingCode("123456"))
        var entering = Pairing(
            entering: code, as: PairingIdentity(role: .phone, device: DeviceID(rawValue: 1)),
            random: random)
        var showing = Pairing(
            showing: code, as: PairingIdentity(role: .watch, device: DeviceID(rawValue: 2)),
            random: random)
        var message = try #require(entering.opening)
        var devices: [PairedDevice] = []
        var isForShower = true
        var step = 0
        while true {
            // Before each genuine message a forged one of the same kind and length comes, but for
            // the answer, by which a guess is tested.
            if step != 2 {
                var forged = message
                forged[forged.count - 1] ^= 1
                let result: Pairing.Step? =
                    isForShower ? try? copy(&showing, forged) : try? copy(&entering, forged)
                if step > 2 { #expect(result == nil) }
            }
            let next = isForShower ? try showing.receive(message) : try entering.receive(message)
            isForShower.toggle()
            step += 1
            switch next {
            case .send(let bytes): message = bytes
            case .paired(let device, let last):
                devices.append(device)
                guard let last else {
                    #expect(devices.count == 2)
                    #expect(devices[0].pairing == devices[1].pairing)
                    return
                }
                message = last
            }
        }
    }

    /// From the answer on the forged message goes to the run itself; before that to a copy, since
    /// a forged introduction is a message like any other.
    private func copy(_ run: inout Pairing, _ message: [UInt8]) throws -> Pairing.Step {
        switch run.state {
        case .waitingForEnterer, .waitingForShower, .waitingForConfirmation:
            return try run.receive(message)
        default:
            var other = run
            return try other.receive(message)
        }
    }

    @Test("a wrong code burns on the side that shows it")
    func wrongCode() throws {
        let random = RandomSource(seed: 2)
        let right = try #require(PairingCode("123456"))
        let wrong = try #require(PairingCode("123457"))
        var entering = Pairing(
            entering: wrong, as: PairingIdentity(role: .phone, device: DeviceID(rawValue: 1)),
            random: random)
        var showing = Pairing(
            showing: right, as: PairingIdentity(role: .watch, device: DeviceID(rawValue: 2)),
            random: random)
        guard case .send(let share) = try showing.receive(try #require(entering.opening)),
            case .send(let answer) = try entering.receive(share)
        else {
            Issue.record("the run did not begin")
            return
        }
        #expect(throws: PairingFailure.notAuthentic) { try showing.receive(answer) }
        #expect(showing.hasFailed)
    }
}
