// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "companion",
    dependencies: [.package(name: "WatchProto", path: "../..")],
    targets: [
        .executableTarget(
            name: "phone", dependencies: [.product(name: "WatchProto", package: "WatchProto")]),
        .executableTarget(
            name: "watch", dependencies: [.product(name: "WatchProto", package: "WatchProto")]),
    ]
)
