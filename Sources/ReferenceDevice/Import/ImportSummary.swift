package import ControlProtocol
package import WatchProto

/// The findings of an import in a well-formed file.
package struct ImportSummary: Hashable, Sendable {
    /// The detected format of the file.
    package enum Format: String, Hashable, Sendable, CaseIterable {
        /// The project's own list.
        case plainList = "plain list"
        /// One FHIR R4 Bundle.
        case fhirBundle = "FHIR bundle"
        /// One FHIR R4 resource, or an array of them.
        case fhirResource = "FHIR resource"
        /// A FHIR R4 resource per line.
        case fhirLines = "FHIR lines"
    }

    /// Why something well formed was not imported.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// It says of itself that it was entered in error.
        case enteredInError = "entered in error"
        /// An order not to give the medicine.
        case doNotPerform = "an order not to give it"
        /// A draft, a proposal or a plan, not an order.
        case notAnOrder = "not an order"
        /// It names no medicine, or refers to one that is not in the file.
        case noMedication = "no medication"
        /// Its amount is in a unit that is not known.
        case unknownUnit = "unknown unit"
        /// Its amount is not a number that can be stored exactly.
        case unusableAmount = "unusable amount"
        /// An equal record stands earlier in the file.
        case duplicate = "duplicate"
        /// The file holds a newer version of the same resource.
        case olderVersion = "older version"
        /// A dose that was not given completely: it is under way, on hold or stopped.
        case notCompleted = "not completed"
        /// It has no identifier, so that a second import would count it again.
        case noIdentifier = "no identifier"
        /// It does not say on which day it was.
        case noTime = "no time"
        /// The watch's record cannot hold it without cutting what must not be cut.
        case doesNotFit = "does not fit a watch"
    }

    /// Something that was left out.
    package struct Skip: Hashable, Sendable {
        /// Why it was left out.
        package var reason: Reason
        /// Where it stands in the file.
        package var position: JSONPosition
        /// The name by which messages refer to it.
        package var subject: String
        /// More about the reason.
        package var detail: String

        /// Makes the note.
        package init(reason: Reason, position: JSONPosition, subject: String, detail: String) {
            self.reason = reason
            self.position = position
            self.subject = subject
            self.detail = detail
        }
    }

    /// Something that was imported, but not quite as written.
    package struct Warning: Hashable, Sendable {
        /// Where it stands in the file.
        package var position: JSONPosition
        /// The name by which messages refer to it.
        package var subject: String
        /// The text of the warning.
        package var text: String

        /// Makes the note.
        package init(position: JSONPosition, subject: String, text: String) {
            self.position = position
            self.subject = subject
            self.text = text
        }
    }

    /// How many of something there are.
    package struct Count: Hashable, Sendable {
        /// The name of the counted things.
        package var name: String
        /// How many there are.
        package var count: Int
    }

    /// The file as its user named it.
    package var file: String
    /// The detected format of the file.
    package var format: Format
    /// The imported medications, in the file's order.
    package var medications = MedicationList()
    /// The dose events that were read, in the file's order.
    package var doses: [DoseEvent] = []
    /// The faults of the resources that a partial import left out, in the file's order.
    package var faults: [JSONError] = []
    /// The elements that were left out, in the file's order.
    package var skips: [Skip] = []
    /// Notes on elements that were imported, but not quite as written, in the file's order.
    package var warnings: [Warning] = []
    /// The number of faults that are not listed, because there are too many.
    package var omittedFaults = 0
    private var omittedSkips: [Reason: Int] = [:]
    private var omittedWarnings = 0
    /// Resources that are no orders or statements of medication, by type, in the order met.
    package private(set) var otherResources: [Count] = []
    private var otherPlaces: [String: Int] = [:]

    /// Makes the summary of a file in which nothing was found yet.
    package init(file: String, format: Format) {
        self.file = file
        self.format = format
    }

    mutating func skip(
        _ reason: Reason, _ subject: String, at position: JSONPosition, detail: String = ""
    ) {
        skips.append(Skip(reason: reason, position: position, subject: subject, detail: detail))
    }

    mutating func warn(_ text: String, _ subject: String, at position: JSONPosition) {
        warnings.append(Warning(position: position, subject: subject, text: text))
    }

    /// Counts a resource of a type that this import does not read.
    mutating func countOther(_ type: String) {
        if let place = otherPlaces[type] {
            otherResources[place].count += 1
        } else {
            otherPlaces[type] = otherResources.count
            otherResources.append(Count(name: type, count: 1))
        }
    }

    /// Puts skips and warnings into the order of the file. Of more than ``keptCount`` the later
    /// ones are only counted.
    mutating func order() {
        skips.sort { $0.position < $1.position }
        warnings.sort { $0.position < $1.position }
        for skip in skips.dropFirst(Self.keptCount) { omittedSkips[skip.reason, default: 0] += 1 }
        skips.removeLast(max(0, skips.count - Self.keptCount))
        omittedWarnings += max(0, warnings.count - Self.keptCount)
        warnings.removeLast(max(0, warnings.count - Self.keptCount))
    }

    /// Whether a list has grown so long that ``order()`` shortens it.
    var isLong: Bool { max(skips.count, warnings.count) >= 2 * Self.keptCount }

    /// The number of things that were left out.
    package var skipCount: Int { skips.count + omittedSkips.values.reduce(0, +) }
    /// The number of things that were imported, but not quite as written.
    package var warningCount: Int { warnings.count + omittedWarnings }

    /// How many were skipped for each reason, in the order of ``Reason``.
    package var skipCounts: [Count] {
        Reason.allCases.compactMap { reason in
            let count = skips.count { $0.reason == reason } + omittedSkips[reason, default: 0]
            return count > 0 ? Count(name: reason.rawValue, count: count) : nil
        }
    }
}

