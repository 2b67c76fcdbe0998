internal import WatchProto

extension PairedDevice {
    /// The role of this device as keys are derived for it: 0 phone, 1 watch.
    var roleCode: UInt8 { own.role.rawValue }
}
