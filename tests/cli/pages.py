"""Pages that the program wrote: what they hold, and what a browser makes of them."""
import json
import re
import shutil
import subprocess
from pathlib import Path

WEB = Path(__file__).resolve().parent.parent.parent / "web"
BROWSER = shutil.which("chromium") and shutil.which("node") and (WEB / "node_modules").exists()


def look_at(page):
    """What a browser makes of the page."""
    ran = subprocess.run(["node", "test/look.mjs", str(page)], cwd=WEB, text=True, check=True,
                         capture_output=True)
    return json.loads(ran.stdout)


def page_data(path):
    """What the page holds, and all of its text."""
    text = path.read_text()
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(found.group(1)), text
