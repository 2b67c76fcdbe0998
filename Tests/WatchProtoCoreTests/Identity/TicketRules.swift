@testable import WatchProtoCore

/// The bounds of a world of two sides, under the names of the models' flags.
struct TicketRules: Hashable, CustomStringConvertible {
    /// Sessions after the pairing.
    var sessions = 4
    /// Batches of each side beside those that enter a ticket.
    var batches = 0
    /// Sides that may go back to a snapshot: bit 0 and 1.
    var restores = 0
    /// How often side 0 may go back; from 2 on, side 0 is a pair of clones.
    var swaps = 1
    /// How often a side that may be restored goes back to its snapshot.
    var backs = 1
    /// Sides that may be wiped: bit 0 and 1.
    var wipes = 0
    /// Crashes of both sides together.
    var crashes = 9
    /// How often a message 1 that somebody kept arrives once more.
    var replays = 0
    /// Sides whose message 1 is kept: bit 0 and 1.
    var replayers = 3
    /// Early data of a message 1 that crosses one's own is taken.
    var crosses = false
    /// Sessions may keep a ticket.
    var keeps = true
    /// Only side 0 opens.
    var oneOpens = false
    /// Messages 1 of each side.
    var openings: Int?
    /// The mutants in the ticket layer.
    var mutants: [IdentityMutant] = []
    /// The mutant in the connection around it.
    var worldMutant: WorldMutant?
    let description: String

    /// A mistake of the connection, which is no part of the ticket layer.
    enum WorldMutant: Hashable {
        /// Stale messages 1 are dropped without a refusal.
        case noRefusal
        /// A side that meets a stale message 1 opens a session itself.
        case staleOpens
    }

    /// How often a side may go back, or change to its clone.
    func swapLimit(_ side: Int) -> Int { side == 0 && swaps > 1 ? swaps : backs }
    /// Messages 1 that each side may send.
    var openingLimit: Int { openings ?? sessions - (oneOpens ? 0 : 1) }

    /// Reads flags such as `-DMAXS=3`.
    init(_ flags: String) {
        description = flags
        for flag in flags.split(separator: " ") {
            let parts = flag.dropFirst(2).split(separator: "=")
            let value = parts.count > 1 ? Int(parts[1]) ?? 0 : 1
            switch parts[0] {
            case "MAXS": sessions = value
            case "MAXF": batches = value
            case "RESTORES": restores = value
            case "SWAPS": swaps = value
            case "BACKS": backs = value
            case "WIPES": wipes = value
            case "CRASHES": crashes = value
            case "REPLAYS": replays = value
            case "REPLAYERS": replayers = value
            case "CROSSED": crosses = value == 1
            case "KEEP": keeps = value == 1
            case "ONE_INIT": oneOpens = value == 1
            case "MAXI": openings = value
            case "LAST_POSITIONS": if value == 0 { mutants.append(.noLastPositions) }
            default: preconditionFailure("a flag that the world does not know")
            }
        }
    }
}

/// A step of the world, under the name that the models' walker prints.
enum TicketStep: String, CaseIterable {
    case open = "INIT"
    case answer = "ANSWER"
    case finish = "FINISH"
    case refused = "REFUSED"
    case confirm = "CONFIRM"
    case enter = "ENTER"
    case work = "WORK"
    case persist = "PERSIST"
    case tell = "TELL"
    case hear = "HEAR"
    case crash = "CRASH"
    case snapshot = "SNAP"
    case swap = "SWAP"
    case wipe = "WIPE"
    case save = "SAVE"
    case replay = "REPLAY"
    case cross = "CROSS"

    /// Whether the world does it to a side.
    var isFault: Bool {
        switch self {
        case .crash, .snapshot, .swap, .wipe, .save, .replay: true
        default: false
        }
    }

    /// Whether an application or a user wishes it.
    var isWish: Bool { self == .open || self == .work }
}
