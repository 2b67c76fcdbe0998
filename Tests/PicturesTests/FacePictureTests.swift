import Foundation
import Testing
import WatchProtoCore

@testable import PictureCoding
@testable import Pictures

/// The choice of the picture for a watch's face.
@Suite final class FacePictureTests {
    private let directory = NSTemporaryDirectory() + "faces-\(UUID().uuidString)"
    private var cache: PictureCache?
    private var face = FacePicture()
    private let (small, whole) = (PictureName(7, .thumbnail), PictureName(7, .whole))
    private var milliseconds: UInt64 = 0

    init() throws { cache = try PictureCache(directory, of: 9, now: 0) }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private var now: Instant { Self.moment(milliseconds) }

    private static func moment(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    private func keep(_ name: PictureName, version: UInt64) throws {
        let side = name.size == .whole ? 120 : 96
        let jpeg = try PictureWriter.jpeg(
            of: PictureFiles.made(side, side, seed: version), quality: 70)
        try cache?.keep(jpeg, as: name, version: version, now: milliseconds)
    }

    /// Chooses, and does the reading that the choice asks for. Returns the work in words.
    private func choose(reads: Bool = true) -> [String] {
        var words: [String] = []
        for need in face.choose(from: &cache, at: now, wall: milliseconds) {
            switch need {
            case .ask(let name): words.append("ask \(name.medication) \(name.size)")
            case .read(let file, let side):
                words.append("read \(side)")
                guard reads else { continue }
                let found = PictureCache.decode(file, fitting: side)
                cache?.decoded(file, found, fitting: side)
            }
        }
        return words
    }

    private func name(_ medication: UInt128?) { face.name(medication, at: now) }

    @Test func a_face_that_names_no_medication_has_no_picture() throws {
        try keep(small, version: 3)
        #expect(choose() == [] && face.shown == nil)
        name(7)
        #expect(choose() == ["read 96"] && choose() == [])
        #expect(face.shown?.version == 3)
        name(nil)
        #expect(face.shown == nil && face.isNew)
        #expect(choose() == [] && face.take() == nil && !face.isNew)
    }

    @Test func one_in_memory_is_shown_at_once_and_one_on_disk_when_it_is_read() throws {
        try keep(small, version: 3)
        name(7)
        #expect(choose(reads: false) == ["read 96"])
        #expect(face.take() == nil && !face.isNew)
        #expect(choose() == ["read 96"])
        milliseconds = 30
        #expect(choose() == [] && face.isNew)
        let taken = face.take()
        let shown = try #require(taken)
        #expect(shown.name == small && shown.version == 3)
        #expect(shown.updated == Self.moment(0) && shown.wait == nil)
        #expect(shown.bitmap.width == 96 && !face.isNew)
        // Another medication, and this one again: it is in memory.
        name(8)
        #expect(choose() == ["ask 8 thumbnail"] && face.take() == nil)
        name(7)
        #expect(choose() == [] && face.take()?.version == 3)
        #expect(face.shown?.updated == Self.moment(30))
        // Memory that is given back takes nothing from the face.
        _ = cache?.shed(all: true)
        #expect(choose() == [] && face.shown?.version == 3)
    }

    @Test func one_that_is_absent_is_asked_for_once_and_shown_when_it_came() throws {
        name(7)
        #expect(choose() == ["ask 7 thumbnail"] && choose() == [])
        milliseconds = 299_999
        #expect(choose() == [])
        // The question failed, or it is a while ago.
        face.notAsked(small)
        #expect(choose() == ["ask 7 thumbnail"])
        milliseconds += 300_000
        #expect(choose() == ["ask 7 thumbnail"])
        milliseconds += 40
        try keep(small, version: 5)
        face.came(of: 7, isAwaited: true, at: now)
        #expect(choose() == ["read 96"] && choose() == [] && face.shown?.version == 5)
        #expect(face.shown?.updated == Self.moment(0))
    }

    /// Each size of an opened medication is asked for once.
    @Test func an_open_one_without_a_picture_is_asked_for_once() throws {
        name(7)
        face.open(true, at: now)
        #expect(choose() == ["ask 7 whole", "ask 7 thumbnail"] && choose() == [])
        cache?.remove(medication: 7)
        #expect(choose() == [])
        // A medication in between does not count as an answer.
        name(nil)
        name(7)
        #expect(choose() == [])
    }

    /// The time counts from a picture that nobody waited for.
    @Test func a_change_and_a_removal_change_the_face() throws {
        try keep(small, version: 3)
        name(7)
        _ = choose()
        _ = choose()
        #expect(face.take()?.version == 3)
        milliseconds = 5000
        try keep(small, version: 4)
        face.came(of: 7, isAwaited: false, at: now)
        face.came(of: 8, isAwaited: false, at: Instant(nanoseconds: 0))
        #expect(choose() == ["read 96"] && face.shown == nil && face.isNew)
        milliseconds = 5002
        #expect(choose() == [] && face.take()?.version == 4)
        #expect(face.shown?.updated == Self.moment(5000))
        cache?.remove(medication: 7)
        #expect(choose() == ["ask 7 thumbnail"])
        #expect(face.isNew && face.take() == nil)
    }

    @Test func another_phone_s_picture_is_not_shown() throws {
        try keep(small, version: 3)
        name(7)
        _ = choose()
        _ = choose()
        #expect(face.shown?.version == 3)
        // The pairing has ended.
        cache = nil
        #expect(choose() == [] && face.shown == nil)
        cache = try PictureCache(directory, of: 10, now: milliseconds)
        #expect(choose() == ["ask 7 thumbnail"] && face.shown == nil)
    }

    @Test func an_opened_medication_has_its_whole_picture() throws {
        try keep(small, version: 3)
        face.open(true, at: now)
        #expect(!face.isOpen)
        name(7)
        _ = choose()
        _ = choose()
        milliseconds = 100
        face.open(true, at: now)
        // The thumbnail stays until the whole picture is there.
        #expect(choose() == ["ask 7 whole"] && face.shown?.name == small)
        try keep(whole, version: 3)
        #expect(choose() == ["read 400"] && face.shown?.name == small)
        milliseconds = 107
        #expect(choose() == [] && face.take()?.name == whole)
        #expect(face.shown?.updated == Self.moment(100) && face.shown?.bitmap.width == 120)
        // A new version: both are asked for and read anew.
        try keep(small, version: 4)
        face.came(of: 7, isAwaited: false, at: now)
        #expect(choose() == ["ask 7 whole", "read 96"] && face.shown == nil)
        #expect(choose() == [] && face.shown?.name == small && face.shown?.version == 4)
        face.open(false, at: now)
        #expect(choose() == [] && face.shown?.name == small)
        // Another medication is not open.
        face.open(true, at: now)
        name(8)
        #expect(!face.isOpen)
    }

    @Test func one_of_five_minutes_ago_is_shown_and_asked_for() throws {
        try keep(small, version: 3)
        milliseconds = 300_000
        name(7)
        #expect(choose() == ["read 96"])
        #expect(choose() == ["ask 7 thumbnail"] && face.shown?.version == 3)
        #expect(choose() == [])
    }

    @Test func a_file_that_is_no_picture_is_asked_for() throws {
        try keep(small, version: 3)
        name(7)
        let file = try #require(
            try FileManager.default.contentsOfDirectory(atPath: directory).first)
        try Data([1, 2, 3]).write(to: URL(filePath: "\(directory)/\(file)"))
        #expect(choose() == ["read 96"] && choose() == ["ask 7 thumbnail"])
        #expect(face.shown == nil)
    }
}
