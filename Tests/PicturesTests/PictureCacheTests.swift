import Foundation
import Testing
import WatchProtoTransport

@testable import PictureCoding
@testable import Pictures

/// The pictures that a watch holds.
@Suite final class PictureCacheTests {
    private let directory: String
    private let minute: UInt64 = 60_000

    init() throws {
        directory = NSTemporaryDirectory() + "pictures-\(UUID().uuidString)"
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private func cache(
        of pairing: UInt128 = 9, now: UInt64 = 0,
        _ change: (inout PictureCache.Limits) -> Void = { _ in }
    ) throws -> PictureCache {
        var limits = PictureCache.Limits()
        change(&limits)
        return try PictureCache(directory, of: pairing, limits: limits, now: now)
    }

    /// A picture as a watch asks for it.
    private func found(
        _ cache: inout PictureCache, _ name: PictureName, fitting side: Int = 96, now: UInt64 = 0
    ) -> PictureCache.Found? {
        switch cache.look(name, fitting: side, now: now) {
        case nil: return nil
        case .decoded(let found): return found
        case .file(let file):
            let found = PictureCache.decode(file, fitting: side)
            cache.decoded(file, found, fitting: side)
            return found
        }
    }

    private func jpeg(_ seed: UInt64 = 1, side: Int = 96) throws -> [UInt8] {
        try PictureWriter.jpeg(
            of: PictureFiles.made(side, side, grain: 9, seed: seed), quality: 70)
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }
    }

    @Test func a_picture_is_found_on_disk_then_in_memory_and_after_a_restart() throws {
        var cache = try cache()
        let name = PictureName(7, .thumbnail)
        #expect(found(&cache, name, now: 0) == nil)
        try cache.keep(try jpeg(), as: name, version: 3, now: 1000)
        let onDisk = found(&cache, name, now: 2000)
        let first = try #require(onDisk)
        #expect(!first.wasInMemory && first.version == 3 && first.age == .seconds(1))
        #expect(first.bitmap.width == 96)
        let inMemory = found(&cache, name, now: 2000)
        let second = try #require(inMemory)
        #expect(second.wasInMemory && second.bitmap == first.bitmap)
        // Another size of it is another decoded picture.
        #expect(found(&cache, name, fitting: 40, now: 2000)?.wasInMemory == false)
        #expect(cache.memoryBytes == 3 * (96 * 96 + 40 * 40))
        for found in [nil, first, second, second] { cache.count(found) }
        #expect(cache.counters.misses == 1 && cache.counters.diskHits == 1)
        #expect(cache.counters.memoryHits == 2)
        var again = try self.cache(now: 3000)
        #expect(found(&again, name, now: 3000)?.bitmap == first.bitmap)
        #expect(again.diskBytes == cache.diskBytes)
    }

    @Test func a_picture_is_fresh_for_five_minutes_and_when_it_is_confirmed() throws {
        var cache = try cache()
        let name = PictureName(7, .whole)
        try cache.keep(try jpeg(), as: name, version: 3, now: minute)
        func isFresh(_ now: UInt64) -> Bool? {
            let found = found(&cache, name, now: now)
            return found.map { cache.isFresh($0) }
        }
        #expect(isFresh(6 * minute - 1) == true)
        #expect(isFresh(6 * minute) == false)
        // A clock that was set back tells no age.
        #expect(isFresh(minute - 1) == false)
        cache.confirm(name, now: 6 * minute)
        #expect(isFresh(11 * minute - 1) == true)
        var again = try self.cache(now: 7 * minute)
        #expect(found(&again, name, now: 7 * minute)?.age == .seconds(60))
        // A file of it may end after its removal, in both sizes: the phone is asked.
        let now = 20 * minute
        cache.remove(medication: 7)
        for size in PictureSize.allCases {
            try cache.keep(try jpeg(), as: PictureName(7, size), version: 3, now: now)
            #expect(isFresh(now) != true)
        }
        #expect(isFresh(now) == false)
        cache.confirm(name, now: now)
        #expect(isFresh(now) == true)
        try cache.keep(try jpeg(), as: name, version: 4, now: now)
        #expect(isFresh(now) == true)
    }

