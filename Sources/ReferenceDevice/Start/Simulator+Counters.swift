internal import ControlProtocol
internal import FaultInjection
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoTransport

extension Simulator {
    /// The counters of `status`.
    func counters(_ driver: DriverCounters, _ peer: PeerCounters) -> JSONValue {
        [
            "wake_ups": .whole(driver.wakeUps),
            "deadline_wake_ups": .whole(driver.deadlineWakeUps),
            "requested_wake_ups": .whole(driver.requestedWakeUps),
            "reads": .whole(driver.reads), "bytes_read": .whole(driver.bytesRead),
            "writes": .whole(driver.writes), "bytes_written": .whole(driver.bytesWritten),
            "partial_writes": .whole(driver.partialWrites),
            "links_opened": .whole(driver.linksOpened),
            "link_failures": .whole(driver.linkFailures),
            "refused_connections": .whole(driver.refusedConnections),
            "journal_batches": .whole(driver.journalBatches),
            "journal_commits": .whole(file?.counters.commits ?? 0),
            "store_writes": .whole(file?.counters.storeWrites ?? 0),
            "disk_faults": .whole(disk?.faultsMet ?? 0),
            "bytes_sent": .whole(peer.bytesSent),
            "bytes_received": .whole(peer.bytesReceived),
            "records_accepted": .whole(peer.recordsAccepted),
            "packets_sent": .whole(peer.packetsSent),
            "packets_received": .whole(peer.packetsReceived),
            "packets_dropped": .whole(peer.packetsDropped),
            "advisories_received": .whole(peer.advisoriesReceived),
            "packets_repeated": .whole(peer.packetsRepeated),
            "early_packets_sent": .whole(peer.earlyPacketsSent),
            "early_records_received": .whole(peer.earlyRecordsReceived),
            "frames_resent": .whole(peer.framesResent),
            "early_packets_taken": .whole(peer.earlyPacketsTaken),
            "packets_recovered": .whole(peer.packetsRecovered),
            "repair_packets_sent": .whole(peer.repairPacketsSent),
            "deltas_sent": .whole(peer.deltasSent),
            "bases_asked": .whole(peer.basesAsked),
            "records_repeated": .whole(peer.recordsRepeated),
            "values_replaced": .whole(peer.valuesReplaced),
            "values_equal": .whole(peer.valuesEqual),

        ]
    }
}
