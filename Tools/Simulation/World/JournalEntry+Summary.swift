import WatchProtoCore

extension JournalEntry {
    /// The entry in a few words, for traces.
    var summary: String {
        switch self {
        case .opened(let epoch, let end): "opened \(epoch.text) to \(end)"
        case .ticketEntered(let entry): "entered \(entry.ticket.rawValue >> 48)"
        case .ticketProgress(let own, let counterpart):
            "at \(own)\(counterpart.map { "/\($0)" } ?? "")"
        case .epoch(let epoch, let mark): "\(epoch.text) \(mark)"
        case .queued(let record): "queued \(record.id.text)"
        case .cancellationAsked(let id, let outcome): "asks \(id.text) \(outcome)"
        case .committedThere(let id): "committed there \(id.text)"
        case .settled(let id, let outcome): "settled \(id.text) \(outcome)"
        case .received(let record, let word, _): "received \(record.id.text) \(word)"
        case .decided(let id, let word): "decided \(id.text) \(word)"
        case .watermark(let epoch, let channel, let number):
            "watermark \(channel) \(epoch.text):\(number)"
        default: "\("\(self)".prefix(60))"
        }
    }
}

extension EpochID {
    /// The epoch in four digits, for traces.
    var text: String { String(rawValue >> 48, radix: 16) }
}
