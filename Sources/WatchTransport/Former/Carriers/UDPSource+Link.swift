internal import Synchronization
internal import WatchProto

/// What comes while a link is open.
extension UDPSource {
    /// Something came over an open link, or past it. Says whether that ends the link.
    func heard(_ word: UDPCarrier.Word) -> Bool {
        state.withLock { state in
            guard let door = state.door, let open = state.open else { return false }
            switch (side, word.kind) {
            case (.connecting, .call) where word.from == open.place:
                state.isCalled = true
                return true
            case (.listening, .hail), (.listening, .opening):
                return heardHail(word, open, &state, door)
            case (_, .packet) where side == .listening || word.from == open.place:
                // The other side has another link in mind than this one.
                deny(word, &state, door)
            default: break
            }
            return false
        }
    }

    private func heardHail(
        _ word: UDPCarrier.Word, _ open: (link: UInt32, place: UDPPlace), _ state: inout State,
        _ door: UDPDoor
    ) -> Bool {
        if word.from == open.place {
            // The welcome was lost.
            if word.link == open.link { door.say(.welcome, link: word.link, to: word.from) }
            if open.link &- word.link <= Self.lateHails { return false }
            state.successor = word
            return true
        }
        // Another's hail: the counterpart is asked for a sign of life, and who knocks again while
        // it has the link is told so. A counterpart that has ended is told by the system.
        if let knock = state.knock, knock.from == word.from, knock.link == word.link {
            state.knock = nil
            door.say(.busy, link: word.link, to: word.from)
            return false
        }
        state.knock = word
        door.say(.welcome, link: open.link, to: open.place)
        while let place = door.takeRefusal() {
            guard place == open.place else { continue }
            state.successor = word
            return true
        }
        return false
    }

    /// Tells that a link is over, or was never known: once for all its packets that come at a time.
    func deny(_ word: UDPCarrier.Word, _ state: inout State, _ door: UDPDoor) {
        let now = SystemClock.now
        if let denied = state.denied, denied.link == word.link,
            now < denied.at.advanced(by: .milliseconds(100))
        {
            return
        }
        state.denied = (word.link, now)
        door.say(.end, link: word.link, to: word.from)
    }

    /// The link's carrier was closed: tells the counterpart, unless the door is closed, too.
    func ended(_ link: UInt32, _ place: UDPPlace, _ standing: UDPCarrier.Standing) {
        state.withLock { state in
            state.door?.say(.end, link: link, to: place)
            guard side == .connecting else { return }
            state.trusts = standing == .confirmed
            abandonHail(&state)
        }
    }
}
