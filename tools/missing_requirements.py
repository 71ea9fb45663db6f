#!/usr/bin/env python3
"""Prints the requirements of a file (NAME==VERSION) that this Python lacks, one per line.

    missing_requirements.py FILE                prints packages that are not installed at that version
    missing_requirements.py --at-least 2.6 NAME prints NAME if it is absent or older

Reads only package metadata, because importing torch takes more than a second.
"""
import re
import sys
from importlib import metadata
from importlib.util import find_spec


def installed(name):
    """Returns the installed version without its local part ("+cpu"), or an empty string."""
    try:
        return metadata.version(name).split("+")[0]
    except metadata.PackageNotFoundError:
        return ""


def numbers(version):
    return [int(number) for number in re.findall(r"\d+", version)[:2]]


def main(arguments):
    if arguments[0] == "--at-least":
        _, minimum, name = arguments
        found = installed(name)
        if not found or find_spec(name) is None or numbers(found) < numbers(minimum):
            print(name)
        return
    with open(arguments[0], encoding="utf-8") as file:
        for line in file:
            name, pinned, version = line.split("#")[0].strip().partition("==")
            if pinned and installed(name) != version:
                print(f"{name}=={version}")


if __name__ == "__main__":
    main(sys.argv[1:])
