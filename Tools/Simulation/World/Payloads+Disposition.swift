import WatchProtoCore
import WatchProtoRecords

extension Payloads {
    /// An application's answer to a record: mostly yes, now and then later or no. The same record
    /// always gets the same answer, as from an application whose rules do not change.
    static func disposition(of record: InboundRecord, choice: UInt64) -> Disposition {
        let draw = choice % 100
        switch record.id.channel {
        case .complication: return .applied
        // Nobody insists on what the other has done away with.
        case .context where record.kind.isRemoval: return draw < 10 ? .pending : .applied
        case .context: return draw < 3 ? .rejected(code: 3) : draw < 10 ? .pending : .applied
        case .interactive, .block: return draw < 5 ? .rejected(code: 5) : .applied
        case .urgent, .background, .bulk:
            return draw < 5 ? .rejected(code: 4) : draw < 15 ? .pending : .applied
        }
    }
}
