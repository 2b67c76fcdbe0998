import Locks
import WatchProto

/// A place where two carriers of an application meet, in memory.
final class MeetingPlace: Sendable {
    fileprivate typealias Opening = CheckedContinuation<CallbackLink, any Error>

    fileprivate struct State {
        var waiting: (side: DeviceRole, Opening)?
        var open: [CallbackLink] = []
        var refusals = 0
    }

    fileprivate let state = Mutex(State())
    let delivery: CarrierDelivery
    /// Drops each n-th packet; 0 for none.
    let lossEvery: Int
    let partBytes: Int

    init(_ delivery: CarrierDelivery, lossEvery: Int = 0, partBytes: Int = .max) {
        self.delivery = delivery
        self.lossEvery = lossEvery
        self.partBytes = partBytes
    }

    func carrier(_ side: DeviceRole) -> MeetingCarrier { MeetingCarrier(place: self, side: side) }

    /// Refuses the next attempts to open.
    func refuse(_ count: Int) { state.withLock { $0.refusals = count } }

    /// Ends the open links, as a radio that goes out of range.
    func cut() {
        for link in state.withLock({ $0.open }) { link.ended(OutOfRange()) }
    }

    var openCount: Int { state.withLock { $0.open.count } }

    fileprivate func open(_ side: DeviceRole) async throws -> CallbackLink {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (opening: Opening) in
                let (both, former) = state.withLock {
                    state -> ([(Opening, CallbackLink)], Opening?) in
                    if state.refusals > 0 {
                        state.refusals -= 1
                        return ([], opening)
                    }
                    guard !Task.isCancelled else { return ([], opening) }
                    guard let other = state.waiting, other.side != side else {
                        defer { state.waiting = (side, opening) }
                        return ([], state.waiting?.1)
                    }
                    state.waiting = nil
                    let ends = self.connected()
                    state.open += [ends.0, ends.1]
                    return ([(opening, ends.0), (other.1, ends.1)], nil)
                }
                former?.resume(throwing: OutOfRange())
                for (opening, link) in both { opening.resume(returning: link) }
            }
        } onCancel: {
            let opening = state.withLock { state -> Opening? in
                guard state.waiting?.side == side else { return nil }
                defer { state.waiting = nil }
                return state.waiting?.1
            }
            opening?.resume(throwing: CancellationError())
        }
    }
}

/// Holds a link that is not made yet.
private final class Other: Sendable {
    let link = Mutex<CallbackLink?>(nil)
}

extension MeetingPlace {
    /// Two ends that are connected.
    private func connected() -> (CallbackLink, CallbackLink) {
        let (ofFirst, ofSecond) = (Other(), Other())
        let (first, second) = (end(ofFirst), end(ofSecond))
        ofFirst.link.withLock { $0 = second }
        ofSecond.link.withLock { $0 = first }
        return (first, second)
    }

    private func end(_ other: Other) -> CallbackLink {
        let sent = Atomic(0)
        return CallbackLink { [self] bytes, done in
            let number = sent.add(1, ordering: .relaxed).newValue
            let isLost = lossEvery > 0 && number.isMultiple(of: lossEvery)
            var rest = bytes[...]
            while !isLost, !rest.isEmpty {
                other.link.withLock { $0 }?.received(Array(rest.prefix(partBytes)))
                rest = rest.dropFirst(partBytes)
            }
            Task.detached { done(nil) }
        } close: { [self] in
            let peer = other.link.withLock { $0 }
            peer?.ended()
            state.withLock { state in state.open.removeAll { $0 === peer } }
        }
    }
}

struct OutOfRange: Error, CustomStringConvertible {
    var description: String { "the radio is out of range" }
}

struct MeetingCarrier: CompanionCarrier {
    let place: MeetingPlace
    let side: DeviceRole
    var delivery: CarrierDelivery { place.delivery }
    func open() async throws -> any CarrierLink { try await place.open(side) }
}
