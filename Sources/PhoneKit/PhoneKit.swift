// Room for PhoneKit.
