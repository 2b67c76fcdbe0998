extension Array {
    /// The index of the first element for which `belongsBehind` is true, or the count when there is
    /// none. A binary search, O(log n).
    ///
    /// - Parameter belongsBehind: false for the elements up to some place, true for all from there;
    ///   else the answer means nothing.
    @inline(__always)
    package func partitioningIndex(where belongsBehind: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if belongsBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension ArraySlice {
    /// The same of a part of an array, as an index of the whole.
    @inline(__always)
    package func partitioningIndex(where belongsBehind: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if belongsBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
