/// A class of devices, by the processor time and the memory that a program may use there.
///
/// The quotas are shares of one processor of this machine, and no claim about a product of that
/// class: they spread a figure over slow and fast devices.
enum DeviceClass: String, Sendable, CaseIterable {
    case low, mid, high

    /// The share of one processor.
    var processorShare: Double {
        switch self {
        case .low: 0.25
        case .mid: 0.5
        case .high: 1
        }
    }

    /// The memory that a program may have at its launch, in bytes.
    var memoryBytes: Double {
        switch self {
        case .low: 32e6
        case .mid: 64e6
        case .high: 128e6
        }
    }

    /// For notes: `low 25 % of a core and 32 MB`.
    var meaning: String {
        "\(rawValue) \(Int(processorShare * 100)) % of a core and \(Int(memoryBytes / 1e6)) MB"
    }
}
