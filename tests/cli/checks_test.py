"""What tools/check_layers.py finds."""
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from check_layers import check_types, defined_types  # noqa: E402


class DefinedTypes(unittest.TestCase):
    def test_are_those_at_the_scope_of_a_named_namespace(self):
        text = """
            #define BRACE {
            struct Global { int a; };
            namespace projnce {
            class Forward; struct Plain { enum Inner { kOne }; };  // struct Comment {
            enum class Color : int { kRed = '{' };
            template <class T> class alignas(64) Derived final : public std::vector<T> { };
            template <> struct Derived<int> { };
            class Outer::Nested { };
            const char* text = "namespace other { struct Text {"; auto raw = R"(struct Raw {)";
            constexpr int kMany = 1'000; struct Counted { };
            struct Plain make(struct Plain value) { struct Local { }; return {}; }
            namespace { struct Hidden { }; }
            namespace inner::most { union Deep { }; }
            }  // namespace projnce
            """
        self.assertEqual(defined_types(text),
                         ["Global", "projnce::Plain", "projnce::Color", "projnce::Derived", "projnce::Counted",
                          "projnce::inner::most::Deep"])

    def problems(self, **sources):
        found = []
        check_types({name: f"namespace projnce {{\n{text}\n}}" for name, text in sources.items()}, found)
        return found

    def test_the_same_name_in_two_files_is_a_problem(self):
        self.assertEqual(self.problems(a="struct Request { int a; };", b="class Request { };"),
                         ["a: projnce::Request is also defined in b"])

    def test_other_namespaces_and_nameless_ones_are_none(self):
        self.assertEqual(self.problems(a="struct Request { };", b="namespace io { struct Request { }; }",
                                       c="namespace { struct Request { }; }", d="struct Request;"), [])

    def test_no_type_is_defined_twice(self):
        ran = subprocess.run([sys.executable, ROOT / "tools/check_layers.py"], text=True, capture_output=True)
        self.assertEqual((ran.returncode, ran.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
