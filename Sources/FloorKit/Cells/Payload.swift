import WatchProto

/// What the simulated phone sends.
enum Payload {
    private static let names = [
        "Lisinopril", "Metoprolol", "Apixaban", "Levothyroxine", "Atorvastatin", "Metformin",
        "Amlodipine", "Pantoprazole",
    ]
    private static let amounts = ["1 × 10 mg", "2 × 5 mg", "½ tablet", "1 × 850 mg"]

    /// The face after change `number`, in its canonical encoding: a dose was taken, and another
    /// medication is next. No two neighbours are alike.
    static func complication(_ number: Int) -> [UInt8] {
        let state = ComplicationState(
            name: names[number % names.count], amountText: amounts[number % amounts.count],
            color: UInt32(truncatingIfNeeded: (number % names.count) &* 0x2157_8100) | 0xFF,
            nextDose: WallMinute(minutes: Int32(truncatingIfNeeded: 3_000_000 + 480 * number)),
            taken: UInt8(number % 7), total: 7, overdue: UInt8(number % 11 == 0 ? 1 : 0),
            active: 8)
        guard let bytes = try? state.encoded() else { preconditionFailure("a face of no size") }
        return bytes
    }

    /// `count` bytes that do not get smaller, and are alike in no two records.
    static func bytes(_ number: UInt64, count: Int) -> [UInt8] {
        var random = SeededGenerator(seed: number)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let word = random.next()
            for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * place))) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
