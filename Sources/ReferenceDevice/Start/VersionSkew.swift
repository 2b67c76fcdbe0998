internal import ControlProtocol

/// Two sides that speak different wire versions: which device is to be updated.
struct VersionSkew: Hashable, Sendable {
    /// This side's version.
    var own: UInt8
    /// The other side's, as far as anybody vouches for it.
    var other: UInt8

    /// Nil where they are of one version.
    init?(own: UInt8, other: UInt8) {
        guard own != other else { return nil }
        (self.own, self.other) = (own, other)
    }

    /// The message for the user who has to update a device.
    var text: String {
        "the other side speaks wire version \(other), this one \(own): \(remedy)"
    }

    private var remedy: String {
        // Version 0 is no older program, but one that was told not to seal.
        if other == 0 { return "it was started with --unsealed; start both alike" }
        if own == 0 { return "this one was started with --unsealed; start both alike" }
        return other > own ? "update this device" : "update the other device"
    }

    /// Adds the members of an event that reports the other side's version.
    func add(to members: inout JSONObject) {
        members["own_version"] = .whole(own)
        members["detail"] = .string(text)
    }
}
