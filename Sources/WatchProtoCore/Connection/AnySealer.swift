/// A sealer whose type is erased.
///
/// It is a value: a copy is made when a second owner changes it.
struct AnySealer: Sendable {
    private var box: SealerBox

    init(_ sealer: some Sealing) { box = TypedSealer(sealer, type(of: sealer).traits) }

    /// The facts that hold for every sealer of its type.
    var traits: SealingTraits { box.traits }

    func needsRenewal(at number: UInt64) -> Bool { box.needsRenewal(at: number) }

    func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int) {
        box.pad(&packet, from: start, atMost: limit)
    }

    func capacity(within limit: Int) -> Int { box.capacity(within: limit) }

    func unpad(_ packet: inout [UInt8], from start: Int) -> Bool {
        box.unpad(&packet, from: start)
    }

    mutating func prepare(_ number: UInt64) -> Bool {
        own()
        return box.prepare(number)
    }

    mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) {
        own()
        box.seal(&packet, from: start, number: number)
    }

    mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool {
        own()
        return box.open(&packet, from: start, number: number)
    }

    mutating func dropFormerKey() {
        own()
        box.dropFormerKey()
    }

    var lacksMemory: Bool { box.lacksMemory }

    private mutating func own() {
        if !isKnownUniquelyReferenced(&box) { box = box.copy() }
    }
}

/// The facts about a type of sealers (``Sealing``).
package struct SealingTraits: Sendable {
    let overheadBytes: Int
    let leastPaddingBytes: Int
    let renewalAge: Duration?
    let keyAge: Duration?
    let lastNumber: UInt64
    let numbersPerKey: UInt64

    init<Sealer: Sealing>(_: Sealer.Type) {
        overheadBytes = Sealer.overheadBytes
        leastPaddingBytes = Sealer.leastPaddingBytes
        renewalAge = Sealer.renewalAge
        keyAge = Sealer.keyAge
        lastNumber = Sealer.lastNumber
        numbersPerKey = Sealer.numbersPerKey
    }

    /// The place of the key of packet `number` in the chain of keys.
    func key(of number: UInt64) -> UInt64 { number / numbersPerKey }

    /// The first number that has the key after that of packet `number`.
    package func nextKeyNumber(after number: UInt64) -> UInt64 {
        (key(of: number) + 1) * numbersPerKey
    }

    /// Which of two alternating keys packet `number` has.
    package func keyPhase(of number: UInt64) -> Bool { !key(of: number).isMultiple(of: 2) }
}

/// The class of every erased sealer, changed by its only owner alone. Only ``TypedSealer`` makes
/// instances.
private class SealerBox: @unchecked Sendable {
    final let traits: SealingTraits

    init(_ traits: SealingTraits) { self.traits = traits }

    func copy() -> SealerBox { fatalError() }
    func needsRenewal(at number: UInt64) -> Bool { fatalError() }
    func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int) { fatalError() }
    func capacity(within limit: Int) -> Int { fatalError() }
    func unpad(_ packet: inout [UInt8], from start: Int) -> Bool { fatalError() }
    func prepare(_ number: UInt64) -> Bool { fatalError() }
    func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) { fatalError() }
    func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool { fatalError() }
    func dropFormerKey() { fatalError() }
    var lacksMemory: Bool { fatalError() }
}

private final class TypedSealer<Base: Sealing>: SealerBox, @unchecked Sendable {
    private var base: Base

    init(_ base: Base, _ traits: SealingTraits) {
        self.base = base
        super.init(traits)
    }

    override func copy() -> SealerBox { TypedSealer(base, traits) }
    override func needsRenewal(at number: UInt64) -> Bool { base.needsRenewal(at: number) }
    override func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int) {
        base.pad(&packet, from: start, atMost: limit)
    }
    override func capacity(within limit: Int) -> Int { base.capacity(within: limit) }
    override func unpad(_ packet: inout [UInt8], from start: Int) -> Bool {
        Base.unpad(&packet, from: start)
    }
    override func prepare(_ number: UInt64) -> Bool { base.prepare(number) }
    override func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) {
        base.seal(&packet, from: start, number: number)
    }
    override func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool {
        base.open(&packet, from: start, number: number)
    }
    override func dropFormerKey() { base.dropFormerKey() }
    override var lacksMemory: Bool { base.lacksMemory }
}
