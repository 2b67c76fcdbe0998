/// The path estimate from session to session, and the version of it last given to the journal.
struct PathMeasurement: Sendable {
    /// The estimate, while no session measures it.
    var estimate = PathEstimate()
    /// The rate of a carrier that cannot lose, in bytes a second.
    var streamBytesPerSecond: Double?
    private var written: PathMemory?
    private var writtenAddress: PathAddress?

    init(_ memory: PathMemory?, address: PathAddress?) {
        (written, writtenAddress) = (memory, address)
        if let memory { estimate = PathEstimate(remembering: memory) }
    }

    /// The entries that tell the journal of the path, each once where it has changed. They leave
    /// with a batch that leaves anyway.
    mutating func entries(
        _ recovery: LossRecovery<PeerReference>?, address: PathAddress?
    ) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        let present = recovery?.path ?? estimate
        if let memory = present.memory(roundTrip: recovery?.roundTrip.smoothed),
            written?.differs(from: memory) ?? true
        {
            written = memory
            entries.append(.pathMeasured(memory))
        }
        if let address, address != writtenAddress {
            writtenAddress = address
            entries.append(.address(address))
        }
        return entries
    }
}
