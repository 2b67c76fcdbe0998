/// A moment at which the power goes, and what the disk holds then: `87:drop`.
package struct CrashPoint: Hashable, Sendable, LosslessStringConvertible {
    /// After how many calls of the disk the power goes.
    package var callCount: Int
    /// The fate of the calls that no sync has covered.
    package var fate: DiskImage.Fate

    init(_ callCount: Int, _ fate: DiskImage.Fate) {
        self.callCount = callCount
        self.fate = fate
    }

    /// `87:keep`, `87:drop`, or `87:tear=` and a number in hexadecimal digits.
    package var description: String {
        switch fate {
        case .keepAll: "\(callCount):keep"
        case .dropUnsynced: "\(callCount):drop"
        case .tear(let seed): "\(callCount):tear=\(String(seed, radix: 16))"
        }
    }

    /// Reads such a text; nil where it is none.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), count >= 0 else { return nil }
        switch parts[1] {
        case "keep": self.init(count, .keepAll)
        case "drop": self.init(count, .dropUnsynced)
        default:
            guard parts[1].hasPrefix("tear="), let seed = UInt64(parts[1].dropFirst(5), radix: 16)
            else { return nil }
            self.init(count, .tear(seed: seed))
        }
    }
}

/// All events planted in a run: a call that fails, the moment of a crash, and the moment of another
/// crash while the journal recovers from the first. Absent events are left out: `87:drop`,
/// `87:drop,12:keep`, `io:any:13:forever`, `full:any:13,57:tear=1f3a`.
package struct CrashPlace: Hashable, Sendable, LosslessStringConvertible {
    /// The call that fails.
    package var fault: DiskFault?
    /// The crash, and the one while recovering from it.
    package var points: [CrashPoint]

    init(fault: DiskFault? = nil, _ points: [CrashPoint] = []) {
        self.fault = fault
        self.points = points
    }

    /// The parts, commas between.
    package var description: String {
        ([fault?.description].compactMap { $0 } + points.map(\.description))
            .joined(separator: ",")
    }

    /// Reads such a text; nil where it is none.
    package init?(_ text: String) {
        var parts = text.split(separator: ",", omittingEmptySubsequences: false)[...]
        let fault = parts.first.flatMap { DiskFault(String($0)) }
        if fault != nil { parts.removeFirst() }
        let points = parts.compactMap { CrashPoint(String($0)) }
        guard points.count == parts.count, points.count <= 2, fault != nil || !points.isEmpty
        else { return nil }
        self.init(fault: fault, points)
    }
}
