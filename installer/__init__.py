"""Install, upgrade, verify, demonstrate and test board. None of the board's own logic is here."""
