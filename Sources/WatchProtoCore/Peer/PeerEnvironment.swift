/// Names one batch of journal entries; the environment hands it back once the batch is durable.
package struct JournalReceipt: Hashable, Comparable, Sendable {
    /// The batch's number; a later batch has a higher one.
    package var rawValue: UInt64
    /// Makes the receipt of the batch with this number.
    package init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Whether `left` names the earlier batch.
    package static func < (left: JournalReceipt, right: JournalReceipt) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The environment of a peer: the work that it does for the peer during a drain. The peer calls in
/// order; the environment carries out.
///
/// An environment cannot re-enter the peer from here: it hands over what it learnt after the drain.
package protocol PeerEnvironment: ~Copyable {
    /// Gives bytes to the carrier and returns how many it took: on a stream 0 … `bytes.count`; on a
    /// datagram carrier all or 0. After less than all, drain again once the carrier can take more.
    /// `address` is where a datagram goes; nil where the carrier knows.
    mutating func transmit(_ bytes: Span<UInt8>, to address: PathAddress?) -> Int

    /// Makes `entries` durable, after all earlier ones, and later hands `receipt` to
    /// ``Peer/committed(_:at:)``, or to ``Peer/failed(_:at:)`` when that proved impossible.
    mutating func persist(_ entries: [JournalEntry], receipt: JournalReceipt)

    /// Gives a record to the application. The application's writes belong to the transaction of the
    /// entries that are persisted next.
    ///
    /// A record that is left ``Disposition/pending`` is given again after a restart; that ends when
    /// the answer here is another, or with ``Peer/decide(_:_:at:)``.
    mutating func deliver(_ record: InboundRecord) -> Disposition

    /// Reports an event to the application, and to the environment itself.
    mutating func report(_ event: PeerEvent)
}
