// Room for SimKit.
