/// Flights on carriers that can lose: what is held back, and the parity of what has left.
extension Peer {
    /// Nothing may leave: notes until when what waits is held back.
    mutating func holdBack() {
        guard repair != nil else { return }
        isHeldBack = hasFrames(Leave())
        let isLineBusy = isHeldBack && isNarrow
        repair?.arrivals.isLineBusy = isLineBusy
        let isUrgent = !parityDue.isEmpty || hasFrames(Leave(urgent: true, rest: false))
        let departure = isHeldBack || isUrgent ? repair?.nextDeparture(isUrgent: isUrgent) : nil
        repair?.heldUntil = departure
    }

    /// Where nothing waits any more, the flight is over and its parity leaves.
    mutating func endFlight(_ leave: Leave) -> [UInt8]? {
        hasFrames(Leave(), withBulk: false) ? nil : makeParity(leave)
    }

    /// The parity of what left lately.
    mutating func makeParity(_ leave: Leave) -> [UInt8]? {
        guard repair?.isParityDue == true else { return nil }
        let capacity = freshCapacity
        parityDue = repair?.takeParity(limitBytes: capacity, at: now) ?? []
        return makeParityPacket(leave)
    }

    mutating func makeParityPacket(_ leave: Leave) -> [UInt8]? {
        guard let parity = parityDue.first else { return nil }
        // The headers may have become longer.
        guard ParityEncoder.overhead(first: parity.first) + parity.bytes.count <= freshCapacity
        else {
            parityDue = []
            return nil
        }
        guard leave.urgent else {
            let departure = repair?.nextDeparture(isUrgent: true)
            repair?.heldUntil = departure
            return nil
        }
        // No link ends for want of what it can do without.
        let number = repair?.upcomingNumber ?? sentPackets
        guard sendingSealer?.prepare(number) == true else {
            parityDue = []
            return nil
        }
        parityDue.removeFirst()
        var writer = WireWriter()
        parity.write(to: &writer)
        counters.paritySent += 1
        repair?.sent([.parity], at: now)
        repair?.cover(parity)
        let packet = sealedPacket(.transport, writer.bytes)
        repair?.sent(bytes: packet?.count ?? 0, at: now)
        return packet
    }
}
