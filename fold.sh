#!/usr/bin/env bash
# i23-fold.sh: merges small sources into the files they belong to, in the tree of the working directory (a clone whose
# changes are committed). Repeatable: a merge whose source is gone is skipped. After it: script/format, check_layers,
# build, and read `git diff` for names that only documentation mentions (each merge prints them).
set -euo pipefail
here=$(dirname "$(realpath "$0")")
m() { if [ -e "$1.h" ] || [ -e "$1.cpp" ]; then echo "== $*"; python3 "$here/i23-merge.py" "$@"; else echo "-- $1 is gone"; fi; }
m apps/projnce/measure_machine apps/projnce/bench_command fold
m apps/projnce/table_options apps/projnce/options both
m apps/projnce/usage apps/projnce/options both
m projnce/encoder/native/native_backbone projnce/encoder/native/native_engine fold
m projnce/eval/audit/pattern_weight projnce/eval/audit/held_out_scores h
m projnce/kernel/smoothing_tile projnce/kernel/smoothing_sums h --front
m projnce/kernel/column_select projnce/kernel/median_rows h --front
m projnce/loss/classifier_loss projnce/loss/loss both
m projnce/loss/chunk_engine projnce/loss/pair_engine cpp
[ ! -e projnce/report/page/report_assets.h ] || m projnce/report/page/report_assets projnce/report/page/report_html h
m projnce/report/grid/label_issue_sheet projnce/report/grid/contact_sheet both
m projnce/report/chart/lettering projnce/report/chart/canvas both --front
m projnce/dataset/readers/record_file projnce/dataset/readers/file_dataset both
[ ! -e projnce/dataset/readers/folder.h ] || m projnce/dataset/readers/folder projnce/dataset/readers/class_folders h
m projnce/dataset/wrappers/noise projnce/dataset/wrappers/wrappers both
m projnce/theory/batch_values projnce/theory/experiment both
m projnce/theory/theory_report projnce/theory/theory cpp
m projnce/inference/table_samples projnce/inference/array_files both
m projnce/config/default_config projnce/config/run_request both --front
m projnce/config/eval_options projnce/config/run_config both --front
[ ! -e projnce/reproduce/collect.h ] || m projnce/reproduce/collect projnce/reproduce/result h
m projnce/io/filesystem/file_lock projnce/io/filesystem/run_directory both
m projnce/golden/loss_case_bounds projnce/golden/loss_case_kinds cpp
m projnce/dataset/split/hash_split projnce/dataset/labels both
m projnce/kernel/conv/workspace projnce/kernel/conv/convolution both --front
m projnce/checkpoint/module_state projnce/checkpoint/tensor_file both
if [ -e projnce/report/terminal/text_table.h ]; then
  git mv projnce/report/terminal/text_table.h projnce/report/terminal/text_table.cpp projnce/report/
  git mv tests/report/terminal/text_table_test.cpp tests/report/
  git grep -l terminal/text_table | xargs sed -i 's#terminal/text_table#text_table#'
fi
m projnce/report/csv projnce/report/text_table both --front
python3 - <<'P'
"""The merges that need more than moving a body."""
import re, subprocess
from pathlib import Path
def read(p): return Path(p).read_text()
def write(p, t): Path(p).write_text(re.sub(r"\n{3,}", "\n\n", t))
def remove(*ps):
    for p in ps:
        subprocess.check_call(["git", "rm", "-q", "--cached", p]); Path(p).unlink()
def body(p, ns): return read(p).split(f"namespace {ns} {{\n", 1)[1].rsplit(f"}}  // namespace {ns}", 1)[0].strip("\n")
if Path("apps/projnce/stop_signal.h").exists():
    h, c = body("apps/projnce/stop_signal.h", "projnce::app"), body("apps/projnce/stop_signal.cpp", "projnce::app")
    t = read("apps/projnce/command.h")
    write("apps/projnce/command.h", t.replace("\n}  // namespace projnce::app\n", f"\n{h}\n\n}}  // namespace projnce::app\n"))
    t = read("apps/projnce/main.cpp").replace("namespace projnce::app {\n\n", f"namespace projnce::app {{\n\n{c}\n\n", 1)
    write("apps/projnce/main.cpp", t.replace("#include <cstdio>\n", "#include <csignal>\n#include <cstdio>\n", 1))
    for p in Path("apps/projnce").glob("*.cpp"):
        p.write_text(p.read_text().replace('#include "apps/projnce/stop_signal.h"\n', ""))
    write("apps/projnce/CMakeLists.txt", read("apps/projnce/CMakeLists.txt").replace(" stop_signal.cpp", ""))
    remove("apps/projnce/stop_signal.h", "apps/projnce/stop_signal.cpp")
t = read("apps/projnce/bench_command.cpp")
m = re.search(r"(/// Benchmarks losses and training steps on this machine;.*?)nlohmann::ordered_json measure_machine\(const MeasureRequest& request\);\n\n", t, re.S)
if m:
    d = "nlohmann::ordered_json measure_machine(const MeasureRequest& request) {"
    t = t.replace(m.group(0), ""); write("apps/projnce/bench_command.cpp", t.replace(d, m.group(1) + d))
p = "projnce/encoder/native/native_engine.cpp"; t = read(p)
if "template class NativeBackbone<float>" in t:  # held by NativeBackbones, so not anonymous; MakePart is
    t = t.replace("namespace projnce::encoder {\n\nnamespace {\n\n", "namespace projnce::encoder {\n\n", 1)
    t = t.replace("template class NativeBackbone<float>;\ntemplate class NativeBackbone<double>;\n\n}  // namespace\n\n", "", 1)
    i = t.index("template <class T>\nstruct MakePart {"); j = t.index("};\n\n", i) + 4
    write(p, t[:i] + "namespace {\n\n" + t[i:j] + "}  // namespace\n\n" + t[j:])
if Path("python/ops/eager_losses.h").exists():
    h, c = body("python/ops/eager_losses.h", "projnce::ops"), body("python/ops/eager_losses.cpp", "projnce::ops")
    c = re.sub(r"^(namespace \{|\}  // namespace)\n\n?", "", c + "\n", flags=re.M).strip("\n")
    r = read("python/ops/register_losses.cpp").replace("namespace {\n\n", f"namespace {{\n\n{h}\n\n{c}\n\n", 1)
    r = r.replace('#include <torch/library.h>\n\n#include <memory>\n\n#include "python/ops/eager_losses.h"\n',
                  "#include <ATen/core/dispatch/Dispatcher.h>\n#include <torch/autograd.h>\n#include <torch/library.h>\n\n#include <algorithm>\n#include <memory>\n\n")
    r = r.replace('#include "python/ops/loss_kernels.h"\n', '#include "python/ops/loss_kernels.h"\n#include "python/ops/losses.h"\n')
    write("python/ops/register_losses.cpp", r); remove("python/ops/eager_losses.h", "python/ops/eager_losses.cpp")
    write("python/CMakeLists.txt", read("python/CMakeLists.txt").replace(" ops/eager_losses.cpp", ""))
    write("python/ops/loss_kernels.h", read("python/ops/loss_kernels.h").replace("see eager_losses.h", "see register_losses.cpp"))
t = read("docs/architecture.md")
for a, b in (("apps/projnce/usage.cpp", "apps/projnce/options.cpp"), ("loss/chunk_engine.cpp", "loss/pair_engine.cpp"),
             ("python/ops/eager_losses.cpp", "python/ops/register_losses.cpp")):
    t = t.replace(a, b)
Path("docs/architecture.md").write_text(t)
P
git add -A