extension ImportSummary: CustomStringConvertible {
    /// One line: `list.json: plain list, 200 imported, 2 skipped (duplicate 2), 1 warning`.
    package var description: String {
        var text = "\(file): \(format.rawValue), \(medications.count + doses.count) imported"
        if !faults.isEmpty { text += ", \(faults.count + omittedFaults) faults" }
        if !skips.isEmpty {
            let reasons = skipCounts.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
            text += ", \(skipCount) skipped (\(reasons))"
        }
        if !warnings.isEmpty {
            text += ", \(warningCount) \(warningCount == 1 ? "warning" : "warnings")"
        }
        let others = otherResources.reduce(0) { $0 + $1.count }
        if others > 0 { text += ", \(others) other resources passed over" }
        return text
    }

    /// ``description``, then a line for each skip and each warning, at most 100 of either; long
    /// quotations of the file are cut.
    package var details: String {
        var lines = [description]
        for skip in skips.prefix(Self.shownCount) { lines.append(line(of: skip)) }
        if skipCount > Self.shownCount {
            lines.append("and \(skipCount - Self.shownCount) more skipped")
        }
        for warning in warnings.prefix(Self.shownCount) {
            lines.append(
                "\(file):\(warning.position): '\(Excerpt.of(warning.subject))': "
                    + Excerpt.of(warning.text, limit: 200))
        }
        if warningCount > Self.shownCount {
            lines.append("and \(warningCount - Self.shownCount) more warnings")
        }
        return lines.joined(separator: "\n")
    }

    private func line(of skip: Skip) -> String {
        let detail = Excerpt.of(skip.detail, limit: 200)
        return "\(file):\(skip.position): skipped '\(Excerpt.of(skip.subject))': "
            + skip.reason.rawValue + (detail.isEmpty ? "" : " (\(detail))")
    }

    /// A line for each medication that the phone cannot have. Records that are void, no orders or
    /// repeated are not among them.
    package var refused: [String] {
        let reasons: [Reason] = [.noMedication, .unknownUnit, .unusableAmount, .doesNotFit]
        return skips.filter { reasons.contains($0.reason) }.map { line(of: $0) }
    }

    /// How many lines of one sort a text about a file holds; more would only bury the first.
    static let shownCount = 100
    /// The most skips, warnings and faults of a long file of doses that are in memory.
    static let keptCount = 1000
}
