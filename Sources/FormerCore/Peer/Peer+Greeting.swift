/// What the two sides say of themselves when a session begins.
extension Peer {
    /// What this side says of itself, cut to what one flight on this carrier can hold.
    mutating func makeGreeting() -> ([UInt8], floors: [[UInt64]]) {
        // A greeting that is out may yet open a session, in which epochs go by their places in it.
        let isAnotherOut =
            !answers.isEmpty || earlySending != nil
            || attempt.map { !$0.lastFlight.isEmpty } ?? false
        if !isAnotherOut { outbox.pruneEpochs() }
        var greeting = Greeting(
            role: configuration.role, pairing: configuration.pairing,
            highestVersion: configuration.frameVersion, ownEpochs: outbox.greetingEpochs,
            present: nil,
            knownEpochs: inbox.knownToTell,
            offers: inbox.lanes.map { UInt64($0.traits.offerWindow) },
            bytes: inbox.lanes.map { UInt64($0.traits.byteWindow) },
            heldDigests: heldDigests,
            largestDatagramBytes: UInt64(configuration.limits.largestDatagramBytes),
            formerOpenings: outbox.formerOpenings)
        greeting.list(atMost: configuration.limits.epochs)
        let room = largestPacketBytes - 16 - Security.Handshake.overheadBytes
        var bytes = greeting.encoded()
        while bytes.count > room, !greeting.formerOpenings.isEmpty {
            greeting.formerOpenings.removeFirst()
            bytes = greeting.encoded()
        }
        while bytes.count > room, greeting.knownEpochs.count > 1 {
            greeting.knownEpochs.removeFirst()
            bytes = greeting.encoded()
        }
        while bytes.count > room, greeting.ownEpochs.count > 1 {
            greeting.list(atMost: greeting.ownEpochs.count - 1)
            bytes = greeting.encoded()
        }
        if bytes.count > room {
            greeting.present = nil
            bytes = greeting.encoded()
        }
        return (bytes, greeting.ownEpochs.map { $0.floors })
    }

    var heldDigests: [UInt64] { inbox.lanes.map { $0.heldDigest.rawValue } }

    /// The greeting inside a flight; nil when it is none, or not of this side's counterpart.
    mutating func readGreeting(_ payload: [UInt8]) -> Greeting? {
        do throws(WireError) {
            let greeting = try Greeting.decode(payload.span, limits: configuration.limits)
            guard greeting.pairing == configuration.pairing,
                greeting.role == configuration.role.counterpart
            else {
                queueNotice(.wrongPeer)
                dropOrClose(
                    .wrongPeer(
                        expected: PeerLabel(
                            role: configuration.role.counterpart, pairing: configuration.pairing),
                        found: PeerLabel(role: greeting.role, pairing: greeting.pairing)))
                return nil
            }
            return greeting
        } catch {
            dropOrClose(.violation(error))
            return nil
        }
    }
}

extension Greeting {
    /// Lists the oldest `count` epochs; the present one is named then without a place.
    fileprivate mutating func list(atMost count: Int) {
        guard ownEpochs.count > count, let last = ownEpochs.last else { return }
        if !isCut {
            present = PresentEpoch(
                id: last.id, parent: last.parent, parentHighest: last.parentHighest)
        }
        isCut = true
        ownEpochs = Array(ownEpochs.prefix(count))
    }
}
