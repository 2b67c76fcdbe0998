/// Fields of more than one frame.
extension FieldCoder where Self: ~Copyable & ~Escapable {
    mutating func varint(_ value: inout UInt64, _ what: StaticString) throws(Failure) {
        try varint(&value, what, 0...(.max))
    }

    mutating func varint(
        _ value: inout Int, _ what: StaticString, _ range: ClosedRange<Int>
    ) throws(Failure) {
        var number = UInt64(value)
        try varint(&number, what, UInt64(range.lowerBound)...UInt64(range.upperBound))
        value = Int(number)
    }

    mutating func uint16(_ value: inout UInt16, _ what: StaticString) throws(Failure) {
        var number = UInt64(value)
        try fixed(&number, 2, what)
        value = UInt16(truncatingIfNeeded: number)
    }

    mutating func uint64(_ value: inout UInt64, _ what: StaticString) throws(Failure) {
        try fixed(&value, 8, what)
    }

    /// The number of a record, or a version.
    mutating func number(_ value: inout UInt64) throws(Failure) {
        try varint(&value, "number from 1 to 2^62 - 1", 1...RecordNumber.largest)
    }

    /// A length of at most `limit`, then that many bytes.
    mutating func block(
        _ value: inout [UInt8], _ what: StaticString, _ range: ClosedRange<Int>
    ) throws(Failure) {
        var length = value.count
        try count(&length, what, range, size: 1)
        try bytes(&value, length, what)
    }

    /// A byte below `limit`.
    mutating func code(
        _ value: inout UInt8, below limit: UInt8, _ what: StaticString
    ) throws(Failure) {
        let start = offset
        try byte(&value, what)
        try check(value < limit, .unknownCode, at: start, what, UInt64(value))
    }

    /// A byte that is the code of one of the cases.
    mutating func code<Value: RawRepresentable<UInt8>>(
        _ value: inout Value, _ what: StaticString
    ) throws(Failure) {
        let start = offset
        var code = value.rawValue
        try byte(&code, what)
        let meant = Value(rawValue: code)
        try check(meant != nil, .unknownCode, at: start, what, UInt64(code))
        value = meant ?? value
    }

    /// A byte: the code of a channel of `order` in its low three bits, above it flags of `known`.
    mutating func head(
        _ channel: inout Channel, _ order: ChannelTraits.Order?, _ flags: inout UInt8,
        of known: UInt8, _ what: StaticString
    ) throws(Failure) {
        let start = offset
        var code = channel.rawValue | flags
        try byte(&code, what)
        let meant = Channel(rawValue: code & 7)
        let isMeant = meant.map { order == nil || $0.traits.order == order } ?? false
        try check(
            isMeant && code & ~(known | 7) == 0, .unknownCode, at: start, what, UInt64(code))
        channel = meant ?? channel
        flags = code & known
    }

    /// The code of a channel of `order`.
    mutating func channel(
        _ channel: inout Channel, _ order: ChannelTraits.Order?
    ) throws(Failure) {
        var flags: UInt8 = 0
        try head(&channel, order, &flags, of: 0, "channel")
    }

    /// A value that a flag announces.
    mutating func optional<Value: WireCoded>(
        _ value: inout Value?, if isPresent: Bool
    ) throws(Failure) {
        guard isPresent else { return }
        var known = value ?? Value()
        try known.code(&self)
        value = known
    }

    /// The number of values, then the values.
    mutating func list<Value: WireCoded>(
        _ values: inout [Value], _ what: StaticString, _ range: ClosedRange<Int>, size: Int
    ) throws(Failure) {
        var count = values.count
        try self.count(&count, what, range, size: size)
        try items(&values, count)
    }

    /// Values whose number is known.
    mutating func items<Value: WireCoded>(_ values: inout [Value], _ count: Int) throws(Failure) {
        guard Self.reads else {
            for var value in values { try value.code(&self) }
            return
        }
        values.reserveCapacity(count)
        for _ in 0..<count {
            var value = Value()
            try value.code(&self)
            values.append(value)
        }
    }
}

extension EpochID: WireCoded {
    init() { self.init(rawValue: 0) }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        let start = c.offset
        try c.uint64(&rawValue, "epoch")
        try c.check(rawValue != 0, .outOfRange, at: start, "an epoch other than 0", 0)
    }
}

extension RecordKey: WireCoded {
    init() { self.init(rawValue: 0) }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.uint128(&rawValue, "key")
    }
}

extension ContentKind: WireCoded {
    init() { self.init(rawValue: 0) }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.byte(&rawValue, "kind")
    }
}

extension WallTime: WireCoded {
    init() { self.init(milliseconds: 0) }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        var bits = UInt64(bitPattern: milliseconds)
        try c.uint64(&bits, "expiry")
        milliseconds = Int64(bitPattern: bits)
    }
}
