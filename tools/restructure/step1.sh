# usage: step1.sh TREE [COMMIT]: resets TREE to COMMIT, restructures, configures the AST build
set -e
cd ${1:-.}; git reset -q --hard ${2:-HEAD}; git clean -fdq projnce tests apps
tools/restructure/venv/bin/python tools/restructure/restructure.py . > tools/restructure/run.log 2>&1 || { tail -5 tools/restructure/run.log; exit 1; }
tail -1 tools/restructure/run.log; git add -A
export PROJNCE_PYTHON=./.venv/bin/python
rm -rf tools/restructure/ast
cmake --preset release -B tools/restructure/ast -DPROJNCE_BUILD_TESTS=ON -DPROJNCE_BUILD_BENCH=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON > tools/restructure/cmake.log 2>&1 || { grep -A8 Error tools/restructure/cmake.log; exit 1; }
grep -c '"file"' tools/restructure/ast/compile_commands.json
