// Room for SimulatorKit.
