"""The published values in experiments/paper: consistent with each other, and with the paper if it is available."""
import re
import unittest
from pathlib import Path

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "experiments" / "paper"
PAPER = ROOT / "../shared/paper"
TABLES = ("table1", "table2", "table3", "table4", "table5")
# Labels of the tables in the source of the paper.
LABELS = {"table1": "tab:SupCon_ProjNCE", "table2": "tab:imagenet_comp", "table3": "tab:classification",
          "table4": "tab:stl10_noise", "table5": "tab:cifar10_noise_feature"}
COUNTS = {"table1": 4, "table2": 2, "table3": 35, "table4": 72, "table5": 12}


def experiment(name):
    return tomllib.loads((FILES / f"{name}.toml").read_text())


def published(table):
    """Returns {(dataset, condition, method): value} of the section [paper]."""
    return {(dataset, condition, method): value
            for dataset, conditions in table.get("paper", {}).items()
            for condition, values in conditions.items() for method, value in values.items()}


@unittest.skipUnless(tomllib, "needs Python 3.11 to read TOML")
class ExperimentFiles(unittest.TestCase):
    def test_have_125_published_values(self):
        self.assertEqual({name: len(published(experiment(name))) for name in TABLES}, COUNTS)
        self.assertEqual(sum(COUNTS.values()), 125)

    def test_have_no_values_for_figures(self):
        for file in FILES.glob("figure*.toml"):
            self.assertEqual(published(tomllib.loads(file.read_text())), {}, file.name)

    def test_publish_only_cells_of_their_table(self):
        for name in TABLES:
            table = experiment(name)
            for dataset, condition, method in published(table):
                with self.subTest(name, cell=(dataset, condition, method)):
                    self.assertIn(dataset, table["datasets"])
                    self.assertIn(condition, table["conditions"])
                    self.assertIn(method, table["compare"])

    def test_are_percentages(self):
        for name in TABLES:
            for cell, value in published(experiment(name)).items():
                self.assertTrue(0 < value < 100 and round(value, 2) == value, (name, cell, value))

    def test_agree_where_two_tables_publish_the_same_cell(self):
        first, third = published(experiment("table1")), published(experiment("table3"))
        self.assertEqual(first["cifar10", "clean", "supcon"], third["cifar10", "clean", "supcon"])


def numbers_file(text):
    """Values of numbers.toml by table; a comment such as "# table1.toml" starts the part of a table."""
    parts = re.split(r"^# (table\d)\.toml.*$", text, flags=re.MULTILINE)
    return {name: published(tomllib.loads(part)) for name, part in zip(parts[1::2], parts[2::2])}


def printed_rows(source, name):
    """Rows of numbers in a table of the LaTeX source, below its heading."""
    body = source[source.index(rf"\label{{{LABELS[name]}}}"):]
    body = body[body.index(r"\midrule"):body.index(r"\bottomrule")]
    rows = [re.findall(r"(?<![\w=.])\d+\.\d+", re.sub(r"\(\$?p=[\d.]+\$?\)", "", row)) for row in body.split(r"\\")]
    return [[float(number) for number in row] for row in rows if row]


@unittest.skipUnless(tomllib, "needs Python 3.11 to read TOML")
@unittest.skipUnless((PAPER / "paper.tex").exists() and (PAPER / "numbers.toml").exists(),
                     "the source of the paper is not on this machine (../shared/paper)")
class Paper(unittest.TestCase):
    def test_numbers_file_has_the_same_values(self):
        numbers = numbers_file((PAPER / "numbers.toml").read_text())
        self.assertEqual(numbers, {name: published(experiment(name)) for name in TABLES})

    def test_prints_the_same_values(self):
        source = (PAPER / "paper.tex").read_text()
        for name in TABLES:
            rows = printed_rows(source, name)
            values = published(experiment(name))
            methods = list(dict.fromkeys(method for _, _, method in values))  # in the order of the paper
            columns = list(dict.fromkeys((dataset, condition) for dataset, condition, _ in values))
            expected = [[values[(*column, method)] for column in columns] for method in methods]
            if name == "table1":  # one row for each condition
                expected = [list(row) for row in zip(*expected)]
            with self.subTest(name):
                self.assertEqual(rows, expected)


if __name__ == "__main__":
    unittest.main()
