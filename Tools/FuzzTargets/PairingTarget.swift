import WatchProtoCore
import WatchProtoSecurity

extension FuzzTarget {
    /// A device that shows a code, or has entered one, and somebody who does not know the code:
    /// they may not pair, and cost no more than a few times their bytes.
    ///
    /// The first byte says how: its lowest bit the carrier, the next the side. Then come packets,
    /// each behind a byte with its length; a length of 255 lets a second pass.
    static let pairing = FuzzTarget("pairing") { bytes in
        guard let options = bytes.first else { return nil }
        let role = role(options)
        var link = PairingLink(
            PairingIdentity(role: role, device: DeviceID(rawValue: 7)),
            random: RandomSource(seed: 7))
        var now = Instant.zero
        guard let code = PairingCode("482913") else { return "six digits are no code" }
        if role == .watch {
            guard (try? link.showCode(at: now)) != nil else { return "no code is shown" }
        } else {
            guard (try? link.enterCode(code, at: now)) != nil else { return "no code is taken" }
        }
        let carrier = carrier(options)
        let source = carrier.isLossy ? PathAddress(host: 1, port: 2) : nil
        var packets = 0
        for step in steps(bytes.dropFirst()) {
            if link.wantsLink { link.linkUp(carrier, at: now) }
            switch step {
            case .second:
                now = now.advanced(by: .seconds(1))
                link.wake(at: now)
            case .packet(let packet): link.receive(packet.span, from: source, at: now)
            }
            packets += link.takeOutgoing().count
            for event in link.takeEvents() {
                switch event {
                case .confirm: return "somebody who does not know the code is to be confirmed"
                case .store: return "somebody who does not know the code was paired"
                default: break
                }
            }
            if link.mustClose { link.linkDown(at: now) }
        }
        // A message, an answer and its repetitions each; a code that is burnt makes another.
        return packets > 8 + 8 * bytes.count ? "\(packets) packets for \(bytes.count) bytes" : nil
    }

    enum Step {
        case packet([UInt8])
        case second
    }

    static func steps(_ bytes: ArraySlice<UInt8>) -> [Step] {
        var steps: [Step] = []
        var rest = bytes
        while let count = rest.popFirst() {
            if count == 255 {
                steps.append(.second)
            } else {
                steps.append(.packet(Array(rest.prefix(Int(count)))))
                rest = rest.dropFirst(Int(count))
            }
        }
        return steps
    }
}
