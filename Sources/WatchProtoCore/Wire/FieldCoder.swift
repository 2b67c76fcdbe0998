/// Visits the fields of a frame or packet in their order on the wire. ``WireReader`` sets each
/// field, ``WireWriter`` appends it: a form is stated once for both.
protocol FieldCoder: ~Copyable, ~Escapable {
    /// ``WireError`` of a reader; a writer does not fail.
    associatedtype Failure: Error
    /// Whether fields are set.
    static var reads: Bool { get }
    /// Bytes read or written so far.
    var offset: Int { get }

    mutating func byte(_ value: inout UInt8, _ what: StaticString) throws(Failure)
    /// The low `count` bytes, lowest first.
    mutating func fixed(_ value: inout UInt64, _ count: Int, _ what: StaticString) throws(Failure)
    mutating func uint128(_ value: inout UInt128, _ what: StaticString) throws(Failure)
    mutating func varint(
        _ value: inout UInt64, _ what: StaticString, _ range: ClosedRange<UInt64>
    ) throws(Failure)
    /// The number of items that follow, of at least `size` bytes each.
    mutating func count(
        _ value: inout Int, _ what: StaticString, _ range: ClosedRange<Int>, size: Int
    ) throws(Failure)
    /// `count` bytes, or all that the packet or frame has left.
    mutating func bytes(_ value: inout [UInt8], _ count: Int?, _ what: StaticString) throws(Failure)
    /// Refuses what was read where `holds` is false.
    mutating func check(
        _ holds: @autoclosure () -> Bool, _ rule: WireError.Rule, at offset: Int,
        _ what: StaticString, _ found: UInt64
    ) throws(Failure)
}

/// A value with one form on the wire. It begins blank where it is read.
protocol WireCoded {
    init()
    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure)
}

extension WireCoded {
    /// Reads a value. The writer of the bytes is at fault for every error.
    static func read(_ reader: inout WireReader) throws(WireError) -> Self {
        try reader.read(Self())
    }
}

extension WireReader: FieldCoder {
    typealias Failure = WireError
    static var reads: Bool { true }

    /// Reads what is like `blank`.
    mutating func read<Value: WireCoded>(_ blank: Value) throws(WireError) -> Value {
        var value = blank
        try value.code(&self)
        return value
    }

    /// The code of any channel.
    mutating func channel() throws(WireError) -> Channel {
        var channel = Channel.interactive
        try self.channel(&channel, nil)
        return channel
    }

    /// The number of a record, or a version.
    mutating func number() throws(WireError) -> UInt64 {
        var number: UInt64 = 0
        try self.number(&number)
        return number
    }

    mutating func byte(_ value: inout UInt8, _ what: StaticString) throws(WireError) {
        value = try byte(what)
    }

    mutating func fixed(
        _ value: inout UInt64, _ count: Int, _ what: StaticString
    ) throws(WireError) {
        value = try fixed(count, what)
    }

    mutating func uint128(_ value: inout UInt128, _ what: StaticString) throws(WireError) {
        value = try uint128(what)
    }

    mutating func varint(
        _ value: inout UInt64, _ what: StaticString, _ range: ClosedRange<UInt64>
    ) throws(WireError) {
        let start = offset
        value = try varint(what)
        try check(range.contains(value), .outOfRange, at: start, what, value)
    }

    mutating func count(
        _ value: inout Int, _ what: StaticString, _ range: ClosedRange<Int>, size: Int
    ) throws(WireError) {
        let start = offset
        value = try count(what, atMost: range.upperBound, size: size)
        try check(value >= range.lowerBound, .outOfRange, at: start, what, UInt64(value))
    }

    mutating func bytes(
        _ value: inout [UInt8], _ count: Int?, _ what: StaticString
    ) throws(WireError) {
        value = [UInt8](copying: try bytes(count ?? remaining, what))
    }

    func check(
        _ holds: @autoclosure () -> Bool, _ rule: WireError.Rule, at offset: Int,
        _ what: StaticString, _ found: UInt64
    ) throws(WireError) {
        if !holds() { throw WireError(rule, at: offset, expected: what, found: found) }
    }
}

extension WireWriter: FieldCoder {
    typealias Failure = Never
    static var reads: Bool { false }
    var offset: Int { bytes.count }

    mutating func byte(_ value: inout UInt8, _: StaticString) { byte(value) }
    mutating func fixed(_ value: inout UInt64, _ count: Int, _: StaticString) {
        fixed(value, count: count)
    }
    mutating func uint128(_ value: inout UInt128, _: StaticString) { uint128(value) }
    mutating func varint(_ value: inout UInt64, _: StaticString, _: ClosedRange<UInt64>) {
        varint(value)
    }
    mutating func count(_ value: inout Int, _: StaticString, _: ClosedRange<Int>, size: Int) {
        varint(UInt64(value))
    }
    mutating func bytes(_ value: inout [UInt8], _: Int?, _: StaticString) { append(value) }
    func check(
        _: @autoclosure () -> Bool, _: WireError.Rule, at: Int, _: StaticString, _: UInt64
    ) {}
}
