/// The path estimate from session to session, and the version of it last given to the journal.
struct PathMeasurement: Sendable {
    /// The estimate, while no session measures it.
    var estimate = PathEstimate()
    /// The rate of a carrier that cannot lose, in bytes a second.
    var streamBytesPerSecond: Double?
    private var written: PathMemory?

    init(_ memory: PathMemory?) {
        written = memory
        if let memory { estimate = PathEstimate(remembering: memory) }
    }

    /// The path estimate to write to the journal, given once each time it has changed.
    mutating func toWrite(_ recovery: LossRecovery<PeerReference>?) -> PathMemory? {
        let present = recovery?.path ?? estimate
        guard let memory = present.memory(roundTrip: recovery?.roundTrip.smoothed),
            written?.differs(from: memory) ?? true
        else { return nil }
        written = memory
        return memory
    }
}
