import WatchProto

/// What applications ask their peers about their records.
extension World {
    /// After a crash an application may ask what became of its records.
    func askAfterRestart(_ node: Node<Security>) {
        guard let process = node.process, node.life > 1 else { return }
        let promised = panel.unsettledPromises(of: node.side)
        ask(promised.filter { $0.lane.traits.isDurable }, of: node)
        show(.outstanding(known(process.peer.outstandingTransfers)), side: node.side)
    }

    /// In the end it asks about every record it was not told the end of.
    func askInTheEnd(_ node: Node<Security>) {
        guard let process = node.process else { return }
        ask(panel.unaccounted(of: node.side), of: node)
        show(.outstanding(known(process.peer.outstandingTransfers)), side: node.side)
    }

    private func ask(_ ids: [RecordID], of node: Node<Security>) {
        guard let process = node.process else { return }
        // A record may have expired by either clock.
        for other in nodes { show(.wallClock(wallClock(of: other).time), side: other.side) }
        for id in ids {
            let status = swallowedStatus(of: id, on: node) ?? process.peer.status(of: id)
            show(.answered(id, status), side: node.side)
        }
    }
}
