import WatchProto

/// A journal of a device at a moment of a test.
public struct DeviceBackup: Sendable {
    let memory: DeviceMemory
    let role: DeviceRole
}
