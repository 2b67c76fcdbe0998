package import WatchProtoCore

/// A known way to build such a system wrongly, planted for a whole run, so that the checkers can
/// show that they find it by exploring. For tests only.
package enum Mutant: Hashable, Sendable {
    /// A bug in the simulated environment: journal, application or sealer.
    case environment(EnvironmentMutant)
    /// A bug in the tickets and verdicts of the peers.
    case identity(IdentityMutant)
    /// A bug in the ordered channels of the peers.
    case ordered(OrderedMutants)
    /// A bug in the latest-value channels of the peers.
    case latest(LatestMutants)
    /// A bug in the connections of the peers.
    case connection(ConnectionMutant)

    /// Every mutant.
    package static let all: [Mutant] = environments + cores
    private static let environments = EnvironmentMutant.allCases.map(Mutant.environment)
    private static let cores: [Mutant] =
        IdentityMutant.allCases.filter { !ofConnections.contains($0) }.map(Mutant.identity)
        + OrderedMutants.named.map { .ordered($0.1) }
        + LatestMutants.named.map { .latest($0.1) }
        + ConnectionMutant.allCases.map(Mutant.connection)

    /// A peer compares counters in its connection: ``ConnectionMutant`` has these.
    private static let ofConnections: [IdentityMutant] = [.noCounter, .noMemoryCounter]

    /// The name on a command line.
    package var name: String {
        switch self {
        case .environment(let mutant): mutant.rawValue
        case .identity(let mutant): "identity.\(mutant)"
        case .ordered(let mutant): "ordered." + OrderedMutants.name(of: mutant)
        case .latest(let mutant): "latest." + LatestMutants.name(of: mutant)
        case .connection(let mutant): "connection.\(mutant)"
        }
    }

    /// The mutant of this name; nil where there is none.
    package init?(name: String) {
        guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// Whether it can be planted only where sessions are sealed.
    package var needsSealing: Bool {
        if case .environment(let mutant) = self { mutant.needsSealing } else { false }
    }

    /// The checkers of which one alone has to catch it; nil for any.
    package var checkers: [String]? {
        if case .environment(let mutant) = self { mutant.checkers } else { nil }
    }
}

extension Mutant? {
    static func == (left: Mutant?, right: EnvironmentMutant) -> Bool {
        left == .environment(right)
    }

    static func != (left: Mutant?, right: EnvironmentMutant) -> Bool { !(left == right) }
}

extension OrderedMutants {
    /// Each mutant with its name.
    static let named: [(String, OrderedMutants)] = [
        ("settleReceived", .settleReceived), ("receivedKept", .receivedKept),
        ("pendingSettles", .pendingSettles), ("throughOnly", .throughOnly),
        ("noHandback", .noHandback), ("noOrderAcross", .noOrderAcross),
        ("keysVolatile", .keysVolatile), ("closeDropsPending", .closeDropsPending),
        ("acknowledgeBeforeCommit", .acknowledgeBeforeCommit), ("forgetClosed", .forgetClosed),
        ("watermarkBeforeCommit", .watermarkBeforeCommit), ("cancelAtOnce", .cancelAtOnce),
        ("forgetOwnClosed", .forgetOwnClosed),
    ]

    static func name(of mutant: OrderedMutants) -> String {
        named.first { $0.1 == mutant }?.0 ?? "several"
    }
}

extension LatestMutants {
    /// Each mutant with its name.
    static let named: [(String, LatestMutants)] = [
        ("noReservation", .noReservation), ("noTopCheck", .noTopCheck), ("noMend", .noMend),
        ("mendAll", .mendAll), ("adoptUnjudged", .adoptUnjudged),
        ("knowByValue", .knowByValue), ("knowEarly", .knowEarly), ("takeUnknown", .takeUnknown),
        ("tellDirty", .tellDirty),
        ("presentDurable", .presentDurable), ("coverAny", .coverAny),
        ("coverNoEnd", .coverNoEnd), ("coverUnknown", .coverUnknown), ("noWatermark", .noWatermark),
        ("watermarkUnmatched", .watermarkUnmatched), ("watermarkNotTop", .watermarkNotTop),
        ("watermarkBeforeKnown", .watermarkBeforeKnown), ("forgetAnnounced", .forgetAnnounced),
        ("noReannounce", .noReannounce),
    ]

    static func name(of mutant: LatestMutants) -> String {
        named.first { $0.1 == mutant }?.0 ?? "several"
    }
}

extension PeerConfiguration {
    mutating func plant(_ mutant: Mutant?) { mutants = PeerMutants(mutant) }
}

extension JournalImage {
    init(kinds: RecordKinds, limits: Limits, mutants: Mutant?) {
        self.init(kinds: kinds, limits: limits, mutants: PeerMutants(mutants))
    }
}

extension PeerMutants {
    fileprivate init(_ mutant: Mutant?) {
        self.init()
        switch mutant {
        case .identity(let mutant): identity = IdentityMutants([mutant])
        case .ordered(let mutants): ordered = mutants
        case .latest(let mutants): latest = mutants
        case .connection(let mutant): connection = mutant
        case .environment, nil: break
        }
    }
}
