import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

/// A window that accepts each number once.
private protocol Window {
    init()
    mutating func take(_ number: UInt64) -> Bool
}

extension ReplayWindow: Window {
    fileprivate mutating func take(_ number: UInt64) -> Bool {
        guard accepts(number) else { return false }
        insert(number)
        return true
    }
}

/// The promise of a window, in its plainest form.
private struct Model: Window {
    var seen: Set<UInt64> = []
    var largest: UInt64?

    mutating func take(_ number: UInt64) -> Bool {
        if let largest, largest >= number, largest - number >= ReplayWindow.width { return false }
        largest = max(largest ?? 0, number)
        return seen.insert(number).inserted
    }
}

/// Planted: one number too many counts as new.
private struct OneTooWide: Window {
    var window = ReplayWindow()

    mutating func take(_ number: UInt64) -> Bool {
        if let largest = window.largest, largest >= number,
            largest - number == ReplayWindow.width
        {
            return true
        }
        return window.take(number)
    }
}

/// Planted: one number too few.
private struct OneTooNarrow: Window {
    var window = ReplayWindow()

    mutating func take(_ number: UInt64) -> Bool {
        if let largest = window.largest, largest >= number,
            largest - number == ReplayWindow.width - 1
        {
            return false
        }
        return window.take(number)
    }
}

/// Planted: the largest number may come twice.
private struct LargestTwice: Window {
    var window = ReplayWindow()

    mutating func take(_ number: UInt64) -> Bool { number == window.largest || window.take(number) }
}

@Suite struct ReplayWindowTests {
    /// The first number of a random sequence on which a window and the model differ.
    private static func disagreement<Some: Window>(_: Some.Type, seed: UInt64) -> UInt64? {
        var generator = SeededGenerator(seed: seed)
        var window = Some()
        var model = Model()
        var front: UInt64 = seed.isMultiple(of: 3) ? .max / 2 : 0
        let width = ReplayWindow.width
        for _ in 0..<3000 {
            switch generator.uniform(in: 0...9) {
            case 0: front += generator.uniform(in: 1...(2 * width))
            case 1, 2, 3: front += 1
            case 4: front += 64 - front % 64
            default: break
            }
            let back: UInt64
            switch generator.uniform(in: 0...4) {
            case 0: back = generator.uniform(in: (width - 2)...(width + 2))
            case 1: back = generator.uniform(in: 0...(2 * width))
            case 2: back = 0
            default: back = generator.uniform(in: 0...70)
            }
            let number = front - min(front, back)
            if window.take(number) != model.take(number) { return number }
        }
        return nil
    }

    @Test func it_does_what_the_model_does() {
        for seed in 0..<40 as Range<UInt64> {
            #expect(Self.disagreement(ReplayWindow.self, seed: seed) == nil, "seed \(seed)")
        }
    }

    @Test func planted_faults_are_caught() {
        #expect(Self.disagreement(OneTooWide.self, seed: 1) != nil)
        #expect(Self.disagreement(OneTooNarrow.self, seed: 1) != nil)
        #expect(Self.disagreement(LargestTwice.self, seed: 1) != nil)
    }

    @Test func its_borders_are_exact() {
        #expect(ReplayWindow.width >= 2048)
        var window = ReplayWindow()
        window.insert(10_000)
        #expect(!window.accepts(10_000))
        #expect(!window.accepts(10_000 - ReplayWindow.width))
        #expect(window.accepts(10_000 - ReplayWindow.width + 1))
        #expect(window.accepts(.max))
        window.insert(.max)
        #expect(!window.accepts(.max))
        #expect(window.accepts(.max - 1))
        #expect(!window.accepts(10_001))
    }

    @Test func the_first_number_may_be_any() {
        for first in [0, 1, 63, 64, 1 << 40] as [UInt64] {
            var window = ReplayWindow()
            #expect(window.accepts(first))
            window.insert(first)
            #expect(!window.accepts(first))
            #expect(first == 0 || window.accepts(first - 1))
        }
    }
}
