/// The keys of one direction, each the REKEY of the former one (Noise, revision 34, sections 4.2
/// and 11.3). Deriving an earlier key from a later one is as hard as breaking the cipher.
///
/// The former and the next key are kept, so that packets reordered across a key update open. A key
/// two steps back is wiped.
struct KeyChain: Sendable {
    /// The place in the chain of ``current``.
    private(set) var index: UInt64 = 0
    private var former: Secret?
    private var current: Secret
    private var next: Secret?

    init(_ first: Secret) { current = first }

    /// The key at `index`; nil unless it is the current one or beside it.
    mutating func key(at wanted: UInt64) -> Secret? {
        if wanted == index { return current }
        if wanted == index + 1 {
            // Made when first asked for; without memory it is asked for again.
            if next == nil { next = try? ChaCha20Poly1305.rekey(current) }
            return next
        }
        return wanted + 1 == index ? former : nil
    }

    /// Makes the next key the current one. Call it only after a packet of the next key has
    /// authenticated, or was sealed. False if there is no memory for it; nothing changes then.
    mutating func advance() -> Bool {
        guard let following = key(at: index + 1) else { return false }
        former = current
        current = following
        next = nil
        index += 1
        return true
    }

    /// Drops the key before the current one.
    mutating func dropFormer() { former = nil }
}
