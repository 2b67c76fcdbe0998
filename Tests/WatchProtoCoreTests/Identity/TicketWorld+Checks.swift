@testable import WatchProtoCore

/// The invariants of IDENTITY.md, section 10, that the ticket layer alone can show.
extension TicketWorld {
    /// Checks the verdict that a side holds for true from now on (I1, I6, I8).
    mutating func check(_ i: Int, _ verdict: Verdict) {
        let j = 1 - i
        let own = sides[i].presentedFacts
        let other = sides[i].counterpartFacts
        if verdict.isInStep {
            if other.relied & ~own.held != 0 || own.relied & ~other.held != 0 {
                fail("I1: in step, but a side lost what it had stated")
            }
        } else if !sides[0].hasLost, !sides[1].hasLost {
            fail("I8: false alarm: there were crashes alone")
        }
        if verdict.counterpartLostState && !sides[j].hasLost
            || verdict.selfLostState && !sides[i].hasLost
        {
            fail("I8: a side is said to have lost state that did not")
        }
        if verdict.isClone, rules.swaps == 1 || sides[0].swaps < 2 {
            fail("I8: a clone is seen where there is none")
        }
        let maker = makers[sides[i].session] ?? 0
        let present = maker > 0 ? maker - 1 : device
        if rules.swaps > 1, present != lastDevice,
            heardDevices.isSuperset(of: [present, lastDevice]),
            !verdict.isClone
        {
            fail("I6: a clone goes unnoticed")
        }
    }

    /// I9: from here either side gets a session with at most two messages 1 of its own.
    mutating func checkThatSessionsComeAbout() {
        for side in 0..<2 {
            var copy = self
            copy.isMeeting = true
            if !copy.meet(side) { fail(copy.violation ?? "I9: no session comes about") }
        }
    }

    private mutating func meet(_ i: Int) -> Bool {
        let j = 1 - i
        for side in 0..<2 {
            if !sides[side].isDurable { act(.persist, side) }
            sides[side].message1 = nil
        }
        for _ in 0..<2 {
            act(.open, i)
            act(.answer, j)
            if let pending = sides[i].pending, pending.id == sides[j].message2?.id {
                act(.finish, i)
                if violation != nil { return false }
                if sides[i].session == 0 { return true }
                act(.confirm, j)
                return violation == nil && sides[i].session == sides[j].session
            }
            guard let refusal = sides[j].refusal, refusal.id == sides[i].pending?.id else {
                return false
            }
            act(.refused, i)
        }
        return false
    }
}

/// A random walk through a world.
struct TicketWalk {
    var world: TicketWorld
    var generator: SeededGenerator
    var taken: [String] = []

    init(_ rules: TicketRules, seed: UInt64) {
        world = TicketWorld(rules)
        generator = SeededGenerator(seed: seed)
    }

    /// Where both are possible, one step in six is a fault or a wish.
    mutating func run(atMost steps: Int) {
        for _ in 0..<steps where world.violation == nil {
            let possible = world.possible
            if !possible.contains(where: { !$0.step.isFault }) {
                world.checkThatSessionsComeAbout()
            }
            let rare = possible.filter { $0.step.isFault || $0.step.isWish }
            let usual = possible.filter { !($0.step.isFault || $0.step.isWish) }
            guard world.violation == nil, !possible.isEmpty else { return }
            let pool =
                rare.isEmpty || !usual.isEmpty && generator.next() % 6 != 0 ? usual : rare
            let chosen = pool[Int(generator.next() % UInt64(pool.count))]
            taken.append("\(chosen.step.rawValue).\(chosen.side)")
            world.act(chosen.step, chosen.side)
        }
    }
}
