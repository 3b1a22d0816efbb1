"""The live board: one LISTEN connection to PostgreSQL, every browser as server-sent events."""
