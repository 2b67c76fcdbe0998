/// A key of 32 or 64 bytes in a slot of a ``KeyArena``: written once, while it is made; wiped and
/// given back when the last owner lets go.
///
/// It never changes afterwards, so copies of a value that holds one share it without harm, and any
/// thread may read it. A state that moves on takes a new secret instead of changing the old one.
/// Nothing prints, compares or exports it.
@safe final class Secret: @unchecked Sendable {
    /// Bytes of a key.
    static let keyByteCount = KeyArena.SlotSize.small.rawValue

    /// The arena that it lives in; what is derived from it lives there, too.
    let arena: KeyArena
    private let place: KeyArena.Place

    /// Bytes: 32 or 64.
    var count: Int { place.size.rawValue }

    /// Takes a slot and has `fill` write all of it. If it throws the slot is wiped as well.
    ///
    /// - Throws: what `fill` throws; `noSecretMemory` without memory.
    init(
        _ size: KeyArena.SlotSize, in arena: KeyArena,
        fill: (UnsafeMutablePointer<UInt8>) throws(SecurityFailure) -> Void
    ) throws(SecurityFailure) {
        do throws(KeyArenaError) {
            place = try arena.allocate(size)
        } catch {
            throw .noSecretMemory
        }
        self.arena = arena
        unsafe try fill(place.start)
    }

    deinit { unsafe arena.release(place) }

    /// Lends the bytes, which must not be kept or copied to ordinary memory.
    func withBytes<Value, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        unsafe try body(UnsafeBufferPointer(start: place.start, count: count))
    }
}

extension Secret {
    /// Takes over `bytes`, which are wiped: a key that came from outside, from a sealed file.
    ///
    /// - Precondition: there are 32 or 64.
    convenience init(taking bytes: inout [UInt8], in arena: KeyArena) throws(SecurityFailure) {
        defer { AtRestKey.wipe(&bytes) }
        guard let size = KeyArena.SlotSize(rawValue: bytes.count) else {
            preconditionFailure("a secret of \(bytes.count) bytes")
        }
        unsafe try self.init(size, in: arena) { memory throws(SecurityFailure) in
            // No copy of the array is made, which the wiping would miss.
            for index in bytes.indices { unsafe memory[index] = bytes[index] }
        }
    }
}
