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
        var assembly = takeAssembly(of: fragment)
        guard case .taken = try assembly.add(fragment) else { return try turnAway(address) }
        guard !assembly.isComplete else {
            return try receiveWhole((consume assembly).joined(), address, at: now)
        }
        try keep(assembly)
        updateCredit()
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

    /// The fragments of a record that have come before this one, taken out of their place.
    private mutating func takeAssembly(of fragment: FragmentFrame) -> FragmentAssembly {
        let slot = place(of: fragment.address)
        if let assemblies = session?.assemblies, slot < assemblies.count,
            assemblies[slot].address == fragment.address,
            let assembly = session?.assemblies.remove(at: slot)
        {
            return assembly
        }
        return FragmentAssembly(fragment, limits: limits)
    }

    /// Puts a record that is not whole in its place. The sender offers the lowest record first, so
    /// that one is never turned away for a later one's sake: the latest gives up its place.
    private mutating func keep(_ assembly: FragmentAssembly) throws(WireError) {
        let slot = place(of: assembly.address)
        session?.assemblies.insert(assembly, at: slot)
        while let count = session?.assemblies.count, !hasPlaces(for: count) {
            guard let last = session?.assemblies.removeLast() else { return }
            try turnAway(last.address)
        }
    }

    /// The place of a record among those that are not whole, lowest first.
    private func place(of address: RecordAddress) -> Int {
        session?.assemblies.partitioningIndex { !$0.address.precedes(address) } ?? 0
    }

    /// Whether there are places for so many records that are not whole: two, and more as long as
    /// these are within the windows of the channel.
    func hasPlaces(for count: Int) -> Bool {
        guard count > limits.assemblies, let assemblies = session?.assemblies else { return true }
        return count <= traits.recordWindow
            && assemblies.reduce(0) { $0 + $1.heldBytes } <= traits.byteWindow
    }
}
