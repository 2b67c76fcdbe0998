import Locks
public import WatchProtoCore

/// The calls of a platform on a phone and a watch, in memory and in a time that the test moves.
///
/// An app that calls the platform itself is tested against it, and sees its faults:
///
/// ```swift
/// let pair = PlatformPair(try .init("wcsession-like").with("error-after-delivery"))
/// pair.onReceive(at: .phone) { _, bytes in bytes }
/// try pair.send([1], as: .interactive, from: .watch, error: { print($0) })
/// pair.run(for: .seconds(1))
/// ```
///
/// Everything follows from the profile, the calls and the seed. Handlers run on the thread that
/// calls ``run(for:)``.
public final class PlatformPair: Sendable {
    let medium: PlatformMedium

    /// Connects the two devices.
    ///
    /// - Parameters:
    ///   - profile: the platform, with the faults that are on.
    ///   - seed: the random delays follow from it.
    public init(_ profile: PlatformProfile, seed: UInt64 = 0) {
        let time = VirtualTime()
        medium = PlatformMedium(profile, seed: seed, time) { [weak time] _, _ in
            guard let time else { return [] }
            return [time.now.advanced(by: .milliseconds(50))]
        }
    }

    /// The platform. A test switches a trait during a run. Transfers under way go on under the
    /// former traits.
    ///
    /// ```swift
    /// pair.profile = try pair.profile.with("one-way")
    /// ```
    public var profile: PlatformProfile {
        get { medium.state.withLock { $0.profile } }
        set {
            medium.state.withLock { $0.profile = newValue }
            for role in DeviceRole.allCases { medium.goOn(role) }
        }
    }

    /// Whether the devices are near each other.
    public var isConnected: Bool {
        get { medium.state.withLock { $0.isConnected } }
        set { medium.setConnected(newValue) }
    }

    /// Lets time pass. Everything that is due happens, in order.
    public func run(for duration: Duration) {
        medium.time.advance(to: medium.time.now.advanced(by: max(.zero, duration)))
    }

    /// Ends the app of a device. It runs again when ``onReceive(at:_:)`` sets its handler. The
    /// platform's queues go on where the platform keeps them.
    ///
    /// On WatchConnectivity a message of the watch launches the phone's app, which gets it when its
    /// handler is set. A message of the phone launches nothing: the watch is not reachable.
    public func restart(_ role: DeviceRole) { medium.restart(role) }

    // MARK: The platform's calls

    /// Whether the platform reports to both devices that the other one is reachable.
    public var isReachable: Bool { DeviceRole.allCases.allSatisfy(isReachable(from:)) }

    /// The reachability that the platform reports to a device.
    package func isReachable(from role: DeviceRole) -> Bool { medium.isReachable(from: role) }

    /// The transfers of a device that are neither delivered nor cancelled, without messages.
    public func outstandingTransfers(of role: DeviceRole) -> Int {
        medium.state.withLock { $0.side(role).outstandingTransfers }
    }

    /// Cancels the user info and the files of a device that are not delivered. Each gets an error.
    package func cancelTransfers(of role: DeviceRole) { medium.cancelTransfers(of: role) }

    /// How many urgent complication transfers are left today.
    package func remainingComplicationTransfers(of role: DeviceRole) -> Int {
        medium.remainingComplications(of: role)
    }

    /// Sends bytes in the way that the platform has for a channel.
    ///
    /// `.interactive` is a message; `.context` is the application context or a data item;
    /// `.background` and `.bulk` are user info and files, or messages on a platform without a
    /// queue; `.complication` is a complication transfer, an urgent data item, or a message.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - channel: the way.
    ///   - role: the sending device.
    ///   - reply: gets the answer to a message; for other transfers the end of the transfer.
    ///   - error: gets the platform's error.
    /// - Throws: `SendRefusal` as the platform does: too large, not reachable, or a message under
    ///   way. Nothing is sent then.
    public func send(
        _ bytes: [UInt8], as channel: Channel, from role: DeviceRole,
        reply: @escaping @Sendable ([UInt8]) -> Void = { _ in },
        error: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(SendRefusal) {
        try medium.submit(bytes, as: channel, from: role, reply: reply, fail: error)
    }

    /// Sets the handler of a device, whose app runs from then on. The handler returns the answer to
    /// a message; nil for no answer.
    public func onReceive(
        at role: DeviceRole, _ body: @escaping @Sendable (Channel, [UInt8]) -> [UInt8]?
    ) {
        medium.setHandler(body, of: role)
    }
}
