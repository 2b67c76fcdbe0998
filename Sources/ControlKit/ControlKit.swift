// Room for ControlKit.
