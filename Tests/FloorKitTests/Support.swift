import WatchSecurity

// The security of a paired device.
#if NEW_CORE
    typealias DeviceSecurity = NoiseSecurity
#else
    typealias DeviceSecurity = PairedSecurity
#endif
