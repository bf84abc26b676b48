"""AgentV: recorded runs to read, and run directories to write that its `compare` and `results` read.

What a plug-in of a format offers is here and imports the rest when it is used.
"""

from __future__ import annotations
