/// Decides when changed complications leave: a token bucket, which never waits for an
/// acknowledgement.
///
/// A change marks its key; the value is encoded when its packet is formed, so the newest value of
/// each key leaves. One token lets all marked keys leave together. The bucket holds two tokens. A
/// token comes each quarter of the smoothed round-trip time, at least 20 ms and at most 250 ms. A
/// lost value is not the pacer's matter: its retransmission has the newest value and takes no
/// token.
package struct ComplicationPacer: Sendable {
    /// Marked keys that wait for a token.
    private var marked = OrderedTable<RecordKey, Bool>()
    /// Keys whose token was spent, in the order in which they leave.
    private var leaving: [RecordKey] = []
    private var bucket = TokenBucket(
        .milliseconds(20) ... .milliseconds(250), roundTrip: .milliseconds(333))

    /// Makes a pacer with a full bucket, and the initial round-trip time of RFC 9002 (333 ms).
    package init() {}

    /// Whether any key is marked, or is about to leave.
    package var isEmpty: Bool { marked.isEmpty && leaving.isEmpty }

    /// Marks a key whose value differs from the last value sent.
    package mutating func mark(_ key: RecordKey) {
        guard !leaving.contains(key) else { return }
        marked[key] = true
    }

    /// Removes the mark of a key: its value is again the last value sent, or it left otherwise.
    package mutating func unmark(_ key: RecordKey) {
        marked.remove(key)
        leaving.removeAll { $0 == key }
    }

    /// Adapts the rate of the tokens to the smoothed round-trip time.
    package mutating func setRoundTrip(_ roundTrip: Duration, at now: Instant) {
        bucket.setRoundTrip(roundTrip, at: now)
    }

    /// The next key to encode; nil where none may leave now. Spends a token where needed.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - isChanged: whether the present value of a key differs from the last value sent. A key
    ///     whose value does not is unmarked without a token.
    package mutating func next(
        at now: Instant, isChanged: (RecordKey) -> Bool
    ) -> RecordKey? {
        while true {
            while let key = leaving.first {
                if isChanged(key) { return key }
                leaving.removeFirst()
            }
            guard !marked.isEmpty, bucket.hasToken(at: now) else { return nil }
            for key in marked.keys where isChanged(key) { leaving.append(key) }
            marked.removeAll()
            guard !leaving.isEmpty else { return nil }
            bucket.spend(at: now)
        }
    }

    /// Records that the value of a key left in a packet.
    package mutating func sent(_ key: RecordKey) { unmark(key) }

    /// Whether ``next(at:isChanged:)`` may give a key now.
    package func isDue(at now: Instant) -> Bool {
        !leaving.isEmpty || (!marked.isEmpty && bucket.hasToken(at: now))
    }

    /// When the next token comes, where marked keys wait for it; the moment may have passed. Nil
    /// where nothing waits for a token.
    package var nextDeadline: Instant? {
        guard leaving.isEmpty, !marked.isEmpty else { return nil }
        return bucket.nextToken
    }
}
