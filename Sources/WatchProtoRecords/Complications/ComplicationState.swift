/// The content of a watch face. It has no time stamp, so a state equal to the displayed one has
/// equal bytes and is never sent.
public struct ComplicationState: Hashable, Sendable {
    /// The next dose's medication in short; empty if none is planned.
    public var name: String
    /// The amount to take, in short (`2 × 5 mg`); never cut.
    public var amountText: String
    /// Red, green, blue and alpha, red in the highest byte.
    public var color: UInt32
    /// When the next dose is due, if one is planned.
    public var nextDose: WallMinute?
    /// Doses taken today.
    public var taken: UInt8
    /// Doses planned today.
    public var total: UInt8
    /// Doses that are overdue now.
    public var overdue: UInt8
    /// Medications that are active.
    public var active: UInt8
    /// The fields that a newer version added.
    public var extensions: ExtensionFields

    /// The most bytes of an encoding.
    public static let byteBudget = 200

    /// Makes a state of these parts.
    public init(
        name: String = "", amountText: String = "", color: UInt32 = 0x8080_80FF,
        nextDose: WallMinute? = nil, taken: UInt8 = 0, total: UInt8 = 0, overdue: UInt8 = 0,
        active: UInt8 = 0, extensions: ExtensionFields = ExtensionFields()
    ) {
        self.name = name
        self.amountText = amountText
        self.color = color
        self.nextDose = nextDose
        self.taken = taken
        self.total = total
        self.overdue = overdue
        self.active = active
        self.extensions = extensions
    }

    /// Taken of planned today, 0 to 1; 1 when none is planned.
    package var progress: Double {
        total == 0 ? 1 : min(1, Double(taken) / Double(total))
    }
}
