/// The queue of a pairing that no peer is opened on.
extension JournalImage {
    /// Durable records of this side that are not settled and not asked to be cancelled, channel by
    /// channel, oldest first.
    package var undelivered: [OutboundRecord] {
        var records: [OutboundRecord] = []
        for sender in senders where sender.channel.traits.isDurable {
            records += sender.undelivered
        }
        return records + values.undelivered
    }
}

extension OrderedSender.Image {
    fileprivate var undelivered: [OutboundRecord] {
        var records: [OutboundRecord] = []
        for epoch in epochs {
            epoch.records.visit { _, entry in
                if entry.cancelRequest == nil { records.append(entry.record) }
            }
        }
        return records
    }
}

extension LatestValueSender.Image {
    fileprivate var undelivered: [OutboundRecord] {
        values.table.values.filter { $0.progress.isUnsettled && outcomes[$0.newest.id] == nil }
            .map { $0.newest }
            .sorted { left, right in
                (left.id.channel.rawValue, left.id.number)
                    < (right.id.channel.rawValue, right.id.number)
            }
    }
}
