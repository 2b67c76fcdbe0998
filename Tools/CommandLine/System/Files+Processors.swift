import Glibc

extension Files {
    /// How many processors are in use; at least 1.
    package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// The processors that this process may run on, ascending; at least one. In a container they
    /// need not begin at 0.
    ///
    /// Read from `/proc/self/status` (proc(5)), once.
    package static let usableProcessors: [Int] = {
        let status = String(decoding: (try? read("/proc/self/status")) ?? [], as: UTF8.self)
        let found = processors(listedIn: status)
        return found.isEmpty ? [0] : found
    }()

    /// The processors in the line `Cpus_allowed_list`, for example `0-1,4`.
    package static func processors(listedIn status: String) -> [Int] {
        let lines = status.split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("Cpus_allowed_list:") }) else {
            return []
        }
        let list = line.split(separator: "\t").last ?? ""
        return list.split(separator: ",").flatMap { part -> [Int] in
            let ends = part.split(separator: "-").compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last, first <= last else { return [] }
            return Array(first...last)
        }
    }
}
