/// The fragmentation progress of a record or value that is too long for one packet.
struct FragmentCursor: Sendable {
    /// A fragment to write.
    struct Piece: Hashable, Sendable {
        /// Bytes before it in the frame that the fragments make up.
        var offset: Int
        /// Bytes of the fragment.
        var length: Int
        /// Whether the fragment tells the length of the whole.
        var tellsTotal: Bool
    }

    /// The room in a packet, and the part of it that the record may use.
    struct Room: Sendable {
        /// Bytes left in the packet.
        var bytes: Int
        /// Payload bytes that the credit allows.
        var credit: Int
        /// Whether a fragment to the end of its packet may leave out the length of the whole.
        var allowsFurther: Bool
    }

    /// The frame in front of the payload, as every fragment of this record counts it.
    let head: [UInt8]
    /// Bytes of all fragments together.
    let totalBytes: Int
    /// The number of times that the record was begun anew in this session.
    private(set) var round = 0
    /// Bytes that have left at least once in this round, from the start.
    private(set) var sentThrough = 0
    /// Pieces of this round that were lost, in the order of their loss.
    private(set) var lost: [Range<Int>] = []

    /// Cuts a frame that begins with `head`, in front of `payloadBytes` bytes.
    init(head: [UInt8], payloadBytes: Int) {
        self.head = head
        totalBytes = head.count + payloadBytes
    }

    /// Whether a piece waits: a lost one, or one that has not left.
    var hasPiece: Bool { !lost.isEmpty || sentThrough < totalBytes }

    /// Whether every byte has left at least once.
    var hasLeft: Bool { sentThrough == totalBytes }

    /// The next piece for a packet; nil where the room or the credit is too small.
    func next(_ address: RecordAddress, in room: Room) -> Piece? {
        let start = lost.first?.lowerBound ?? sentThrough
        let end = lost.first?.upperBound ?? totalBytes
        guard start < end else { return nil }
        let short = FragmentFrame.overhead(
            address, totalBytes: nil, offset: start, room: room.bytes)
        let fits = room.bytes - short
        if room.allowsFurther, start > 0, fits > Self.smallestPiece, end - start >= fits,
            start + fits < totalBytes, room.credit >= fits
        {
            return Piece(offset: start, length: fits, tellsTotal: false)
        }
        let overhead = FragmentFrame.overhead(
            address, totalBytes: totalBytes, offset: start, room: room.bytes)
        guard room.bytes >= overhead + min(end - start, Self.smallestPiece) else { return nil }
        let length = min(end - start, room.bytes - overhead, room.credit)
        return length > 0 ? Piece(offset: start, length: length, tellsTotal: true) : nil
    }

    /// Whether ``next(_:in:)`` gave nothing for want of room in the packet, and not of credit.
    func needsRoom(_ address: RecordAddress, in room: Room) -> Bool {
        hasPiece && room.credit > 0 && next(address, in: room) == nil
    }

    /// Bytes of a piece.
    func bytes(of piece: Piece, payload: [UInt8]) -> [UInt8] {
        let end = piece.offset + piece.length
        var bytes: [UInt8] = []
        bytes.reserveCapacity(piece.length)
        if piece.offset < head.count { bytes += head[piece.offset..<min(head.count, end)] }
        if end > head.count {
            bytes += payload[max(0, piece.offset - head.count)..<(end - head.count)]
        }
        return bytes
    }

    /// A piece that ``next(_:in:)`` gave has left.
    mutating func sent(_ piece: Piece) {
        let end = piece.offset + piece.length
        guard let first = lost.first else {
            sentThrough = max(sentThrough, end)
            return
        }
        if end < first.upperBound { lost[0] = end..<first.upperBound } else { lost.removeFirst() }
    }

    /// A piece of round `round` was lost. Says whether it has to leave again.
    mutating func lost(offset: Int, length: Int, round: Int) -> Bool {
        guard round == self.round, length > 0, offset + length <= sentThrough else { return false }
        lost.append(offset..<offset + length)
        return true
    }

    /// The receiver holds no piece: all leave again, in a new round.
    mutating func restart() {
        round += 1
        sentThrough = 0
        lost = []
    }

    /// Bytes below which no piece is cut, but the last one.
    private static let smallestPiece = 32
}
