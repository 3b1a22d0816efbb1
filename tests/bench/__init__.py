"""How fast the board is, as ratios within one run: `python -m tests.bench` or `make bench`."""
