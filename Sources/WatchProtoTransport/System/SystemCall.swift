internal import CPosix
internal import Glibc
package import WatchProtoCore

/// Repeats a system call while a signal interrupts it.
///
/// - Returns: the call's result, or its error number.
@inline(__always)
package func retryOnInterrupt<Value: FixedWidthInteger>(
    _ call: () -> Value
) -> Result<Value, SystemErrorNumber> {
    while true {
        let result = call()
        if result != -1 { return .success(result) }
        let number = errno
        if number != EINTR { return .failure(SystemErrorNumber(number)) }
    }
}

/// A typed `errno`. The values are those of `errno.h`.
package struct SystemErrorNumber: Error, Hashable, Sendable {
    package var rawValue: Int32
    package init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// Whether the call would have had to wait. That is not a failure.
    package var isWouldBlock: Bool { rawValue == EAGAIN || rawValue == EWOULDBLOCK }

    /// Adds the name of the call that failed.
    package func failure(of call: StaticText) -> CarrierFailure {
        CarrierFailure(call: call, errorNumber: rawValue)
    }
}

extension Result where Failure == SystemErrorNumber {
    /// Returns the value, or throws the failure as the error that an application sees.
    ///
    /// - Throws: ``LinkError``, with the call and `subject`.
    package func orLinkError(_ call: StaticText, on subject: String) throws(LinkError) -> Success {
        switch self {
        case .success(let value): value
        case .failure(let number): throw .system(number.failure(of: call), subject: subject)
        }
    }
}
