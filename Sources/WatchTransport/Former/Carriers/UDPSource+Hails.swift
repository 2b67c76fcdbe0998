internal import Synchronization
internal import WatchProto

/// How the connecting side asks for a link: at once where it may hope for an answer, and patiently.
extension UDPSource {
    /// Wait for the answer to the first hail; it doubles up to ``longestWait``.
    static var firstWait: Duration { .milliseconds(250) }
    /// Wait between hails in the end: who comes up is found within so long.
    static var longestWait: Duration { .seconds(1) }
    /// How long a link that was opened before its hail was answered may stay so: the round trip of
    /// any link worth it. What is sent meanwhile is repeated by the peer, ever more rarely; hails
    /// find the counterpart sooner.
    static var longestTrust: Duration { .seconds(2) }

    /// Hails, and opens the link at once, so that what the peer has to say need not wait for the
    /// answer. Nil where that was in vain lately, or the system says that nobody is there.
    func openTrusting(_ state: inout State, _ door: UDPDoor) -> CarrierOpening? {
        guard state.trusts || state.isCalled, let link = state.pending else { return nil }
        state.trusts = false
        state.isCalled = false
        let place = UDPPlace(endpoint)
        hail(&state, door)
        while let refusing = door.takeRefusal() { if refusing == place { return nil } }
        abandonHail(&state)
        let end = SystemClock.now.advanced(by: Self.longestTrust)
        timer.withLock { $0?.set(end) }
        return open(link, with: place, trust: .init(sign: state.sign, end: end), &state, door)
    }

    /// A fresh number, one above the last.
    func begin(_ state: inout State, _ door: UDPDoor) {
        let random = UInt32(truncatingIfNeeded: SystemRandomness.epoch().rawValue)
        let link = state.lastHailed.map { $0 &+ 1 } ?? random
        state.lastHailed = link
        state.pending = link
        state.hails = 0
        state.nextHailAt = .zero
    }

    func hail(_ state: inout State, _ door: UDPDoor) {
        guard let link = state.pending else { return }
        door.say(.hail, link: link, to: UDPPlace(endpoint))
        let wait = min(Self.firstWait * (1 << min(state.hails, 8)), Self.longestWait)
        state.hails += 1
        let next = SystemClock.now.advanced(by: wait)
        state.nextHailAt = next
        timer.withLock { $0?.set(next) }
    }

    func abandonHail(_ state: inout State) {
        state.pending = nil
        state.nextHailAt = .distantFuture
        timer.withLock { $0?.set(.distantFuture) }
    }
}
