// Room for RigKit.
