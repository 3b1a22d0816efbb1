"""PostgreSQL servers that this project starts itself: the embedded one, and private ones for tests.

`programs.py` knows which PostgreSQL there is on this machine, `data_folder.py` how a data folder is
made and whom its server runs as; `embedded.py` keeps a server between runs, `cluster.py` has one
that ends with the process that started it.
"""

from installer.server.cluster import Cluster
from installer.server.data_folder import ServerError
from installer.server.embedded import EmbeddedServer
from installer.server.programs import Installation, installations, nearest_program

__all__ = [
    "Cluster",
    "EmbeddedServer",
    "Installation",
    "ServerError",
    "installations",
    "nearest_program",
]
