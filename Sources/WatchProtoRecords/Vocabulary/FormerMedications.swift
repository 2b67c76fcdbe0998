/// The parts of the medications that a coding had before.
struct FormerMedications: Sendable {
    /// At the start of a coding.
    static let none = FormerMedications()

    var slotCount = AdaptiveNumber([4, 10, 7, 4, 2, 1, 1, 1, 1])
    var slots = Array(repeating: FormerValues<DoseSlots>(), count: DoseSlots.largestCount + 1)
    var hasUnusualDays = [AdaptiveFlag(90, 1), AdaptiveFlag(9, 1)]
    var flags: [AdaptiveFlag] = [
        AdaptiveFlag(1, 9), AdaptiveFlag(12, 1), AdaptiveFlag(60, 1), AdaptiveFlag(40, 1),
        AdaptiveFlag(20, 1), AdaptiveFlag(7, 1), AdaptiveFlag(9, 1), AdaptiveFlag(250, 1),
    ]
    /// Whether a medication without times is taken as needed.
    var asNeeded = AdaptiveFlag(1, 2)
    var form = FormerValues<UInt8>(2, 1)
    var hasAmount = AdaptiveFlag(2, 1)
    var amounts: [UInt8: FormerValues<Amount>] = [:]
    var lastEdit: Int64?
    var isLastEdit = AdaptiveFlag(1, 8)
    var editGrain = AdaptiveNumber([14, 3, 3, 1])
    var isFuture = AdaptiveFlag(3, 1)
    var editAge = TimeAges.lengths.map { AdaptiveNumber($0) }
    var revision = AdaptiveNumber(Self.revisionLengths)
    var color = FormerValues<UInt32>()
    var hasNext = [AdaptiveFlag(5, 1), AdaptiveFlag(1, 20)]
    var isOnSlot = AdaptiveFlag(2, 3)
    var hasExtensions = AdaptiveFlag(3, 1)
    var names = FormerValues<ExactText>()
    var strengths = FormerValues<ExactText>()
    var sentenceCount = AdaptiveNumber([8, 20, 12, 4, 1, 1, 1, 1])
    var sentences = FormerValues<ExactText>()

    static let revisionLengths: [UInt16] =
        [1, 40, 5, 5, 5, 5, 7, 9, 10, 4, 4, 4, 4, 7, 10, 16, 24, 12]
        + Array(repeating: 1, count: 15)
}
