/// The three texts of a medication's encoding, checked as UTF-8 in one go.
///
/// Checked text can be cut safely without a second check: an iterator is set to the cut, which it
/// moves if the cut lies within a character.
@usableFromInline
struct MedicationTexts: ~Escapable {
    @usableFromInline let all: UTF8Span
    @usableFromInline let nameEnd: Int
    @usableFromInline let strengthEnd: Int

    /// Checks the texts that `layout` finds in `bytes`.
    @_lifetime(copy bytes)
    init(_ layout: MedicationLayout, in bytes: Span<UInt8>) throws(WireError) {
        do {
            all = try UTF8Span(validating: bytes.extracting(layout.textRange))
        } catch {
            throw layout.textError(in: bytes)
        }
        nameEnd = layout.nameLength
        strengthEnd = nameEnd &+ layout.strengthLength
        guard isBoundary(nameEnd), isBoundary(strengthEnd) else {
            throw layout.textError(in: bytes)
        }
    }

    private func isBoundary(_ offset: Int) -> Bool {
        let span = all.span
        return offset == span.count || span[offset] & 0xC0 != 0x80
    }

    @usableFromInline
    var name: UTF8Span {
        @_lifetime(copy self)
        get {
            var iterator = all.makeUnicodeScalarIterator()
            iterator.reset(roundingBackwardsFrom: nameEnd)
            return iterator.prefix()
        }
    }

    @usableFromInline
    var strength: UTF8Span {
        @_lifetime(copy self)
        get {
            var iterator = all.makeUnicodeScalarIterator()
            iterator.reset(roundingBackwardsFrom: strengthEnd)
            iterator = iterator.prefix().makeUnicodeScalarIterator()
            iterator.reset(roundingBackwardsFrom: nameEnd)
            return iterator.suffix()
        }
    }

    @usableFromInline
    var instructions: UTF8Span {
        @_lifetime(copy self)
        get {
            var iterator = all.makeUnicodeScalarIterator()
            iterator.reset(roundingBackwardsFrom: strengthEnd)
            return iterator.suffix()
        }
    }
}
