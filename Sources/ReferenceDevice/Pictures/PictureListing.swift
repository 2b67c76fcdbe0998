/// The list of a phone's pictures, which a watch collects page by page. A picture that exists all
/// the time is on it, whatever else changes.
package struct PictureListing: Sendable {
    /// The next act of the watch.
    package enum Step: Equatable, Sendable {
        /// To ask for the page behind a medication; for the first one for nil.
        case ask(after: UInt128?)
        /// To tell the list. It is not fresh if it changed while it was collected.
        case done(isFresh: Bool)
    }

    /// The pictures that have come, in the order of their medications.
    package private(set) var pictures: [PictureMessage.Listed] = []
    /// The number of changes that the watch had heard of when it asked for the first page.
    private var changes: Int
    private var hasBegunAgain = false

    private static let longest = 1000

    /// Begins a list.
    ///
    /// - Parameter changes: the number of changes that the watch has heard of.
    package init(changes: Int) { self.changes = changes }

    /// Takes the next page. A list that changed meanwhile is begun again once.
    ///
    /// - Parameters:
    ///   - page: the pictures of the page.
    ///   - hasMore: whether the phone has more of them.
    ///   - changes: the number of changes that the watch has heard of.
    /// - Returns: nil for a page that is not in order; the phone is at fault.
    package mutating func take(
        _ page: [PictureMessage.Listed], hasMore: Bool, changes: Int
    ) -> Step? {
        for picture in page {
            if let last = pictures.last, last.medication >= picture.medication { return nil }
            pictures.append(picture)
        }
        if hasMore, !page.isEmpty, pictures.count < Self.longest {
            return .ask(after: pictures.last?.medication)
        }
        if changes == self.changes || hasBegunAgain {
            return .done(isFresh: changes == self.changes)
        }
        self = PictureListing(changes: changes)
        hasBegunAgain = true
        return .ask(after: nil)
    }
}
