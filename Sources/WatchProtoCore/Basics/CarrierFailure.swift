/// Why a carrier is gone: the system's word.
package struct CarrierFailure: Hashable, Sendable {
    /// The system call that failed, or "end of stream".
    package var call: StaticText
    /// Its error number, 0 at the end of a stream.
    package var errorNumber: Int32

    /// Names the `call` that failed and the error number it gave, 0 at the end of a stream.
    package init(call: StaticText, errorNumber: Int32) {
        self.call = call
        self.errorNumber = errorNumber
    }
}
