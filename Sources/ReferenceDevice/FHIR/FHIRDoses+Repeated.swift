import ControlProtocol
import WatchProto

/// Resources of one dose.
extension FHIRDoses {
    /// A resource that is read again, because another one tells of the same dose.
    private struct Version {
        var index: Int
        var found: Found
        var node: JSONNode
        var encoding: [UInt8]
    }

    /// Drops resources of doses that are told of more than once. Equal ones count once; of two
    /// versions of a resource the newer one counts. Of versions without an order, the one that is
    /// entered in error does: that status is final.
    mutating func settleRepeated() {
        let order = found.indices.sorted { (found[$0].key, $0) < (found[$1].key, $1) }
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count, found[order[end]].key == found[order[start]].key { end += 1 }
            if end - start > 1 { settle(order[start..<end]) }
            start = end
        }
    }

    private mutating func settle(_ indices: ArraySlice<Int>) {
        var counting: [DoseEventID: Version] = [:]
        // The next ones stand anywhere in the file.
        defer { text.release(before: text.count) }
        for index in indices {
            let one = found[index]
            text.release(before: Int(one.place.offset))
            shorten()
            guard let node = node(at: one.place),
                let event = try? DoseEvent(decoding: events[index])
            else { continue }
            let dose = one.isOwn ? event.id : event.replaces.first ?? event.id
            let version = Version(index: index, found: one, node: node, encoding: events[index])
            counting[dose] = counting[dose].map { settle(version, beside: $0) } ?? version
        }
    }

    /// Drops one of two versions, and returns the other one.
    private mutating func settle(_ one: Version, beside other: Version) -> Version {
        let (position, earlier) = (one.node.position, other.node.position)
        if one.encoding == other.encoding {
            summary.skip(
                .duplicate, subject(one.node), at: position,
                detail: "equal to the one at \(earlier)")
        } else if !one.found.isOwn, !other.found.isOwn,
            let isNewer = one.node.isNewerVersion(than: other.node)
                ?? (one.found.isMarked == other.found.isMarked ? nil : one.found.isMarked)
        {
            summary.skip(
                .olderVersion, subject(one.node), at: isNewer ? earlier : position,
                detail: "a newer one stands at \(isNewer ? position : earlier)")
            if isNewer {
                found[other.index].isDropped = true
                return one
            }
        } else {
            let name = one.node["identifier"] ?? one.node["id"]
            reader.clash(one.node.place, at: name?.place, with: other.node.place)
        }
        found[one.index].isDropped = true
        return other
    }

    /// An own event that is said to be entered in error, without an event that replaces it, was
    /// marked by another program. The event itself is not changed by that.
    mutating func warnOfMarks() {
        let marked = found.indices.filter { index in
            found[index].isOwn && found[index].isMarked && !found[index].isDropped
        }
        guard !marked.isEmpty else { return }
        let counting = found.indices.lazy.filter { [found] index in !found[index].isDropped }
        let replaced = ReplacedDoses(
            counting.compactMap { [events] in try? DoseEvent(decoding: events[$0]) })
        for index in marked {
            text.release(before: Int(found[index].place.offset))
            guard let event = try? DoseEvent(decoding: events[index]), event.action != .withdraw,
                !replaced.contains(event), let node = node(at: found[index].place)
            else { continue }
            shorten()
            summary.warn(
                "it is marked 'entered-in-error', and no event in the file replaces it; the event "
                    + "is imported and counts; if it did not happen, withdraw it on a device",
                subject(node), at: node.position)
        }
    }
}
