"""Inspects pages written by the program, directly and in a browser."""
import json
import re
import shutil
import subprocess
from pathlib import Path

WEB = Path(__file__).resolve().parent.parent.parent / "web"
BROWSER = shutil.which("chromium") and shutil.which("node") and (WEB / "node_modules").exists()


def look_at(page):
    """Returns the contents of the page as rendered by a browser."""
    ran = subprocess.run(["node", "test/look.mjs", str(page)], cwd=WEB, text=True, check=True,
                         capture_output=True)
    return json.loads(ran.stdout)


def page_data(path):
    """Returns the data of the page and its full text."""
    text = path.read_text()
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(found.group(1)), text
