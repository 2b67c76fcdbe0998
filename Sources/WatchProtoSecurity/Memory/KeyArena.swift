internal import CSodium
internal import Locks

/// The memory of all keys of a process, in slots of 32 and 64 bytes. It has a few large pieces
/// between guard pages (`sodium_malloc`), locked and kept out of core dumps.
///
/// A guarded allocation for each key would cost four pages and up to three mappings. The system
/// limits mappings and locked bytes, and a listener with thousands of peers would reach those
/// limits. A slot costs only its own bytes. In return, guard pages surround a piece, not each slot.
///
/// Safe to use from any thread.
package final class KeyArena: Sendable {
    /// The reaction if the system refuses to lock pages.
    package enum Locking: Sendable {
        /// Continue with pages that may be swapped out; ``KeyArena/Usage`` counts them.
        case preferred
        /// Refuse to use such a page.
        case required
    }

    /// The contents of an arena at one moment.
    package struct Usage: Hashable, Sendable {
        /// Guarded allocations.
        package var pieces = 0
        /// Their bytes, without guard pages.
        package var bytes = 0
        /// Bytes of pieces that the system refused to lock: they may reach the swap.
        package var unlockedBytes = 0
        /// Slots in use.
        package var slots = 0
    }

    /// The arena of this process, used by default.
    package static let shared = KeyArena()

    /// The bytes of the first piece. Each further one is twice as large, up to
    /// ``largestPieceBytes``.
    package static let firstPieceBytes = 1 << 14
    /// The largest size of a piece, in bytes.
    package static let largestPieceBytes = 1 << 20

    private let locking: Locking
    private let state = Mutex(State())

    /// Makes an arena. It allocates nothing before the first key.
    package init(locking: Locking = .preferred) { self.locking = locking }

    deinit {
        state.withLock { state in
            for piece in state.pieces { unsafe sodium_free(piece.start) }
        }
    }

    /// The present contents.
    package var usage: Usage { state.withLock { $0.usage } }

    /// Allocates the first piece now, so that a host learns at its start whether keys can be kept.
    ///
    /// - Throws: ``KeyArenaError``; the host is at fault.
    package func prepare() throws(KeyArenaError) {
        let place = try allocate(SlotSize.small)
        unsafe release(place)
    }

    /// Limits the slots in use, as if there were no memory for more, for tests. `Int.max` removes
    /// the limit.
    package func limit(slots count: Int) { state.withLock { $0.mostSlots = count } }

    // MARK: Slots

    /// The two sizes of slots: a key, and a BLAKE2b-512 chaining key.
    enum SlotSize: Int {
        case small = 32
        case large = 64
    }

    /// The place of a slot. Only a ``Secret`` keeps one, writes it and releases it.
    @safe struct Place: @unchecked Sendable {
        let start: UnsafeMutablePointer<UInt8>
        let size: SlotSize
    }

    @safe private struct Piece: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
    }

    private struct State {
        var usage = Usage()
        var pieces: [Piece] = []
        var freeSmall: [Place] = []
        var freeLarge: [Place] = []
        var nextPieceBytes = KeyArena.firstPieceBytes
        var mostSlots = Int.max

        mutating func take(_ size: SlotSize) -> Place? {
            let place = size == .small ? freeSmall.popLast() : freeLarge.popLast()
            if place != nil { usage.slots += 1 }
            return place
        }

        mutating func put(_ place: Place) {
            switch place.size {
            case .small: freeSmall.append(place)
            case .large: freeLarge.append(place)
            }
        }
    }

    /// Allocates a slot of zeros.
    func allocate(_ size: SlotSize) throws(KeyArenaError) -> Place {
        let locking = locking
        let result: Result<Place, KeyArenaError> = state.withLock { state in
            guard state.usage.slots < state.mostSlots else {
                return .failure(.noMemory(byteCount: size.rawValue))
            }
            if let place = state.take(size) { return .success(place) }
            if let error = Self.grow(&state, for: size, locking) { return .failure(error) }
            return state.take(size).map { .success($0) } ?? .failure(.noMemory(byteCount: 0))
        }
        return try result.get()
    }

    /// Wipes a slot and releases it.
    ///
    /// - Precondition: this arena allocated it, and nobody uses it any more.
    @unsafe func release(_ place: Place) {
        unsafe sodium_memzero(place.start, place.size.rawValue)
        state.withLock { state in
            state.usage.slots -= 1
            state.put(place)
        }
    }

    private static func grow(
        _ state: inout State, for size: SlotSize, _ locking: Locking
    ) -> KeyArenaError? {
        let count = state.nextPieceBytes
        guard Sodium.isReady, let memory = unsafe sodium_malloc(count) else {
            return .noMemory(byteCount: count)
        }
        // sodium_malloc locks as well, but keeps to itself whether that succeeded.
        let isLocked = unsafe sodium_mlock(memory, count) == 0
        guard isLocked || locking == .preferred else {
            unsafe sodium_free(memory)
            return .notLocked(byteCount: count)
        }
        unsafe sodium_memzero(memory, count)
        let bytes = unsafe memory.bindMemory(to: UInt8.self, capacity: count)
        unsafe state.pieces.append(Piece(start: memory))
        state.usage.pieces += 1
        state.usage.bytes += count
        state.usage.unlockedBytes += isLocked ? 0 : count
        state.nextPieceBytes = min(count * 2, largestPieceBytes)
        // The lowest slot is handed out first.
        for offset in stride(from: count - size.rawValue, through: 0, by: -size.rawValue) {
            unsafe state.put(Place(start: bytes + offset, size: size))
        }
        return nil
    }
}
