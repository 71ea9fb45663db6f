#!/usr/bin/env python3
"""Finds spellings and phrases that we do not use, and names what to write instead.

    check_words.py [FILE...]

Checks the files given, by default every tracked text file. Prints "file:line: found -> replacement"
for each finding; the exit status is then 1. CONTRIBUTING.md, "How we write", has the rules; to forbid
another word, add a line to WORDS.
"""
import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Word(NamedTuple):
    pattern: str  # regular expression, case-insensitive; a space also matches a line break in comments
    replacement: str
    allowed_in: tuple[str, ...] = ()  # paths, with * and ?


# Stems of verbs in -ise, which we write with -ize.
STEMS = ("character|custom|equal|final|general|initial|material|maxim|memor|minim|normal|organ|parallel|parametr|"
         "penal|quant|recogn|regular|serial|special|standard|summar|synchron|util|vector|visual")
RULES = ("CONTRIBUTING.md",)  # quotes what it forbids
HISTORY = ("CHANGELOG.md",)  # names former fields
FORMER = ("apps/projnce/embed_command.cpp", "tests/cli/split_test.py")  # accept the former option
# Read files and settings with former names.
FORMER_AUDIO = ("projnce/augment/augment_options.cpp", "projnce/config/input_options.cpp", "projnce/report/page/*",
                "tests/config/run_config_test.cpp", "tests/report/page/report_samples_test.cpp",
                "tests/run/run_plan_test.cpp")

WORDS = [
    # American spelling
    Word(r"artefact", "artifact"),
    Word(r"analys(?:ed?|ing)\b", "analyze"),
    Word(r"behaviour", "behavior"),
    Word(r"cancell(?:ed|ing)", "canceled", ("tools/run_tests.py",)),
    Word(r"\bcatalogue", "registry"),
    Word(r"\bcentre", "center"),
    Word(r"colour", "color"),
    Word(r"favour", "favor"),
    Word(r"\bgrey", "gray"),
    Word(r"labell(?:ed|ing)(?!by)", "labeled", HISTORY),
    Word(r"\blearnt\b", "learned"),
    Word(r"licence", "license"),
    Word(r"modell(?:ed|ing)", "modeled"),
    Word(r"neighbour", "neighbor"),
    Word(rf"(?:{STEMS})is(?:e[ds]?|ers?|ing|ations?)\b", "-ize, -ization"),
    Word(r"\boptimis(?:e[ds]?|ers?|ing|ations?)\b", "optimize"),
    # the field's terms
    Word(r"sounds?", "audio, clip", (*HISTORY, *FORMER_AUDIO)),
    Word(r"suspici(?:on|ous)", "audit score, label issue", (*HISTORY, *FORMER_AUDIO)),
    Word(r"refus(?:e[sd]?|ing|als?)", "reject", HISTORY),
    Word(r"\banswer(?:s|ed|ing)?\b", "response, respond", HISTORY),
    Word(r"\bask(?:s|ed|ing)?\b", "request, prompt"),
    Word(r"\bas (?:its|their) makers hand", "as published"),
    Word(r"\bat hand\b", "available"),
    Word(r"\bby heart\b", "memorize"),
    Word(r"claims show\b", "claims hold"),
    Word(r"\beverybody", "all, all ranks"),
    Word(r"damag(?:e|ing)", "corrupt", (*HISTORY, "projnce/run/reproducibility_info.cpp")),
    Word(r"gradient's length|length of the gradient", "gradient norm"),
    Word(r"\bin little memory\b", "in bounded memory"),
    Word(r"\bjudg(?:e[ds]?|ing|e?ments?)\b", "evaluate, evaluation"),
    Word(r"\bneeds LibTorch alone\b", "LibTorch is its only dependency"),
    Word(r"numbers with a fraction", "floating-point values"),
    Word(r"\bpass(?:ed|es)? over (?:a|the) (?:step|sample)|\bpassed over\b", "skip"),
    Word(r"(?<!-)\bpictures?\b", "image", (*HISTORY, "projnce/report/page/report_samples.cpp")),
    Word(r"\bspoil(?:ed|t)\b", "wrong, noisy, corrupt"),
    Word(r"\b(?:test|train(?:ing)?|validation|reference) parts?\b|(?<!\w)--part\b", "split", (*HISTORY, *FORMER)),
    Word(r"\bwhole numbers?\b", "integer"),
    Word(r"\bcomplain(?:s|ts?)?(?![a-z])", "error, message"),
    Word(r"\b(?:leaves?|left) (?:the )?(?:anchor|row|instance)s? out\b|\bleav(?:es?|ing) out\b|\bis left out\b", "exclude"),
    Word(r"\btold apart\b|\btell(?:s|ing)?(?: [a-z]+){1,4} apart\b", "separate, distinguish"),
    Word(r"\bpulls?(?:ed)? (?:at|on|of)\b|\bpull_(?:at|back|and)\b", "gradient", ("docs/*",)),
    Word(r"\bnobody\b", "no one; or name who does it"),
    Word(r"what (?:is|was) taken for what", "confusion matrix"),
    # plain sentences
    Word(r"\b(?:anew|afresh|alike|likewise|whoever|surely|nothing but)\b", "again, equally, also, anyone, only"),
    Word(r"\bbeside\b", "next to, in addition to"),
    Word(r"\bless (?:that|those) of\b", "minus"),
    Word(r"\b(?:go|goes|going|went) on (?:bit|from|where|with)\b", "resume, continue", RULES),
    Word(r" [a-z]+\(s\)(?![\w(;,)])", "counted(number, noun)"),
    Word(r"\bis no [\w.`-]+ file\b", "is not a ... file", RULES),
    Word(r"\bso many times\b", "number of times"),
    Word(r"\bthere is no telling\b", "unknown"),
    Word(r"\bwho watches\b|\bwhose turn\b|\basks nobody\b", "say who does what"),
]

# Generated files, data, and the list itself.
SKIPPED = ("*.csv", "*.json", "*.svg", "web/dist/*", "LICENSE", "tools/check_words.py",
           "tests/cli/check_words_test.py")


class Finding(NamedTuple):
    line: int
    text: str
    replacement: str


def matches(path: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch(path, pattern) for pattern in patterns)


def find_words(text: str, path: str) -> Iterator[Finding]:
    for word in WORDS:
        if matches(path, word.allowed_in):
            continue
        pattern = word.pattern.replace(" ", r"[\s/*#]+")
        for match in re.finditer(pattern, text, re.IGNORECASE):
            yield Finding(text.count("\n", 0, match.start()) + 1, " ".join(match[0].split()), word.replacement)


def tracked_files() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [path for path in listed.split("\0") if path and not matches(path, SKIPPED)]


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:  # images and other binary files
        return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    arguments = parser.parse_args()
    found = False
    for path in arguments.files or tracked_files():
        for finding in sorted(find_words(read_text(ROOT / path), path)):
            print(f"{path}:{finding.line}: {finding.text} -> {finding.replacement}")
            found = True
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
