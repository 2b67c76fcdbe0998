/// A value in memory of its own, copied only when a second owner changes it.
///
/// A type that holds one moves a pointer, and not the value.
struct Owned<Value: Sendable>: Sendable {
    /// Changed by its only owner alone.
    private final class Box: @unchecked Sendable {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box

    init(_ value: Value) { box = Box(value) }

    /// The value; read in place, and changed in place by its only owner.
    var value: Value {
        @inline(__always) _read { yield box.value }
        @inline(__always) _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
            yield &box.value
        }
    }
}
