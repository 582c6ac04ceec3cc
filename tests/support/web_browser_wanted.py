"""Whether there is a browser for tests, and what is said where there is none."""

from __future__ import annotations

import os
import shutil

NO_BROWSER = "no browser"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
if os.environ.get("CARD_ENVS_BROWSER") == "no":
    WHY_NOT = f"{NO_BROWSER}: it was asked to go without one (BROWSER=no)"
elif CHROMIUM is None:
    WHY_NOT = f"{NO_BROWSER}: there is no Chromium here, and apt-get install chromium brings it"
else:
    WHY_NOT = ""
