// An app imports this module alone: records, stages and identities come with it.
@_exported public import WatchProtoCore
@_exported public import WatchProtoRecords
