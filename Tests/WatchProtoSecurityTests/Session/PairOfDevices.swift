@testable import WatchProtoSecurity

/// Two paired devices and what each keeps of its reconnections.
struct PairOfDevices {
    var phone: PairedDevice
    var watch: PairedDevice

    /// The one whose static key is the lower.
    var lower: PairedDevice { phone.ownKey.precedes(watch.ownKey) ? phone : watch }
    var higher: PairedDevice { phone.ownKey.precedes(watch.ownKey) ? watch : phone }

    init(seed: UInt64 = 1) throws {
        var bench = PairingBench(random: RandomSource(seed: seed))
        try bench.finish()
        phone = bench.entered!
        watch = bench.shown!
    }
}
