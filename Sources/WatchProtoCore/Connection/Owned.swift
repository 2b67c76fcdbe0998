/// A value in memory of its own, copied only when a second owner changes it.
///
/// What holds one has a layout that does not depend on the security, so that the generic code of a
/// connection moves pointers and asks the runtime for nothing.
struct Owned<Value: Sendable>: Sendable {
    private var storage: [Value]

    init(_ value: Value) { storage = [value] }

    /// The value; changed in place by its only owner.
    var value: Value {
        get { storage[0] }
        _modify { yield &storage[0] }
    }
}
