/// What a host does for its peer while it drains. The peer calls, in order; the host carries out.
///
/// A host cannot re-enter the peer from here: what it learns it gives to the peer after the drain.
public protocol PeerHost: ~Copyable {
    /// Gives bytes to the carrier and says how many it took: on a stream 0 … `bytes.count`; on a
    /// datagram carrier all or 0. After less than all, drain again once the carrier can take more.
    mutating func transmit(_ bytes: Span<UInt8>) -> Int

    /// Makes `entries` durable, after all earlier ones, and later hands `receipt` to
    /// ``Peer/committed(_:at:)``, or to ``Peer/failed(_:at:)`` when that proved impossible.
    mutating func persist(_ entries: [JournalEntry], receipt: JournalReceipt)

    /// Gives a record to the application. What the application writes in answer belongs to the same
    /// transaction as the entries persisted next.
    ///
    /// A record that came early is given before the session is active
    /// (``PeerEvent/activation(_:)``); it counts all the same, whatever becomes of the link.
    ///
    /// A record left ``Disposition/pending`` is given again after a restart; that ends when
    /// the answer here is another, or with ``Peer/applied(_:at:)`` or
    /// ``Peer/rejected(_:code:at:)``.
    mutating func deliver(_ record: InboundRecord) -> Disposition

    /// Tells the application, and the host, what happened.
    mutating func report(_ event: PeerEvent)

    /// A record was put into a packet before this side's journal held it.
    /// ``PeerEvent/progress(_:_:)`` tells of it only after that commit, as applications need it;
    /// who measures hears of it here.
    mutating func departed(_ id: RecordID)
}

extension PeerHost where Self: ~Copyable {
    /// Does nothing.
    public mutating func departed(_ id: RecordID) {}
}