    @Test func a_thumbnail_that_comes_twice_stays_decoded() throws {
        var cache = try cache()
        for name in [PictureName(7, .thumbnail), PictureName(7, .whole)] {
            try cache.keep(try jpeg(), as: name, version: 3, now: 0)
            _ = found(&cache, name)
            try cache.keep(try jpeg(), as: name, version: 3, now: 1)
            #expect(found(&cache, name, now: 1)?.wasInMemory == (name.size == .thumbnail))
        }
        #expect(try files.count == 2)
    }

    @Test func a_new_version_removes_the_pictures_of_the_former_one() throws {
        var cache = try cache()
        let (small, whole) = (PictureName(7, .thumbnail), PictureName(7, .whole))
        let other = PictureName(8, .whole)
        for name in [small, whole, other] {
            try cache.keep(try jpeg(), as: name, version: 3, now: 0)
            _ = found(&cache, name, now: 0)
        }
        try cache.keep(try jpeg(2), as: small, version: 4, now: 1)
        #expect(found(&cache, whole, now: 1) == nil)
        #expect(found(&cache, small, now: 1)?.wasInMemory == false)
        #expect(found(&cache, other, now: 1)?.wasInMemory == true)
        #expect(try files.count == 2)
        cache.remove(medication: 7)
        #expect(cache.names == [other])
        cache.removeAll()
        #expect(try files == [] && cache.memoryBytes == 0)
    }

    @Test func the_disk_is_bounded_by_count_bytes_and_age() throws {
        let bytes = try jpeg()
        var cache = try cache { limits in
            limits.count = 3
            limits.diskBytes = 3 * bytes.count + 2
        }
        for number in 1...5 {
            try cache.keep(
                bytes, as: PictureName(UInt128(number), .whole), version: 1, now: UInt64(number))
        }
        #expect(Set(cache.names.map(\.medication)) == [3, 4, 5])
        #expect(cache.counters.removed == (age: 0, count: 2, bytes: 0))
        // The oldest goes, which a confirmation makes young.
        cache.confirm(PictureName(3, .whole), now: 9)
        let large = try jpeg(3, side: 128)
        #expect(large.count > bytes.count + 2 && large.count < 2 * bytes.count)
        try cache.keep(large, as: PictureName(5, .whole), version: 1, now: 10)
        #expect(Set(cache.names.map(\.medication)) == [3, 5])
        #expect(cache.counters.removed == (age: 0, count: 2, bytes: 1))
        let month = UInt64(30 * 86_400_000)
        let later = try self.cache(now: 10 + month)
        #expect(later.names == [PictureName(5, .whole)])
        #expect(try files.count == 1)
    }

    @Test func memory_is_bounded_and_given_back() throws {
        var cache = try cache { $0.memoryBytes = 100_000 }
        for number in 1...5 {
            let name = PictureName(UInt128(number), number == 5 ? .thumbnail : .whole)
            try cache.keep(try jpeg(UInt64(number)), as: name, version: 1, now: 0)
            _ = found(&cache, name, now: 0)
            #expect(cache.memoryBytes <= 100_000)
        }
        // Three fit; the one that was used first has gone.
        #expect(cache.memoryBytes == 3 * 3 * 96 * 96)
        #expect(found(&cache, PictureName(3, .whole), now: 0)?.wasInMemory == true)
        let whole = cache.shed(all: false)
        #expect(whole == (2, 2 * 3 * 96 * 96))
        let all = cache.shed(all: true)
        #expect(all == (1, 3 * 96 * 96))
        #expect(cache.memoryBytes == 0)
    }

    /// Thumbnails reach the number before the bytes (issue 26, item 6).
    @Test func twenty_decoded_pictures_are_in_memory_at_most() throws {
        var cache = try cache()
        for number in 1...21 as ClosedRange<UInt128> {
            let name = PictureName(number, .thumbnail)
            try cache.keep(try jpeg(), as: name, version: 1, now: 0)
            _ = found(&cache, name)
        }
        #expect(cache.memoryBytes == 20 * 3 * 96 * 96 && cache.names.count == 21)
        #expect(found(&cache, PictureName(2, .thumbnail))?.wasInMemory == true)
        #expect(found(&cache, PictureName(1, .thumbnail))?.wasInMemory == false)
    }

