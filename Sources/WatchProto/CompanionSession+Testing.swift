import Locks
package import WatchProtoCore
import WatchProtoJournal
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

    /// Ends as a crash does, for tests: without a word to the other device. Records that are not
    /// durable are lost.
    package func abandon() async {
        let (connections, coordinator) = life.withLock { life in
            life.isClosed = true
            defer { life.connections = [:] }
            return (Array(life.connections.values), life.coordinator)
        }
        await Offload.run { [self] in
            coordinator?.close()
            for connection in connections { connection.abandon() }
            publisher.end()
            store.file?.abandon()
        }
        finish()
    }

    /// Gives a watch a link of its own.
    package func setLink(
        with pairing: PairingID, _ source: @escaping @Sendable () -> any CarrierSource
    ) {
        life.withLock { $0.links[pairing] = SessionLinks(source) }
    }

    /// The work left before the clock moves; nil for none. For tests that move the clock.
    package var work: StaticString? {
        if life.withLock({ $0.changes > 0 }) { return "the watches change" }
        let connections = connections
        // No lazy chain: it would look twice, and the work may be done in between.
        for connection in connections {
            if let work = connection.driven.work { return work }
        }
        let isIdle =
            inbox.isIdle && ledger.isIdle && files.isIdle
            && connections.allSatisfy { $0.exchanges.app.isIdle }
        return isIdle ? nil : "a handler runs"
    }

    /// The wall clock was set, for tests that set it. (The host's is watched.)
    package func wallClockChanged() {
        for connection in connections { connection.driven.wallClockChanged() }
    }
}
