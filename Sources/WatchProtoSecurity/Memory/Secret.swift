/// A key of 32 or 64 bytes in a slot of a ``KeyArena``. It is written once, while it is made, and
/// wiped and released with its last owner.
///
/// It never changes afterwards, so copies of a value that holds one may share it, and any thread
/// may read it. A state that changes gets a new secret. It cannot be printed, compared or exported.
@safe final class Secret: @unchecked Sendable {
    /// The bytes of a key.
    static let keyByteCount = KeyArena.SlotSize.small.rawValue

    /// Its arena, also used for secrets derived from it.
    let arena: KeyArena
    private let place: KeyArena.Place

    /// Its bytes: 32 or 64.
    var count: Int { place.size.rawValue }

    /// Allocates a slot and lets `fill` write all of it. If `fill` throws, the slot is wiped as
    /// well.
    ///
    /// - Throws: the error of `fill`; `noSecretMemory` if there is no memory.
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

    /// Passes the bytes to `body`, which must not keep them or copy them to ordinary memory.
    func withBytes<Value, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        unsafe try body(UnsafeBufferPointer(start: place.start, count: count))
    }
}

extension Secret {
    /// Takes over `bytes`, which are wiped: a key from outside, such as from a sealed file.
    ///
    /// - Precondition: there are 32 or 64 bytes.
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
