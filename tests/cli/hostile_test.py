"""Runs `data verify` on a collection of corrupt and hostile files; results must match its manifest."""
import json
import os
import random
import subprocess
import tarfile
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import PROGRAM

try:
    from PIL import Image
except ImportError:
    Image = None

PACK = Path(__file__).resolve().parents[2] / "../shared/data/bad/bad.tar.gz"
AT_ONCE = 2
SECONDS = 20
# Address space limit; sufficient for the control cases, which load LibTorch too.
KILOBYTES = 4 << 20

DATASETS = {"cifar10": "cifar10", "cifar100": "cifar100", "stl10": "stl10",
            "tinyimagenet": "tiny-imagenet"}
ALLOWED = {"ACCEPT": {0}, "REJECT": {1, 2}, "SKIP-OR-REJECT": {0, 1, 2}, "SAFE": {0, 1, 2}}


def dataset_of(case):
    """Returns the layout of a case, or None for a single file that identifies itself."""
    group, name = case.split("/")[:2]
    if group == "trees":
        if name.startswith("sc_"):
            return "speech-commands"
        return "crema-d" if name == "cremad_names" else "folder"
    return DATASETS.get(group)


def listing(root):
    """Returns kind, size and modification time of every path below a folder, without opening files."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            found[path] = (status.st_mode, status.st_size, status.st_mtime_ns)
    return found


def escapes(archive, working_folder):
    """Returns the paths outside that an archive would write to if its names and links were followed."""
    try:
        with tarfile.open(archive) as tar:
            members = tar.getmembers()
    except (tarfile.TarError, OSError, EOFError, ValueError):
        return set()
    links = {m.name: m.linkname for m in members if m.issym()}
    paths = set()
    for member in members:
        folder = member.name.split("/")[0]
        if folder in links and "/" in member.name:
            paths.add(os.path.join(links[folder], member.name.split("/", 1)[1]))
        if os.path.isabs(member.name):
            paths.add(member.name)
        elif ".." in member.name.split("/"):
            for base in (working_folder, archive.parent):
                paths.add(os.path.normpath(base / member.name))
    return paths


def check_outcome(case, expected, ran):
    """Returns the problem with the result of a case, or None."""
    if ran is None:
        return f"not done after {SECONDS} s"
    if ran.returncode not in ALLOWED[expected]:
        return f"exit status {ran.returncode}, expected one of {sorted(ALLOWED[expected])}"
    try:
        result = json.loads(ran.stdout.decode()) if ran.stdout else None
    except ValueError as error:
        return f"standard output is no JSON: {error}"
    if ran.returncode == 0:
        return None if result and result["valid"] else "exit status 0 without a valid dataset"
    return check_error_message(case, ran.stderr.decode(errors="replace"), result)


def check_error_message(case, stderr, result):
    """Checks that an error is one message or a list of corrupt samples, and names the file."""
    sentences = [line for line in stderr.splitlines() if line.startswith("projnce: ")]
    if result is not None:
        sentences = [sample["reason"] for part in result.values() if isinstance(part, dict)
                     for sample in part.get("corrupt", [])]
        sentences += [row["sentence"] for row in result["checksums"] if row["result"] == "corrupt"]
        if not sentences:
            return "a corrupt dataset without a sample or file that is corrupt"
    elif len(sentences) != 1:
        return f"{len(sentences)} sentences of error, expected 1: {stderr!r}"
    if not any(case.split("/")[-1] in sentence or named_below(case, sentence)
               for sentence in sentences):
        return f"no sentence names the file: {sentences[0]!r}"
    return None


def named_below(case, sentence):
    """Samples are identified by their names inside the dataset."""
    root = HostileFiles.root / case
    return root.is_dir() and any(os.fsencode(name).decode(errors="replace") in sentence
                                 for _, _, files in os.walk(root) for name in files)


@unittest.skipUnless(PACK.exists(), f"{PACK.name} with the corrupt files is not on this machine")
class HostileFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = Path(scratch.name)
        subprocess.run(["tar", "xzf", PACK, "-C", scratch.name], check=True)
        cls.root = cls.scratch / "bad"
        for name in ("home", "data", "tmp", "work"):
            (cls.scratch / name).mkdir()
        with open(cls.root / "MANIFEST.tsv", encoding="utf-8") as manifest:
            rows = [line.rstrip("\n").split("\t") for line in manifest
                    if not line.startswith("#")]
        cls.cases = [(row[0], row[1]) for row in rows[1:] if len(row) >= 2]

    def run_case(self, case):
        arguments = [os.path.abspath(PROGRAM), "data", "verify", str(self.root / case), "--json"]
        if dataset_of(case):
            arguments += ["--dataset", dataset_of(case)]
        env = {**os.environ, "HOME": str(self.scratch / "home"),
               "PROJNCE_DATA": str(self.scratch / "data"), "TMPDIR": str(self.scratch / "tmp")}
        # The shell sets the limit, because preexec_fn is not safe with threads.
        limited = ["/bin/sh", "-c", f'ulimit -v {KILOBYTES} && exec "$@"', "sh", *arguments]
        try:
            return subprocess.run(limited, cwd=self.scratch / "work", env=env, timeout=SECONDS,
                                  stdin=subprocess.DEVNULL, capture_output=True)
        except subprocess.TimeoutExpired:
            return None

    def check_group(self, group):
        cases = [(case, expected) for case, expected in self.cases
                 if case.startswith(group + "/")]
        self.assertTrue(cases, "the manifest has no such cases")
        outside = {path for case, _ in cases if group == "archives"
                   for path in escapes(self.root / case, self.scratch / "work")}
        was_there = {path for path in outside if os.path.lexists(path)}
        before = listing(self.scratch)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            ended = list(pool.map(self.run_case, [case for case, _ in cases]))
        problems = [f"{case:<40} {expected:<15} {problem}"
                    for (case, expected), ran in zip(cases, ended)
                    if (problem := check_outcome(case, expected, ran))]
        problems += [f"written: {path}" for path in sorted(outside - was_there)
                     if os.path.lexists(path)]
        problems += [f"changed: {path!r}" for path in changed(before, listing(self.scratch))]
        if problems:
            self.fail(f"{len(problems)} of {len(cases)} cases\n" + "\n".join(problems))

    def test_cifar10(self):
        self.check_group("cifar10")

    def test_cifar100(self):
        self.check_group("cifar100")

    def test_stl10(self):
        self.check_group("stl10")

    def test_tiny_imagenet(self):
        self.check_group("tinyimagenet")

    def test_images(self):
        self.check_group("images")

    def test_audio(self):
        self.check_group("audio")

    def test_survives_random_mutations(self):
        self.check_group("fuzz")

    def test_trees(self):
        self.check_group("trees")

    def test_archives(self):
        self.check_group("archives")

    def test_every_case_is_in_a_group(self):
        groups = {case.split("/")[0] for case, _ in self.cases}
        self.assertEqual(groups, {*DATASETS, "images", "audio", "fuzz", "trees", "archives"})


@unittest.skipUnless(Image, "Pillow is not installed; `script/setup test` installs it")
class HostileImages(unittest.TestCase):
    """Truncated and bit-flipped files of other image formats: `data verify` reads or reports them, in
    bounded memory and without output of the libraries."""

    def make_files(self, folder):
        chance = random.Random(3)
        color = Image.new("RGB", (23, 17))
        color.putdata([tuple(chance.randrange(256) for _ in range(3)) for _ in range(23 * 17)])
        files = {"a.bmp": (color, {}), "b.bmp": (color.convert("P"), {}),
                 "a.gif": (color.quantize(64), {}), "a.webp": (color, {}),
                 "b.webp": (color.convert("RGBA"), {"lossless": True})}
        files |= {f"{kind}.tif": (color, {"compression": kind}) for kind in
                  ("raw", "tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg")}
        files["fax.tif"] = (color.convert("1"), {"compression": "group4"})
        for number, (name, (image, options)) in enumerate(files.items()):
            image.save(folder / name, **options)
            whole = (folder / name).read_bytes()
            for trial in range(12):
                made = bytearray(whole)
                for _ in range(1 + trial % 4):
                    place = chance.randrange(len(made) if trial % 2 else min(len(made), 80))
                    made[place] ^= 1 << chance.randrange(8)
                if trial % 3 == 0:
                    made = made[:chance.randrange(len(made))]
                (folder / f"{number:02}_{trial:02}_{name}").write_bytes(made)

    def test_mutated_files_are_decoded_or_reported(self):
        with tempfile.TemporaryDirectory() as scratch:
            for part in ("one", "two"):
                (Path(scratch) / "files" / part).mkdir(parents=True)
                self.make_files(Path(scratch) / "files" / part)
            command = [os.path.abspath(PROGRAM), "data", "verify", "files", "--json"]
            limited = ["/bin/sh", "-c", f'ulimit -v {KILOBYTES} && exec "$@"', "sh", *command]
            ran = subprocess.run(limited, cwd=scratch, timeout=5 * SECONDS, capture_output=True)
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertEqual(ran.stderr, b"")
        result = json.loads(ran.stdout)
        corrupt = [row for part in ("train", "test") for row in result[part]["corrupt"]]
        self.assertGreater(len(corrupt), 40)
        for row in corrupt:
            self.assertTrue(row["reason"].startswith(row["sample"]), row)
            self.assertRegex(row["sample"], "_", "the whole files are read")


def changed(before, after):
    """Returns paths that were added, removed or changed. Ignores times of folders, which temporary
    files change."""
    different = [path for path in before.keys() & after.keys()
                 if before[path] != after[path] and not os.path.isdir(path)]
    return sorted([*different, *(before.keys() ^ after.keys())])


if __name__ == "__main__":
    unittest.main()
