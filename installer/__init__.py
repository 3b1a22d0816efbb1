"""Install, upgrade, verify, demonstrate and test board. Nothing of the board's own logic is here."""
