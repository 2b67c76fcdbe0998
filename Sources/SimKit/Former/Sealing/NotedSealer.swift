import WatchProto

/// A sealer that notes what it sealed and what it opened.
struct NotedSealer<Base: Sealing>: Sealing {
    static var overheadBytes: Int { Base.overheadBytes }
    static var leastPaddingBytes: Int { Base.leastPaddingBytes }
    static var renewalAge: Duration? { Base.renewalAge }
    /// Two seconds instead of an hour: a world lives for minutes.
    static var keyAge: Duration? { Base.keyAge.map { _ in .seconds(2) } }
    static func nextKeyNumber(after number: UInt64) -> UInt64 {
        Base.nextKeyNumber(after: number)
    }
    static func keyPhase(of number: UInt64) -> Bool { Base.keyPhase(of: number) }
    static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool {
        Base.unpad(&packet, from: start)
    }

    private var base: Base
    private let notes: SealingNotes?
    private let canary: Canary?
    /// The sealer as it was before it had opened anything: what a replay window remembers, it does
    /// not.
    private let forgetful: Base?
    private var largestOpened: UInt64?
    private var lastSealed: UInt64?
    /// The number of the flight that it is for; nil for a session.
    private let flight: UInt64?
    private var isEarly: Bool { flight != nil }

    init(_ base: Base, _ notes: SealingNotes?, _ canary: Canary?, flight: UInt64? = nil) {
        (self.base, self.notes, self.canary) = (base, notes, canary)
        self.flight = flight
        let isPlanted = canary == .replayWindowOff || canary == .replayWindowOffByOne
        forgetful = isPlanted ? base : nil
    }

    func needsRenewal(at number: UInt64) -> Bool { base.needsRenewal(at: number) }

    func capacity(within limit: Int) -> Int { base.capacity(within: limit) }

    func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int) {
        if canary == .earlyOverclaimed, !isEarly,
            let claim = Self.claimingAll(packet, from: start),
            claim.count + Self.leastPaddingBytes <= limit
        {
            packet = claim
        }
        base.pad(&packet, from: start, atMost: limit)
    }

    mutating func prepare(_ number: UInt64) -> Bool { base.prepare(number) }
    var lacksMemory: Bool { base.lacksMemory }

    mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) {
        guard let notes else { return base.seal(&packet, from: start, number: number) }
        if let last = lastSealed, number >= Self.nextKeyNumber(after: last) { notes.noteAgedKey() }
        lastSealed = number
        notes.notePlaintext(packet[start...])
        if let mask = plantedMask, number % 8 == 3 {
            for place in start..<packet.count { packet[place] ^= mask }
            packet += [UInt8](repeating: 0, count: Self.overheadBytes)
            return
        }
        let named = SealingNotes.skippedBytes + SealingNotes.nameBytes
        let plaintext = Array(packet[start...].prefix(named))
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
        let sealed = forgetful == nil ? [] : packet
        var isOpen = base.open(&packet, from: start, number: number)
        if !isOpen, var forgetful, mayForget(number) {
            packet = sealed
            isOpen = forgetful.open(&packet, from: start, number: number)
        }
        guard isOpen else { return false }
        if canary == .earlyForgotten, !isEarly,
            let claim = Self.claimingAll(packet, from: start)
        {
            packet = claim
        }
        largestOpened = max(largestOpened ?? number, number)
        notes.noteOpened(tag, flight: flight)
        return true
    }

    /// The packet with a verdict that all early data was taken, if there is one in it.
    private static func claimingAll(_ packet: [UInt8], from start: Int) -> [UInt8]? {
        let limits = Limits()
        var reader = WireReader(packet.span.extracting(start..<packet.count))
        // In front of it there is the acknowledgement of packets alone.
        for _ in 0..<2 {
            let at = start + reader.offset
            guard let frame = try? Frame.read(&reader, limits: limits) else { return nil }
            guard case .early(var verdict) = frame else { continue }
            guard verdict.session != 0 else { return nil }
            verdict.verdict = .accepted
            verdict.taken.insert(0...UInt64(limits.earlyPackets - 1))
            var writer = WireWriter(Array(packet[..<at]))
            Frame.early(verdict).write(to: &writer, limits: limits)
            return writer.bytes + packet[(start + reader.offset)...]
        }
        return nil
    }

    /// What the planted mistake takes for a cipher, now and then.
    private var plantedMask: UInt8? {
        switch canary {
        case .plainPackets: 0
        case .weakCipher: 0x55
        default: nil
        }
    }

    /// Whether the planted mistake lets a number pass that was opened before.
    private func mayForget(_ number: UInt64) -> Bool {
        canary == .replayWindowOff || number == largestOpened
    }
}
