"""The demo: real work through a board, one task for each file of a folder.

`play.py` tells the story; `staff.py` hires the agents (`worker.py`, processes of their own), and
`check.py` holds every result against what sha256sum says. What is shown (`screen.py`) comes out of
the board's own functions and views (`board.py`).
"""
