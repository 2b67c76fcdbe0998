/// Records that come in fragments, and the few places for those that are not whole yet.
extension OrderedReceiver {
    /// Takes a fragment. A record that is whole then is taken as if it had come in one frame. The
    /// packet's author is at fault for every error.
    mutating func receive(_ fragment: FragmentFrame, at now: Instant) throws(WireError) {
        credit.arrived(
            records: fragment.offset == 0 ? 1 : 0, bytes: fragment.bytes.count)
        let address = fragment.address
        _ = try epoch(address.epochIndex)
        // A late fragment of a record that is whole already takes no place.
        guard !isKnown(address), session?.mustTryLater[address] == nil else {
            return updateCredit()
        }
        guard try makePlace(for: fragment),
            let slot = session?.assemblies.firstIndex(where: { $0.address == address })
        else { return try turnAway(address) }
        guard var assembly = session?.assemblies.remove(at: slot) else { return }
        guard case .taken = try assembly.add(fragment) else { return try turnAway(address) }
        guard assembly.isComplete else {
            session?.assemblies.append(assembly)
            return updateCredit()
        }
        try receiveWhole((consume assembly).joined(), address, at: now)
    }

    private mutating func receiveWhole(
        _ bytes: consuming [UInt8], _ address: RecordAddress, at now: Instant
    ) throws(WireError) {
        let frame = try RecordFrame(joined: bytes)
        guard frame.channel == channel, frame.address == address else {
            throw WireError(
                .notCanonical, at: 0, expected: "the record that its fragments name",
                found: frame.address.number)
        }
        try arrive(frame, at: now)
    }

    /// Makes sure that a record has a place for its fragments. The sender offers the lowest record
    /// first, so that one is never turned away for a later one's sake: the later one gives up its
    /// place.
    private mutating func makePlace(for fragment: FragmentFrame) throws(WireError) -> Bool {
        let address = fragment.address
        guard let assemblies = session?.assemblies else { return false }
        if assemblies.contains(where: { $0.address == address }) { return true }
        if assemblies.count >= limits.assemblies {
            var last = 0
            for slot in assemblies.indices
            where assemblies[last].address.precedes(assemblies[slot].address) {
                last = slot
            }
            guard address.precedes(assemblies[last].address) else { return false }
            session?.assemblies.remove(at: last)
            try turnAway(assemblies[last].address)
        }
        session?.assemblies.append(FragmentAssembly(fragment, limits: limits))
        return true
    }
}
