/// Records that come in parts, and the few places for those that are not whole yet.
extension Inbox {
    /// Takes a part; a record that is whole then is taken as if it had come in one piece.
    mutating func receive(_ part: PartFrame) throws(WireError) {
        let index = Int(part.lane.rawValue)
        let epoch = try checkedPosition(part.address)
        lanes[index].consume(offers: 0, bytes: part.bytes.count)
        // A late part of a record that is whole already, delivered or held back, takes no place.
        if epochs[epoch].lanes[index].arrived.contains(part.address.number)
            || lanes[index].held.contains(part.address)
        {
            lanes[index].receiptIsDue(
                part.address.epochIndex, part.address.number...part.address.number)
            return
        }
        var slot = lanes[index].assemblies.firstIndex { $0.address == part.address }
        if slot == nil {
            guard !lanes[index].mustTryLater.contains(part.address) else { return }
            guard try makePlace(index, for: part.address) else {
                try turnAway(index, part.address)
                return
            }
            lanes[index].assemblies.append(
                Assembly(part, limits: limits))
            slot = lanes[index].assemblies.count - 1
        }
        guard let slot else { return }
        guard case .taken = try lanes[index].assemblies[slot].add(part) else {
            lanes[index].assemblies.remove(at: slot)
            try turnAway(index, part.address)
            // Its own place is free now, and perhaps nothing else will ever free one.
            lanes[index].freed()
            return
        }
        guard lanes[index].assemblies[slot].isComplete else {
            lanes[index].touchAssembly(slot)
            return
        }
        let assembly = lanes[index].assemblies.remove(at: slot)
        lanes[index].freed()
        try receive(assembly.record(), isAssembled: true)
    }

    /// Makes sure that parts of a record have a place. The sender offers the lowest record first,
    /// so that one must never be turned away for a later one's sake: that gives up its place.
    ///
    /// In a newest-per-key lane the record gives up its place whose last part came first: a newer
    /// value may have settled it at its sender, which says no more of it. One that still matters
    /// comes again.
    private mutating func makePlace(
        _ index: Int, for address: RecordAddress
    ) throws(WireError) -> Bool {
        guard lanes[index].assemblies.count >= limits.assemblies else { return true }
        if lanes[index].traits.order == .newestPerKey {
            let waitedLongest = lanes[index].assemblies.removeFirst()
            try turnAway(index, waitedLongest.address)
            lanes[index].freed()
            return true
        }
        var last = 0
        for slot in lanes[index].assemblies.indices
        where lanes[index].assemblies[slot].address > lanes[index].assemblies[last].address {
            last = slot
        }
        guard address < lanes[index].assemblies[last].address else { return false }
        let evicted = lanes[index].assemblies.remove(at: last)
        try turnAway(index, evicted.address)
        return true
    }
}
