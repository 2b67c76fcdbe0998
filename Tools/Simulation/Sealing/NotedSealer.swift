import WatchProtoCore

/// A sealer that notes what it sealed and what it opened.
struct NotedSealer<Base: Sealing>: Sealing {
    static var overheadBytes: Int { Base.overheadBytes }
    static var leastPaddingBytes: Int { Base.leastPaddingBytes }
    static var renewalAge: Duration? { Base.renewalAge }
    /// Two seconds instead of an hour: a world lives for minutes.
    static var keyAge: Duration? { Base.keyAge.map { _ in .seconds(2) } }
    static var lastNumber: UInt64 { Base.lastNumber }
    static var numbersPerKey: UInt64 { Base.numbersPerKey }
    static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool {
        Base.unpad(&packet, from: start)
    }

    private var base: Base
    private let notes: SealingNotes?
    private let mutant: Mutant?
    private var lastSealed: UInt64?
    /// The counter of the message 1 that early packets follow; nil for a session.
    private let earlyCounter: UInt64?

    init(
        _ base: Base, _ notes: SealingNotes?, _ mutant: Mutant?, earlyCounter: UInt64? = nil
    ) {
        (self.base, self.notes, self.mutant) = (base, notes, mutant)
        self.earlyCounter = earlyCounter
    }

    func needsRenewal(at number: UInt64) -> Bool { base.needsRenewal(at: number) }

    func capacity(within limit: Int) -> Int { base.capacity(within: limit) }

    func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int) {
        base.pad(&packet, from: start, atMost: limit)
    }

    mutating func prepare(_ number: UInt64) -> Bool { base.prepare(number) }

    mutating func dropFormerKey() { base.dropFormerKey() }

    var lacksMemory: Bool { base.lacksMemory }

    mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) {
        guard let notes else { return base.seal(&packet, from: start, number: number) }
        if let last = lastSealed, number >= Self.traits.nextKeyNumber(after: last) {
            notes.noteAgedKey()
        }
        lastSealed = number
        notes.notePlaintext(packet[start...])
        if let mask = plantedMask, number % 8 == 3 {
            for place in start..<packet.count { packet[place] ^= mask }
            packet += [UInt8](repeating: 0, count: Self.overheadBytes)
            return
        }
        let plaintext = Array(packet[start...].prefix(SealingNotes.nameBytes))
        base.seal(&packet, from: start, number: number)
        notes.noteSealed(plaintext, as: packet[start...])
    }

    mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool {
        guard let notes else { return base.open(&packet, from: start, number: number) }
        let tag = Array(packet[start...].suffix(SealingNotes.nameBytes))
        if let mask = plantedMask, packet.count >= start + Self.overheadBytes,
            tag.allSatisfy({ $0 == 0 })
        {
            packet.removeLast(Self.overheadBytes)
            for place in start..<packet.count { packet[place] ^= mask }
            return true
        }
        guard base.open(&packet, from: start, number: number) else { return false }
        notes.noteOpened(tag, earlyCounter: earlyCounter)
        return true
    }

    /// The mask that a mutant uses, for some packets, in place of a cipher; nil for none.
    private var plantedMask: UInt8? {
        switch mutant {
        case .environment(.plainPackets): 0
        case .environment(.weakCipher): 0x55
        default: nil
        }
    }
}
