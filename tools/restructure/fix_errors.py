#!/usr/bin/env python3
"""Inserts module names where the compiler did not find a name. usage: fix_errors.py TREE LOG"""
import json, re, sys
from collections import defaultdict
from pathlib import Path
ROOT = Path(sys.argv[1]).resolve()
declared = json.loads(Path('tools/restructure/declared.json').read_text())
where = defaultdict(list)
for m, names in declared.items():
    if m:
        for n in names:
            where[n].append(m)
log = Path(sys.argv[2]).read_text()
edits, other = defaultdict(set), []
for m in re.finditer(r'^(/?[^\s:]+):(\d+):(\d+): error: (.*)$', log, re.M):
    f, line, col, text = m[1], int(m[2]), int(m[3]), m[4]
    name = re.search(r"[‘']([\w:]+)[’'] (?:was not declared|does not name a type|has not been declared|is not a member)", text)
    p = Path(f) if f.startswith('/') else ROOT / f
    if name:
        n = name[1].split('::')[-1]
        row = p.read_text().split('\n')[line - 1]
        hint = re.search(r"(?:did you mean|suggested alternative[^‘']*) [‘']projnce::(\w+)::" + n, log[m.start():m.start() + 1500])
        mods = where.get(n, [])
        target = hint[1] if hint and hint[1] in mods else mods[0] if len(mods) == 1 else None
        spots = [x.start() for x in re.finditer(rf'(?<![\w:.>]){n}\b', row)]
        at = col - 1 if row[col - 1:col - 1 + len(n)] == n else (min(spots, key=lambda s: abs(s - col)) if spots else None)
        if target and at is not None:
            edits[str(p)].add((line, at, target))
            continue
    other.append(m[0])
for f, es in edits.items():
    rows = Path(f).read_text().split('\n')
    for line, at, target in sorted(es, reverse=True):
        r = rows[line - 1]
        if r[:at].endswith(target + '::'):
            continue
        rows[line - 1] = r[:at] + target + '::' + r[at:]
    Path(f).write_text('\n'.join(rows))
print('inserted', sum(len(e) for e in edits.values()), 'in', len(edits), 'files; left', len(other))
print('\n'.join(dict.fromkeys(other)))
