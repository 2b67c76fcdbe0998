import CommandLine
import ControlProtocol
import ReferenceDevice
import Reports
import WatchProtoCore
import WatchProtoRecords

/// A local time on the command line: `08:15` of today, or `2026-11-27T08:15`.
struct LocalMinute: ArgumentValue {
    /// The date in days since 2020-01-01; nil for the present one.
    let day: Int?
    /// Minutes since midnight.
    let minute: Int

    /// The time of invented faces: half past nine, so that their doses are on the same day.
    static let ofInvented = try? LocalMinute(argument: "09:30")

    init(argument: String) throws(ArgumentFault) {
        let parts = argument.split(separator: "T", omittingEmptySubsequences: false)
        let date = parts.count == 2 ? LocalDate(parts[0]) : nil
        guard parts.count <= 2, parts.count == 1 || date != nil,
            let minute = parts.last.flatMap({ MinuteOfDay.parse(String($0)) })
        else {
            throw ArgumentFault("it must be a local time such as 08:15 or 2026-11-27T08:15")
        }
        self.minute = minute
        day = date.map { $0.daysSince1970 - Int(RecordBase.milliseconds / 86_400_000) }
        // Minutes since 2020 have 32 bits.
        guard abs(day ?? 0) < 1_000_000 else { throw ArgumentFault("the date is too far away") }
    }

    var argumentText: String {
        let clock = MinuteOfDay.text(minute)
        guard let day else { return clock }
        let base = Int(RecordBase.milliseconds / 86_400_000)
        return "\(LocalDate(daysSince1970: day + base))T\(clock)"
    }

    /// The moment.
    ///
    /// - Parameters:
    ///   - now: the present minute.
    ///   - zone: the offsets of local time.
    func moment(now: WallMinute, _ zone: (WallMinute) -> ZoneOffset) -> WallMinute {
        let day = day ?? ZoneTimeline(zone(now)).day(at: now)
        let local = day * DoseSlots.minutesPerDay + minute
        // The offset at about that moment, and then at the moment that follows from it.
        let first = WallMinute(minutes: Int32(clamping: local - Int(zone(now).minutes)))
        let second = WallMinute(minutes: Int32(clamping: local - Int(zone(first).minutes)))
        return WallMinute(minutes: Int32(clamping: local - Int(zone(second).minutes)))
    }
}

/// An offset of local time on the command line: `+01:00`, `-05:30` or `utc`.
struct ZoneArgument: ArgumentValue {
    let offset: ZoneOffset

    init(argument: String) throws(ArgumentFault) {
        if ["utc", "UTC", "Z"].contains(argument) {
            offset = .utc
            return
        }
        guard let sign = argument.first, sign == "+" || sign == "-",
            let minutes = MinuteOfDay.parse(String(argument.dropFirst())),
            let offset = ZoneOffset(minutes: sign == "-" ? -minutes : minutes)
        else { throw ArgumentFault("it must be an offset from UTC such as +01:00, or utc") }
        self.offset = offset
    }

    var argumentText: String {
        let minutes = Int(offset.minutes)
        return (minutes < 0 ? "-" : "+") + MinuteOfDay.text(abs(minutes))
    }
}

/// A moment of the last comparison of the ledgers: a local time, or never.
struct CheckArgument: ArgumentValue {
    /// The time; nil for never.
    let time: LocalMinute?

    init(argument: String) throws(ArgumentFault) {
        do throws(ArgumentFault) {
            time = argument == "never" ? nil : try LocalMinute(argument: argument)
        } catch {
            throw ArgumentFault("\(error.reason), or never")
        }
    }

    var argumentText: String { time?.argumentText ?? "never" }
}

/// The families on the command line: one, or all.
enum FamilyChoice: String, ArgumentChoice {
    case circular, rectangular, inline, corner, all

    /// The families.
    var families: [FaceFamily] {
        switch self {
        case .circular: [.circular]
        case .rectangular: [.rectangular]
        case .inline: [.inline]
        case .corner: [.corner]
        case .all: FaceFamily.allCases
        }
    }
}

/// An accent colour on the command line: `#64D2FF`.
struct ColorArgument: ArgumentValue {
    let bits: UInt32

    init(argument: String) throws(ArgumentFault) {
        let digits = argument.dropFirst()
        guard argument.first == "#", digits.utf8.count == 6,
            digits.allSatisfy({ $0.isASCII && $0.isHexDigit }), let bits = UInt32(digits, radix: 16)
        else { throw ArgumentFault("it must be a colour such as '#64D2FF'") }
        self.bits = bits
    }

    var argumentText: String { FaceColor(bits).hex }
}
