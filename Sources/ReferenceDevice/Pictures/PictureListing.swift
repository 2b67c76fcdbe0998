/// The list of a phone's pictures, which a watch collects page by page. A picture that exists all
/// the time is on it, whatever else changes, unless the phone has more than ``longest``.
package struct PictureListing: Sendable {
    /// The next act of the watch.
    package enum Step: Equatable, Sendable {
        /// To ask for the page behind a medication; for the first one for nil.
        case ask(after: UInt128?)
        /// To reply with the list. It is not fresh if it changed while it was collected, or if
        /// the phone has more pictures than it lists.
        case done(isFresh: Bool)
    }

    /// The pictures that have come, in the order of their medications.
    package private(set) var pictures: [PictureMessage.Listed] = []
    /// The number of changes that the watch had heard of when it asked for the first page.
    private var changes: Int
    private var hasBegunAgain = false

    /// Whether the phone has more pictures than the list.
    package private(set) var isCutOff = false

    /// The pictures after which a list is cut off, so that no phone fills the watch's memory.
    package static let longest = 1000

    /// Begins a list.
    ///
    /// - Parameter changes: the number of changes that the watch has heard of.
    package init(changes: Int) { self.changes = changes }

    /// Adds the next page. A list that changed meanwhile is begun again once.
    ///
    /// - Parameters:
    ///   - page: the pictures of the page.
    ///   - hasMore: whether the phone has more of them.
    ///   - changes: the number of changes that the watch has heard of.
    /// - Returns: nil for a page that is not in order; the phone is at fault.
    package mutating func add(
        _ page: [PictureMessage.Listed], hasMore: Bool, changes: Int
    ) -> Step? {
        for picture in page {
            if let last = pictures.last, last.medication >= picture.medication { return nil }
            pictures.append(picture)
        }
        if hasMore, !page.isEmpty, pictures.count < Self.longest {
            return .ask(after: pictures.last?.medication)
        }
        isCutOff = hasMore
        if isCutOff { return .done(isFresh: false) }
        if changes == self.changes || hasBegunAgain {
            return .done(isFresh: changes == self.changes)
        }
        self = PictureListing(changes: changes)
        hasBegunAgain = true
        return .ask(after: nil)
    }
}
