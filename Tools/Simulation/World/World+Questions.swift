import WatchProtoCore

/// The questions of applications about their records.
extension World {
    /// After a crash an application may ask what became of its records.
    func askAfterRestart(_ node: Node) {
        guard let process = node.process, node.life > 1 else { return }
        let promised = panel.unsettledPromises(of: node.side)
        ask(promised.filter { $0.channel.traits.isDurable }, of: node)
        show(.outstanding(process.peer.outstandingTransfers), side: node.side)
    }

    /// In the end it asks about every record, and for the newest value of each key that the peer
    /// holds.
    func askInTheEnd(_ node: Node) {
        guard let process = node.process else { return }
        ask(panel.accepted(by: node.side), of: node)
        show(.outstanding(process.peer.outstandingTransfers), side: node.side)
        for (channel, key) in panel.keys(of: node.side) {
            let value = process.peer.newestValue(channel, key)
            show(
                .holds(
                    channel, key, value?.id,
                    value: value.map { Payloads.fingerprint($0.kind, $0.payload) } ?? 0),
                side: node.side)
        }
    }

    private func ask(_ ids: [RecordID], of node: Node) {
        guard let process = node.process else { return }
        // A record may have expired by either clock.
        for other in nodes { show(.wallClock(wallClock(of: other).time), side: other.side) }
        for id in ids {
            let status = process.peer.status(of: id)
            if status == .settled(.superseded), let key = panel.key(of: id),
                let newest = process.peer.newestValue(id.channel, key), newest.id != id
            {
                show(.replaced(id), side: node.side)
            }
            show(.answered(id, status), side: node.side)
        }
    }
}
