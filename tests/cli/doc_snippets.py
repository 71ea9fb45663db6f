"""Extracts code from README.md, docs/*.md and docs/reports/*.md: fenced blocks and inline commands."""
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/reports").glob("*.md"))]

FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`((?:build/)?projnce [a-z][^`]*)`")


@dataclass
class Snippet:
    page: str      # "docs/cpp.md"
    line: int      # of the first line
    language: str
    code: str
    marks: tuple   # words of an HTML comment <!-- snippet: ... --> on the line above the fence

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def snippets_of(text, page):
    found = []
    for match in FENCE.finditer(text):
        above = text[:match.start()].rstrip("\n").rsplit("\n", 1)[-1]
        comment = re.fullmatch(r" *<!-- snippet: (.*) -->", above)
        indent = match.group(1)
        code = re.sub(rf"^{indent}", "", match.group(3), flags=re.MULTILINE) if indent else match.group(3)
        found.append(Snippet(page, text.count("\n", 0, match.start()) + 2, match.group(2), code,
                             tuple(comment.group(1).split()) if comment else ()))
    return found


def all_snippets(language):
    return [snippet for page in PAGES
            for snippet in snippets_of(page.read_text(), str(page.relative_to(ROOT)))
            if snippet.language == language]


def inline_commands():
    """Yields inline commands such as `projnce train ...` with their location."""
    found = []
    for page in PAGES:
        text = FENCE.sub(lambda match: "\n" * match.group(0).count("\n"), page.read_text())
        for match in INLINE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append((f"{page.relative_to(ROOT)}:{line}", match.group(1)))
    return found


def program_calls(text):
    """Returns the arguments of each projnce call in shell code."""
    calls = []
    for line in text.replace("\\\n", " ").splitlines():
        try:
            words = shlex.split(line, comments=True)
        except ValueError:  # a multi-line quotation of another program
            continue
        call, first = None, True
        for word in words:
            if word in ("&&", "||", "|", ";", "do", "done"):
                call, first = None, True
                continue
            if first and word in ("projnce", "build/projnce"):
                call = []
                calls.append(call)
            elif call is not None:
                call.append(word)
            first = False
    return calls
