import WatchProtoCore

/// The limits and known faults of a platform that connects a phone and a watch.
///
/// ```swift
/// let platform = try PlatformProfile("wcsession-like").with("error-after-delivery")
/// ```
///
/// The documented limits are on from the beginning, and the faults are off. The article *Testing
/// against the platforms* lists all of them with their sources. A profile serves twice: a
/// ``PlatformPair`` has the platform's own calls, and ``LinkConditions/platform`` puts the platform
/// under the sessions of a ``TestPair``.
public struct PlatformProfile: Hashable, Sendable, CustomStringConvertible {
    let kind: PlatformKind
    private var values: [PlatformTrait: Int]

    private init(_ kind: PlatformKind) {
        self.kind = kind
        values = [:]
        for row in PlatformRow.all where row.isLimit { values[row.trait] = row.values[kind] }
    }

    /// A platform with its documented limits.
    ///
    /// - Parameter name: `wcsession-like` for an iPhone and an Apple Watch, `wear-like` for an
    ///   Android phone and a Wear OS watch, `pebble-like` for a phone and a Pebble.
    /// - Throws: ``UnknownPlatformName``; the caller is at fault.
    public init(_ name: String) throws(UnknownPlatformName) {
        let kind = PlatformKind.allCases.first { "\($0)-like" == name }
        guard let kind else {
            throw UnknownPlatformName(
                text: "there is no platform '\(name)'",
                known: PlatformKind.allCases.map { "\($0)-like" })
        }
        self.init(kind)
    }

    /// The name, as the initializer takes it.
    public var description: String { "\(kind)-like" }

    /// Messages, application context, user info and complications, as between an iPhone and an
    /// Apple Watch.
    package static var wcsession: PlatformProfile { PlatformProfile(.wcsession) }
    /// Messages and data items, as between an Android phone and a Wear OS watch.
    package static var wear: PlatformProfile { PlatformProfile(.wear) }
    /// Small messages, one at a time, as between a phone and a Pebble.
    package static var pebble: PlatformProfile { PlatformProfile(.pebble) }

    /// The names of all limits and faults of the platform.
    package var traits: [String] {
        PlatformRow.all.filter { $0.values[kind] != nil }.map(\.trait.rawValue)
    }

    /// The source of each trait.
    package var sources: [String: String] {
        Dictionary(uniqueKeysWithValues: PlatformRow.all.map { ($0.trait.rawValue, $0.source) })
    }

    /// The same platform with a trait that is switched on, or off.
    ///
    /// - Parameters:
    ///   - trait: its name, as the article lists it.
    ///   - value: the size, number or seconds of the trait; 0 switches it off, and nil is the value
    ///     of its source.
    /// - Throws: ``UnknownPlatformName``; the caller is at fault.
    public func with(
        _ trait: String, _ value: Int? = nil
    ) throws(UnknownPlatformName) -> PlatformProfile {
        let row = PlatformRow.all.first { $0.trait.rawValue == trait }
        guard let row, let usual = row.values[kind] else {
            throw UnknownPlatformName(text: "\(self) has no trait '\(trait)'", known: traits)
        }
        var changed = self
        changed.values[row.trait] = max(0, value ?? usual)
        return changed
    }

    /// The value of a trait; nil where it is off.
    subscript(trait: PlatformTrait) -> Int? {
        guard let value = values[trait], value > 0 else { return nil }
        return value
    }
}

/// A platform.
enum PlatformKind: CaseIterable, Sendable {
    case wcsession, wear, pebble

    /// The way in which the platform carries a channel.
    func way(of channel: Channel) -> PlatformWay {
        switch (channel, self) {
        case (.interactive, _), (.block, _), (.urgent, .wear), (.background, .wear), (.bulk, .wear),
            (.complication, .pebble):
            .message
        case (.urgent, _), (.background, _), (.bulk, _): .queue
        case (.complication, .wcsession): .complication
        case (.complication, .wear), (.context, _): .state
        }
    }
}

/// A way to carry a transfer.
enum PlatformWay: Sendable {
    /// At once, with an answer or an error.
    case message
    /// One after the other.
    case queue
    /// The newest one.
    case state
    /// The newest one while the budget lasts; then in the queue.
    case complication
}
