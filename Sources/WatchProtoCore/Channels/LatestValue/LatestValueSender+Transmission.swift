extension LatestValueSender {
    /// The state of a key that only this process holds; the journal does not.
    struct Transmission: Sendable {
        /// The newest value that the counterpart is known to have committed, with its payload.
        var base: OutboundRecord?
        /// The value under way that becomes the next base.
        var marked: OutboundRecord?
        /// The highest version that may have left.
        var leftVersion: UInt64 = 0
        /// The version that the counterpart answered in this session.
        var answeredVersion: UInt64 = 0
        /// The counterpart lost the newest value, which it had answered once.
        var isLost = false
        /// The newest value is to be sent.
        var isDue = false
        /// The key stands in its channel's queue.
        var isQueued = false
        /// The counterpart lacks the base, or the key of the handle.
        var needsWhole = false
        /// The newest value leaves only when the journal holds it.
        var waitsForCommit = false
        /// The journal holds the newest value.
        var isDurable = true
        /// The handle that stands for the key in this session.
        var handle: UInt64?
        /// The counterpart has the key of the handle.
        var isHandleKnown = false
        /// The stage that the newest value has reached, and the stage that the application was
        /// told.
        var reached = Stage.queued
        var reported: Stage?

        /// Makes the state of a key that has not been used since the journal was opened.
        init(_ value: OwnValue?) {
            guard let value else { return }
            leftVersion = value.version
            reported = .queued
            base = value.committed
        }

        /// Whether the counterpart has neither a base nor a handle of the key.
        var isNew: Bool { handle == nil && base == nil && marked == nil && !needsWhole }

        /// A session begins.
        mutating func beginSession(keepsBase: Bool, of value: OwnValue) {
            if !keepsBase, base?.id != value.committed?.id { base = nil }
            marked = nil
            needsWhole = false
            answeredVersion = 0
            handle = nil
            isHandleKnown = false
        }
    }

    /// Keys of a channel whose newest value is to be sent, in the order in which they became due.
    struct DueQueue: Sendable {
        private var names: [ValueName] = []
        private var head = 0

        /// The key at the front.
        var first: ValueName? { head < names.count ? names[head] : nil }

        /// All keys, that at the front first.
        var waiting: ArraySlice<ValueName> { names[head...] }

        mutating func append(_ name: ValueName) { names.append(name) }

        mutating func removeFirst() {
            head += 1
            guard head > 64, head * 2 > names.count else { return }
            names.removeFirst(head)
            head = 0
        }
    }

    /// A value that is too long for one packet.
    struct FragmentedValue: Sendable {
        let name: ValueName
        let record: OutboundRecord
        /// Its payload, or the coding of it.
        let body: [UInt8]
        let address: RecordAddress
        /// The frame without its type byte and its body. It stays as it is, so that late
        /// fragments still fit.
        let head: [UInt8]
        var sentThrough = 0
        /// Lost stretches, to be sent again.
        var lost: [Range<Int>] = []

        var totalBytes: Int { head.count + body.count }
        var hasMore: Bool { !lost.isEmpty || sentThrough < totalBytes }

        /// The bytes of a stretch of the frame.
        func bytes(_ range: Range<Int>) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(range.count)
            if range.lowerBound < head.count {
                bytes += head[range.lowerBound..<min(head.count, range.upperBound)]
            }
            if range.upperBound > head.count {
                let first = max(0, range.lowerBound - head.count)
                bytes += body[first..<(range.upperBound - head.count)]
            }
            return bytes
        }
    }

    /// The newest value of a key is to be sent.
    mutating func makeDue(_ name: ValueName) {
        var isNew = false
        change(name) { transmission in
            isNew = !transmission.isQueued
            transmission.isDue = true
            transmission.isQueued = true
        }
        if isNew { queues[Int(name.channel.rawValue)].append(name) }
    }

    /// Puts every key whose value is due into its queue again, when its obstacle is gone.
    mutating func requeueDue() {
        for name in transmissions.keys where transmissions[name]?.isDue == true { makeDue(name) }
    }
}
