import Testing

@testable import ReferenceDevice

/// The pages of a list of pictures.
@Suite struct PictureListingTests {
    /// A phone with pictures of the medications 1 to `count`.
    private func phone(_ count: UInt64) -> [UInt128: UInt64] {
        Dictionary(uniqueKeysWithValues: (1...count).map { (UInt128($0), $0 + 100) })
    }

    /// Collects a list; `change` is called before each page but the first one, and returns the
    /// changes that the watch has heard of.
    private func collect(
        _ versions: inout [UInt128: UInt64],
        _ change: (_ page: Int, inout [UInt128: UInt64]) -> Int = { _, _ in 0 }
    ) throws -> (listed: [UInt128: UInt64], isFresh: Bool, pages: Int) {
        var listing = PictureListing(changes: 0)
        var (after, pages, changes): (UInt128?, Int, Int) = (nil, 0, 0)
        while true {
            if pages > 0 { changes = change(pages, &versions) }
            pages += 1
            let reply = PictureMessage.Reply.page(of: versions, after: after)
            guard case .list(let page, let hasMore) = reply else {
                Issue.record("no list: \(reply)")
                return ([:], false, pages)
            }
            let step = listing.add(page, hasMore: hasMore, changes: changes)
            switch try #require(step) {
            case .ask(let next): after = next
            case .done(let isFresh):
                let listed = listing.pictures.map { ($0.medication, $0.version) }
                return (Dictionary(uniqueKeysWithValues: listed), isFresh, pages)
            }
        }
    }

    @Test(arguments: [1, 19, 20, 21, 40, 60] as [UInt64])
    func `A list has each picture once`(count: UInt64) throws {
        var versions = phone(count)
        let (listed, isFresh, pages) = try collect(&versions)
        #expect(listed == phone(count) && isFresh)
        #expect(pages == Int(count + 19) / 20)
        var none: [UInt128: UInt64] = [:]
        #expect(try collect(&none).listed.isEmpty)
    }

    @Test func `A list of more pictures than it holds is cut off, and says so`() throws {
        for versions in [phone(1000), phone(1001)] {
            var listing = PictureListing(changes: 0)
            var step: PictureListing.Step? = .ask(after: nil)
            while case .ask(let after) = step {
                guard
                    case .list(let page, let more) = PictureMessage.Reply.page(
                        of: versions, after: after)
                else { break }
                step = listing.add(page, hasMore: more, changes: 0)
            }
            #expect(step == .done(isFresh: versions.count == 1000))
            #expect(listing.pictures.count == 1000 && listing.isCutOff == (versions.count > 1000))
        }
    }

    /// The watch has not heard of it.
    @Test func `A removal between two pages hides no other picture`() throws {
        var versions = phone(60)
        let (listed, _, _) = try collect(&versions) { page, versions in
            if page == 1 { for key in 1...15 as ClosedRange<UInt128> { versions[key] = nil } }
            return 0
        }
        for key in 16...60 as ClosedRange<UInt128> { #expect(listed[key] != nil, "\(key)") }
    }

    @Test func `A list that changed is begun again once, and then is not fresh`() throws {
        var versions = phone(60)
        let (listed, isFresh, pages) = try collect(&versions) { page, versions in
            if page == 1 { for key in 1...15 as ClosedRange<UInt128> { versions[key] = nil } }
            return 1
        }
        #expect(listed == versions && listed.count == 45 && isFresh && pages == 6)
        let unsteady = try collect(&versions) { page, _ in page }
        #expect(!unsteady.isFresh && unsteady.listed == versions && unsteady.pages == 6)
    }

    @Test func `A page that is not in order is refused`() {
        var listing = PictureListing(changes: 0)
        let page = [3, 4].map { PictureMessage.Listed($0, 1) }
        #expect(listing.add(page, hasMore: true, changes: 0) == .ask(after: 4))
        #expect(listing.add(page, hasMore: true, changes: 0) == nil)
        let twice = [PictureMessage.Listed(9, 1), PictureMessage.Listed(9, 1)]
        #expect(listing.add(twice, hasMore: false, changes: 0) == nil)
    }

    @Test func `A question for a page keeps its medication`() {
        for after in [nil, 0, 7, .max] as [UInt128?] {
            let request = PictureMessage.Request.list(after: after)
            #expect(PictureMessage.Request(request.bytes) == request)
        }
        #expect(PictureMessage.Request([3, 1]) == nil)
        #expect(PictureMessage.Request([2, 0]) == nil)
    }
}
