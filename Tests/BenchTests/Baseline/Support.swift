import WatchProtoSecurity

// The security of a paired device.
typealias DeviceSecurity = NoiseSecurity
