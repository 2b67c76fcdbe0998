import Locks

extension FileExchange {
    /// The parts of transfers that an exchange has in memory. The article *Files* bounds each, and
    /// checks of the bounds read them here.
    package struct Load: Hashable, Sendable {
        /// Offers without an answer.
        package var offers: Int
        /// Offers whose files are not whole.
        package var arrivals: Int
        /// The bytes that are kept of their records.
        package var offerBytes: Int
        /// Offers with a message of the other device that nobody has read.
        package var signals: Int
        /// Blocks that are not written yet.
        package var blocks: Int
        /// Their bytes.
        package var blockBytes: Int
        /// Bytes that were requested and are not written (T-6).
        package var requestedBytes: UInt64
        /// Whether a request of the other device waits for its answer.
        package var hasRequest: Bool
        /// Blocks of own files that are not settled.
        package var blocksUnderWay: Int
        /// Their bytes.
        package var bytesUnderWay: Int
        /// Changes of own files that the session has not taken yet.
        package var unsentSignals: Int
    }

    /// The present load.
    package var load: Load {
        state.withLock { state in
            Load(
                offers: state.unanswered.count, arrivals: state.arrivals.count,
                offerBytes: state.arrivals.reduce(0) {
                    $0 + $1.offer.bytes.count + $1.record.payload.count
                },
                signals: state.arrivals.count { $0.signal != nil },
                blocks: state.blocks.count,
                blockBytes: state.blocks.reduce(0) { $0 + $1.count },
                requestedBytes: state.fetch?.requestedBytes ?? 0,
                hasRequest: state.wanted != nil, blocksUnderWay: state.underWay.count,
                bytesUnderWay: state.underWay.values.reduce(0) { $0 + $1.bytes.count },
                unsentSignals: state.unsentSignals.count)
        }
    }
}
