#!/usr/bin/env python3
"""Gives each module its namespace. usage: namespaces.py TREE REFS.json   (after restructure.py and ast_refs.py)"""
import json, re, subprocess, sys, os
from collections import defaultdict
from pathlib import Path
sys.path.insert(0, os.path.dirname(__file__))
from cxx import mask

ROOT = Path(sys.argv[1]).resolve()
DATA = json.loads(Path(sys.argv[2]).read_text())
FLAT = 'core'
KEEP = {'testing', 'app', 'bench', 'ops'}
notes = []


def module(path):
    """The namespace inside projnce of what a file declares; '' is projnce itself."""
    p = path.lstrip('@').split('/')
    if path.startswith('@'):   # generated
        i = p.index('projnce') if 'projnce' in p else -1
        if 'folders' in p:
            return p[p.index('folders') + 1]
        return '' if i < 0 or p[i + 1] == FLAT else p[i + 1]
    if p[0] == 'projnce':
        return '' if p[1] in (FLAT, 'projnce.h') else p[1]
    return {'apps': 'app', 'bench': 'bench', 'examples': '', 'python': 'ops'}.get(p[0], '')


def own(path):
    """The module whose names a file sees unqualified."""
    p = path.split('/')
    if p[0] == 'tests':
        return '' if p[1] in ('support', 'core') else p[1]
    return module(path)


# names declared directly in projnce, by module
declared = defaultdict(dict)
for f, names in DATA['names'].items():
    for n, kind in names.items():
        if kind != 'w':
            declared[module(f)].setdefault(n, kind)
modules = sorted(m for m in declared if m)
for m in modules:
    for other in [''] + modules:
        if m in declared[other] and other in ('',):
            notes.append(f'CONFLICT: {m} is also a name in projnce ({declared[other][m]})')

exported = set()
umbrella = (ROOT / 'projnce/projnce.h').read_text()
public = re.findall(r'#include "(projnce/[^"]+)"', umbrella)
todo = list(public)
while todo:
    h = todo.pop()
    f = ROOT / h
    for i in re.findall(r'^#include "(projnce/[^"]+)"', f.read_text(), re.M) if f.exists() else []:
        if i not in public and not i.startswith(('projnce/kernel/', 'projnce/core/', 'projnce/encoder/native/')):
            public.append(i)
            todo.append(i)
for h in public:
    for n, kind in DATA['names'].get(h, {}).items():
        if kind != 'w' and module(h):
            exported.add((module(h), n))


def rewrite(path):
    full = ROOT / path
    data = full.read_bytes()
    here = own(path)
    parts = path.split('/')
    is_test = parts[0] == 'tests' and path.endswith('_test.cpp')
    text = data.decode()
    in_testing = bool(re.search(r'^namespace projnce::testing \{', text, re.M))
    uses_umbrella = '#include "projnce/projnce.h"' in text or '<projnce/projnce.h>' in text
    edits, needs_using = [], False
    for offset, (name, home) in DATA['refs'].get(path, {}).items():
        offset = int(offset)
        target = module(home)
        if home.startswith('tests/'):
            continue
        before = data[max(0, offset - 60):offset].decode(errors='replace')
        qualified = re.search(r'(\w+)?\s*::\s*$', before)
        if qualified and qualified[1] and qualified[1] != 'projnce':
            if qualified[1] == target:
                continue
            notes.append(f'{path}:{data[:offset].count(10) + 1}: {qualified[0]}{name} of {target}')
            continue
        if target == here and not qualified:
            if target and in_testing and is_test:
                needs_using = True
                continue
            if target and in_testing and parts[0] == 'tests':
                edits.append((offset, target + '::'))
            continue
        if target == '':
            if here and name in declared[here] and not qualified:
                edits.append((offset, 'projnce::'))
            continue
        if parts[0] == 'examples' and uses_umbrella and (target, name) in exported:
            continue
        if target == here and qualified and not qualified[1]:
            continue
        edits.append((offset, target + '::'))
    for offset, insert in sorted(edits, reverse=True):
        data = data[:offset] + insert.encode() + data[offset:]
    text = data.decode()
    # blocks
    space = here
    if parts[0] == 'examples' or parts[0] == 'tests' and parts[1] in ('support', 'core'):
        space = ''
    if space:
        m = mask(text)
        for x in reversed(list(re.finditer(r'^namespace projnce \{', text, re.M))):
            text = text[:x.start()] + f'namespace projnce::{space} {{' + text[x.end():]
        text = re.sub(r'^\}  // namespace projnce$', f'}}  // namespace projnce::{space}', text, flags=re.M)
    if needs_using:
        text = re.sub(r'^(namespace projnce::testing \{\n)(namespace \{\n)?', lambda x: x[1] + (x[2] or '') + f'\nusing namespace {here};\n', text, count=1, flags=re.M)
    if text != full.read_text():
        full.write_text(text)
        return True
    return False


files = subprocess.check_output(['git', 'ls-files', '-co', '--exclude-standard', 'projnce', 'apps', 'tests', 'bench', 'python', 'examples'], cwd=ROOT, text=True).split()
changed = [f for f in files if f.endswith(('.h', '.cpp')) and (ROOT / f).is_file() and f != 'projnce/projnce.h' and rewrite(f)]
for f in files:
    if f.endswith(('.cpp.in', '.h.in')):
        t = (ROOT / f).read_text()
        m = module(f)
        if m:
            t = t.replace('namespace projnce {', f'namespace projnce::{m} {{').replace('}  // namespace projnce', f'}}  // namespace projnce::{m}')
            (ROOT / f).write_text(t)

# the umbrella: public names without their modules
lines = defaultdict(list)
for m, n in exported:
    lines[m].append(n)
head = umbrella[:umbrella.index('/// Everything')] if '/// Everything' in umbrella else umbrella[:umbrella.index('namespace projnce')]
body = ('/// Everything that libprojnce offers to a program of one\'s own: losses, projections, information,\n'
        '/// encoders, evaluation. A single header compiles faster where one is enough; its names are then in\n'
        '/// the namespace of its folder: projnce::loss::SupConLoss.\nnamespace projnce {\n')
for m in sorted(lines):
    body += '\n' + ''.join(f'using {m}::{n};\n' for n in sorted(lines[m], key=lambda s: (s[0].islower(), s)))
(ROOT / 'projnce/projnce.h').write_text(head + body + '\n}  // namespace projnce\n')
changed.append('projnce/projnce.h')
subprocess.run(['git', 'add', '-A'], cwd=ROOT, check=True)
changed = [f for f in subprocess.check_output(['git', 'diff', '--cached', '--name-only', '--diff-filter=d', 'HEAD'], cwd=ROOT, text=True).split()
           if f.endswith(('.h', '.cpp'))] if '--format' in sys.argv else []
for k in range(0, len(changed), 60):
    subprocess.run(['clang-format', '-i'] + changed[k:k+60], cwd=ROOT, check=True)
print('rewritten', len(changed), 'exported', len(exported))
print('\n'.join(notes))
Path('tools/restructure/declared.json').write_text(json.dumps(declared))
