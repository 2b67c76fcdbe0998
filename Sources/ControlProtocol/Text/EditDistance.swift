/// The distance between two words, for "did you mean".
package enum EditDistance {
    /// The fewest insertions, removals, replacements and swaps of neighbours from `left` to
    /// `right`, in UTF-8 bytes (optimal string alignment; Damerau 1964, Levenshtein 1966).
    ///
    /// - Complexity: O(n·m); callers keep words short.
    package static func between(_ left: String, _ right: String) -> Int {
        let left = Array(left.utf8)
        let right = Array(right.utf8)
        var older: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            current.reserveCapacity(right.count + 1)
            for column in right.indices {
                var cost = min(last[column + 1], current[column]) + 1
                cost = min(cost, last[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    cost = min(cost, older[column - 1] + 1)
                }
                current.append(cost)
            }
            older = last
            last = current
        }
        return last[right.count]
    }

    /// The word of `words` that was probably meant; nil if none is near. Case is ignored. Of
    /// equally near ones, the first.
    package static func nearest(to word: String, in words: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let lower = word.lowercased()
        let allowed = max(1, word.utf8.count / 3)
        var best: (word: String, distance: Int)?
        for candidate in words {
            let distance = between(lower, candidate.lowercased())
            if distance <= allowed, distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.word
    }
}