    @Test func a_file_that_is_no_picture_is_a_picture_that_is_not_there() throws {
        var cache = try cache()
        let name = PictureName(7, .whole)
        try cache.keep(try jpeg(), as: name, version: 3, now: 0)
        let file = try #require(try files.first)
        try Data([1, 2, 3]).write(to: URL(filePath: "\(directory)/\(file)"))
        #expect(found(&cache, name, now: 0) == nil)
        #expect(cache.counters.unreadable == 1)
        #expect(cache.version(of: name) == nil)
        #expect(try files == [])
    }

    /// The directory may have files of somebody else.
    @Test func other_files_are_left_alone() throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        for name in ["holiday.jpg", "9-7-2-3-x.jpg", "9-7-2-3-5.txt", "9-7-9-3-5.jpg"] {
            try Data([1]).write(to: URL(filePath: "\(directory)/\(name)"))
        }
        var cache = try cache()
        #expect(cache.names.isEmpty)
        try cache.keep(try jpeg(), as: PictureName(7, .whole), version: 3, now: 0)
        cache.removeAll()
        #expect(try files.count == 4)
    }

    /// A process that ended between two steps leaves two versions at most.
    @Test func of_two_versions_the_younger_one_counts() throws {
        var cache = try cache()
        let name = PictureName(7, .whole)
        try cache.keep(try jpeg(1), as: name, version: 3, now: 5)
        let old = try #require(try files.first)
        let kept = try Data(contentsOf: URL(filePath: "\(directory)/\(old)"))
        try cache.keep(try jpeg(2), as: name, version: 4, now: 6)
        try kept.write(to: URL(filePath: "\(directory)/\(old)"))
        let again = try self.cache(now: 7)
        #expect(again.version(of: name) == 4)
        #expect(try files.count == 1)
    }

    @Test func the_pictures_of_another_pairing_are_removed() throws {
        var cache = try cache(of: 1)
        try cache.keep(try jpeg(), as: PictureName(7, .whole), version: 3, now: 5)
        var other = try self.cache(of: 2)
        #expect(other.names.isEmpty)
        #expect(try files == [])
        try other.keep(try jpeg(), as: PictureName(7, .whole), version: 3, now: 5)
        #expect(try self.cache(of: 2).names.count == 1)
    }

    /// The one that just came stays, whatever the clock says.
    @Test func a_clock_that_was_set_back_does_not_remove_the_newest() throws {
        var cache = try cache { $0.count = 2 }
        for number: UInt128 in 1...2 {
            try cache.keep(try jpeg(), as: PictureName(number, .whole), version: 1, now: 900)
        }
        try cache.keep(try jpeg(), as: PictureName(3, .whole), version: 1, now: 100)
        #expect(cache.names.count == 2 && cache.names.contains(PictureName(3, .whole)))
    }

    /// A picture that changes while it is decoded is not the one in memory.
    @Test func a_change_while_a_picture_is_decoded_counts() throws {
        var cache = try cache()
        let name = PictureName(7, .whole)
        try cache.keep(try jpeg(1), as: name, version: 3, now: 0)
        guard case .file(let file)? = cache.look(name, fitting: 96, now: 0) else {
            Issue.record("it was not decoded yet")
            return
        }
        let former = PictureCache.decode(file, fitting: 96)
        try cache.keep(try jpeg(2), as: name, version: 4, now: 1)
        cache.decoded(file, former, fitting: 96)
        let found = found(&cache, name, now: 1)
        #expect(found?.version == 4 && found?.bitmap != former?.bitmap)
        // Nor does a file that has gone remove the new one.
        cache.decoded(file, nil, fitting: 96)
        #expect(cache.version(of: name) == 4)
    }
}
