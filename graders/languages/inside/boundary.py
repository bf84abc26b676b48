"""The data of boundary.json: what may cross between a grader's and a candidate's process.

In a bundled program (../bundle.py), the data itself replaces the text of this module.
"""

from __future__ import annotations

import json
import os
from typing import Any

with open(os.path.splitext(__file__)[0] + ".json", encoding="utf-8") as _file:
    BOUNDARY: dict[str, Any] = json.load(_file)
