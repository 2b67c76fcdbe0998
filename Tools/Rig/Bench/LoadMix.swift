import CommandLine
import ControlProtocol
import WatchProtoRecords

/// A kind of record that a bench can send.
enum LoadKind: String, Hashable, Sendable, CaseIterable {
    case sync, complication, message, dose
    case messageBack = "message-back"

    /// All of them, as they are typed.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// The sender.
    enum Side { case phone, watch }

    var side: Side {
        switch self {
        case .sync, .complication, .message: .phone
        case .dose, .messageBack: .watch
        }
    }

    /// As the simulators call it.
    var recordKind: String {
        switch self {
        case .sync: "medication"
        case .complication: "complication"
        case .message, .messageBack: "message"
        case .dose: "dose"
        }
    }

    /// As the report calls its latencies.
    var series: String {
        switch self {
        case .messageBack: "message back"
        case .dose: "dose event"
        default: rawValue
        }
    }

    /// Whether it counts when both journals hold it, rather than when it is seen.
    var isDurable: Bool {
        switch self {
        case .sync, .dose: true
        case .complication, .message, .messageBack: false
        }
    }

    /// The channel it travels in.
    var channel: String {
        switch self {
        case .sync: "context"
        case .complication: "complication"
        case .message, .messageBack: "interactive"
        case .dose: "background"
        }
    }

    /// The target that it is measured for; nil for none.
    var target: String? {
        switch self {
        case .sync: "sync.one-change"
        case .complication: "complication"
        case .message: "message"
        case .dose, .messageBack: nil
        }
    }
}

/// The load of a bench: kinds of records, some with a rate of their own.
struct LoadMix: Hashable, ArgumentValue {
    /// One kind and how often it is sent; nil where the common rate counts.
    struct Part: Hashable, Sendable {
        var kind: LoadKind
        var rate: Rate?
    }

    var parts: [Part]

    /// How often a kind can be sent.
    static let rates = Rate(perSecond: 0.001)...Rate(perSecond: 20_000)

    /// The load where no other is asked for.
    static let standard = LoadMix(parts: [.init(kind: .sync), .init(kind: .complication)])

    init(parts: [Part]) { self.parts = parts }

    /// Reads `sync,complication=1/s`.
    init(argument: String) throws(ArgumentFault) {
        parts = []
        for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(sides[0])
            guard let kind = LoadKind(rawValue: name) else {
                let names = LoadKind.allCases.map(\.rawValue)
                let hint = Spelling.nearest(to: name, among: names)
                    .map { "; did you mean '\($0)'?" }
                throw ArgumentFault(
                    "there is no kind '\(Excerpt.of(name))', only "
                        + "\(names.joined(separator: ", "))\(hint ?? "")")
            }
            guard !parts.contains(where: { $0.kind == kind }) else {
                throw ArgumentFault("'\(name)' stands there twice")
            }
            guard sides.count > 1 else {
                parts.append(Part(kind: kind))
                continue
            }
            let rate: Rate
            do throws(QuantityError) {
                rate = try Rate(quantity: String(sides[1]))
            } catch {
                throw ArgumentFault("the rate of '\(name)': \(error)")
            }
            guard Self.rates.contains(rate) else {
                let (least, most) = (Self.rates.lowerBound, Self.rates.upperBound)
                throw ArgumentFault(
                    "the rate of '\(name)' must be \(least.argumentText) to \(most.argumentText)")
            }
            parts.append(Part(kind: kind, rate: rate))
        }
    }

    var argumentText: String {
        parts.map { part in
            part.kind.rawValue + (part.rate.map { "=\($0.argumentText)" } ?? "")
        }.joined(separator: ",")
    }
}
