import Testing
import WatchProto
import WatchSecurity

@testable import SimKit

/// What is noted of the flights of a handshake: the first one and its answer, each by its key and
/// number, whatever it says.
@Suite struct NotedFlightTests {
    /// A first flight and its answer, of devices that draw what they draw in those lives; whatever
    /// was noted of them.
    private func flights(
        lives: (phone: UInt64, watch: UInt64), says: UInt8, answers: UInt8
    ) throws -> [UInt128: UInt128] {
        let devices = try SimulatedPair(seed: 3)
        func security(
            _ role: DeviceRole, _ life: UInt64
        ) -> (NotedSecurity<PairedSecurity>, SealingNotes) {
            let notes = SealingNotes()
            let made = NotedSecurity(
                devices.security(of: role, life: life), notes, canary: nil,
                makeFirst: { devices.security(of: role, life: 1) })
            return (made, notes)
        }
        var (phone, phoneNotes) = security(.phone, lives.phone)
        var (watch, watchNotes) = security(.watch, lives.watch)
        var opening = phone.makeHandshake(role: .phone, prologue: [1])
        var answering = watch.makeAnswer(role: .watch, prologue: [1])
        let first = try opening.write(payload: [UInt8](repeating: says, count: 60))
        _ = try answering.read(first.span)
        let answer = try answering.write(payload: [UInt8](repeating: answers, count: 60))
        _ = try opening.read(answer.span)
        #expect(opening.isComplete)
        var noted: [UInt128: UInt128] = [:]
        for sight in phoneNotes.take() + watchNotes.take() {
            if case .sealedFlight(let stream, let tag) = sight { noted[stream] = tag }
        }
        return noted
    }

    @Test func a_key_and_a_number_have_one_name_whatever_they_seal() throws {
        let one = try flights(lives: (1, 1), says: 1, answers: 2)
        #expect(one.count == 2, "a flight and its answer")
        #expect(try flights(lives: (1, 1), says: 1, answers: 2) == one)
        // The same answer but for its payload.
        let other = try flights(lives: (1, 1), says: 1, answers: 3)
        #expect(Set(other.keys) == Set(one.keys))
        #expect(other.filter { one[$0.key] != $0.value }.count == 1)
        // An answer to another flight of the same key: Noise's keys follow from keys alone.
        let both = try flights(lives: (1, 1), says: 4, answers: 3)
        #expect(Set(both.keys) == Set(one.keys))
        #expect(both.filter { one[$0.key] != $0.value }.count == 2)
        // Fresh keys of who answers, and of who opens.
        let answered = try flights(lives: (1, 2), says: 1, answers: 2)
        #expect(Set(answered.keys).intersection(one.keys).count == 1)
        let opened = try flights(lives: (2, 1), says: 1, answers: 2)
        #expect(Set(opened.keys).isDisjoint(with: one.keys))
    }
}
