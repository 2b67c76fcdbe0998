/// Guesses the known word that an unknown one was meant to be.
package enum Spelling {
    /// The first candidate that begins with `word`, if that has two letters or more. Otherwise the
    /// nearest one, if it is near enough for a typing mistake: at most a third of its length away
    /// (at least one step). Of equals, the first. A word of more than 64 bytes has none.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        // No word that long is meant; comparing takes time by its length.
        guard word.utf8.count <= 64 else { return nil }
        if word.drop(while: { $0 == "-" }).count >= 2,
            let whole = candidates.first(where: { $0.hasPrefix(word) })
        {
            return whole
        }
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let found = distance(word, candidate)
            let reach = max(1, max(word.count, candidate.count) / 3)
            if found <= reach, found < (best?.distance ?? .max) { best = (candidate, found) }
        }
        return best?.candidate
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours from `left` to
    /// `right` (the restricted Damerau–Levenshtein distance).
    ///
    /// - Complexity: O(n·m) in the lengths; words of a command line are short.
    package static func distance(_ left: String, _ right: String) -> Int {
        let a = Array(left.unicodeScalars)
        let b = Array(right.unicodeScalars)
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i]
            row.reserveCapacity(b.count + 1)
            for j in 1...b.count {
                let cost = a[i - 1] == b[j - 1] ? 0 : 1
                var best = min(row[j - 1] + 1, last[j] + 1, last[j - 1] + cost)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    best = min(best, beforeLast[j - 2] + 1)
                }
                row.append(best)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
