import Locks
package import WatchProtoTransport

/// The library's seams for WatchProtoTesting.
extension CompanionSession {
    /// Opens a session over links, on a clock and with a memory that a test made.
    package convenience init(
        _ options: SessionOptions, testing source: @escaping @Sendable () -> any CarrierSource,
        clock: any DriverClock, memory: DeviceMemory
    ) async throws(OpenError) {
        try await self.init(options, links: SessionLinks(source), clock: clock, memory: memory)
    }

    /// Ends as a crash does, for tests: without a word to the other device.
    package func abandon() async {
        let driven = life.withLock { life in
            life.isClosed = true
            defer { life.driven = nil }
            return life.driven
        }
        let (store, ledger, publisher, app) = (store, ledger, publisher, app)
        await Offload.run {
            driven?.abandon()
            ledger.endExchanges()
            publisher.end()
            app.end()
            store.close()
        }
        inbox.finish()
        pauses.finish()
        ledger.finish()
        transfers.finish()
        feeds.finish()
    }

    /// The work left before the clock moves; nil for none. For tests that move the clock.
    package var work: StaticString? {
        if life.withLock({ $0.changesWatch }) { return "the active watch changes" }
        if let work = current?.work { return work }
        return inbox.isIdle && ledger.isIdle && app.isIdle ? nil : "a handler runs"
    }

    /// The wall clock was set, for tests that set it. (The host's is watched.)
    package func wallClockChanged() { current?.wallClockChanged() }
}
