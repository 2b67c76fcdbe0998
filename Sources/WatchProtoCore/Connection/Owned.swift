/// A value in memory of its own, copied only when a second owner changes it.
///
/// A type that holds one has a layout that does not depend on the security. The generic code of a
/// connection therefore moves pointers and asks the runtime for nothing.
struct Owned<Value: Sendable>: Sendable {
    private var storage: [Value]

    init(_ value: Value) { storage = [value] }

    /// The value; read in place, and changed in place by its only owner.
    var value: Value {
        _read { yield storage[0] }
        _modify { yield &storage[0] }
    }
}
