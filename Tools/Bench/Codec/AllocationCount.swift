import Glibc

/// Counts the heap objects that are made while something runs, by the Swift runtime's own hook.
///
/// Every Swift heap object (an array's or string's storage, a box, a class instance) is made
/// through the function that the runtime's variable `_swift_allocObject` points to. While a count
/// runs, it points to a function that counts and goes on. Finding it changed, the runtime also
/// turns on its hooks for reference counts, whose stand-ins in Swift 6.3 do not take strings that
/// hold their text themselves: the counting function turns them off again at once.
///
/// No other thread may run Swift code meanwhile. Allocations of C code are not seen; the codec
/// calls none.
enum AllocationCount {
    private typealias Allocate =
        @convention(c) (UnsafeRawPointer?, Int, Int) -> UnsafeMutableRawPointer?

    private static nonisolated(unsafe) var original: Allocate?
    private static nonisolated(unsafe) var countsReferences: UnsafeMutablePointer<UInt8>?
    private static nonisolated(unsafe) var counted = 0

    /// The heap objects that `body` makes; nil where the runtime has no such hook.
    static func of(_ body: () -> Void) -> Int? {
        let flagName =
            "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly"
        guard let symbol = unsafe dlsym(nil, "_swift_allocObject"),
            let flag = unsafe dlsym(nil, flagName)
        else { return nil }
        let hook = unsafe symbol.assumingMemoryBound(to: Allocate.self)
        unsafe original = hook.pointee
        unsafe countsReferences = flag.assumingMemoryBound(to: UInt8.self)
        unsafe counted = 0
        unsafe hook.pointee = { metadata, size, alignment in
            unsafe AllocationCount.countsReferences?.pointee = 0
            unsafe AllocationCount.counted += 1
            return unsafe AllocationCount.original?(metadata, size, alignment)
        }
        body()
        unsafe hook.pointee = original!
        return unsafe counted
    }
}
