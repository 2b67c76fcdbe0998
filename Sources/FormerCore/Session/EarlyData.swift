/// What left behind this side's first flight, sealed by what that flight alone has settled.
struct EarlySending<Sealer: Sealing>: Sendable {
    /// The session id that the flight names this side by.
    let session: UInt32
    var sealer: Sealer
    /// What each packet carried, by its number.
    var packets: [[FrameReference]] = []
    /// Bytes of their frames, and of the packets as they left.
    var bytes = 0
    var packetBytes = 0
}

/// A first flight of the counterpart, and what came behind it.
struct EarlyArrival<Sealer: Sealing>: Sendable {
    /// The session id that the flight names its sender by.
    let session: UInt32
    var verdict: EarlyVerdict
    /// Opens what came behind it; nil where that is refused.
    var sealer: Sealer?
    /// The numbers of the packets that were taken.
    var taken = NumberRanges()
    /// The number of the next packet, where packets do not say it.
    var next: UInt64 = 0
    /// Bytes of the frames of all packets that were taken.
    var bytes = 0

    /// By what packets behind the flight name it.
    var hint: UInt16 { UInt16(truncatingIfNeeded: session) }
}

/// An early packet that came before its flight.
struct EarlyPacket: Sendable {
    var header: DatagramHeader
    var bytes: [UInt8]
    var start: Int
}
