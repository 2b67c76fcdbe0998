public import WatchProtoRecords

/// The status of an application, which it reports to the other device.
///
/// ```swift
/// try session.report(AppStatus(isForeground: true, capabilities: ["refill"]))
/// ```
public struct AppStatus: Hashable, Sendable {
    /// Whether somebody looks at the application. In the background a device gathers changes for
    /// longer, keeps no idle link alive, and waits longer before it opens a link again.
    public var isForeground: Bool
    /// The requests that the application answers, by names that both applications know. A name has
    /// 1 to 255 bytes of UTF-8.
    public var capabilities: Set<String>
    /// On a watch: the places that the face in use shows; nil for all, as are more than 64.
    public var activePlaces: Set<ComplicationID>?

    /// An application in the foreground that answers no request of a name, by default.
    public init(
        isForeground: Bool = true, capabilities: Set<String> = [],
        activePlaces: Set<ComplicationID>? = nil
    ) {
        self.isForeground = isForeground
        self.capabilities = capabilities
        self.activePlaces = activePlaces
    }
}
