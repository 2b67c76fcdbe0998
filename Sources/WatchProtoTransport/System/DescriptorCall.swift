internal import CPosix
internal import Glibc
package import WatchProtoCore

/// Plain functions over descriptors. Each names its C function.
package enum DescriptorCall {
    /// Closes the descriptor (`close`). It is never retried: on Linux the descriptor is gone even
    /// after an interruption.
    package static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }

    /// Makes the descriptor non-blocking and closed on exec (`fcntl`).
    package static func prepare(_ descriptor: Int32) -> Result<Int32, SystemErrorNumber> {
        retryOnInterrupt { watchproto_prepare_descriptor(descriptor) }
    }

    /// Reads from a stream into the front of `buffer` (`read`).
    package static func read(
        _ descriptor: Int32, into buffer: inout MutableSpan<UInt8>
    ) -> CarrierRead {
        let result = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
            retryOnInterrupt { unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count) }
        }
        switch result {
        case .success(0): return .ended
        case .success(let count): return .bytes(count)
        case .failure(let number) where number.isWouldBlock: return .nothingYet
        case .failure(let number): return .failed(number.failure(of: "read"))
        }
    }

    /// Writes to a pipe (`write`).
    package static func write(_ descriptor: Int32, _ bytes: Span<UInt8>) -> CarrierWrite {
        let result = unsafe bytes.withUnsafeBufferPointer { bytes in
            retryOnInterrupt { unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
        }
        return outcome(of: result, "write")
    }

    /// Writes to a connected socket (`send`, without SIGPIPE).
    package static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) -> CarrierWrite {
        let result = unsafe bytes.withUnsafeBufferPointer { bytes in
            retryOnInterrupt {
                unsafe Glibc.send(
                    descriptor, bytes.baseAddress, bytes.count,
                    Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            }
        }
        return outcome(of: result, "send")
    }

    /// Receives one packet of a connected socket (`recv`), and its true length.
    package static func receivePacket(
        _ descriptor: Int32, into buffer: inout MutableSpan<UInt8>
    ) -> CarrierRead {
        let capacity = buffer.count
        let result = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
            retryOnInterrupt {
                unsafe Glibc.recv(
                    descriptor, bytes.baseAddress, bytes.count,
                    Int32(MSG_DONTWAIT | MSG_TRUNC))
            }
        }
        switch result {
        case .success(0): return .ended
        case .success(let count): return count > capacity ? .ignored(.tooLarge) : .bytes(count)
        case .failure(let number) where number.isWouldBlock: return .nothingYet
        case .failure(let number): return .failed(number.failure(of: "recv"))
        }
    }

    /// The result of a write call. No room is a count of zero, not a failure.
    package static func outcome(
        of result: Result<Int, SystemErrorNumber>, _ call: StaticText
    ) -> CarrierWrite {
        switch result {
        case .success(let count): .took(count)
        case .failure(let number) where number.isWouldBlock: .took(0)
        case .failure(let number): .failed(number.failure(of: call))
        }
    }
}
