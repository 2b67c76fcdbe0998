// The protocol core under the name by which all other targets import it.
@_exported public import WatchProtoCore
