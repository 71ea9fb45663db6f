#!/usr/bin/env python3
"""Moves, merges and folds units by mapping.py; rewrites includes, CMake lists and mentions.

usage: restructure.py TREE [--dry]     (TREE: a clean worktree; nothing is committed)
"""
import os, re, subprocess, sys
from collections import defaultdict
from pathlib import Path
sys.path.insert(0, os.path.dirname(__file__))
from cxx import Chunk, Source, anonymous_inner, join_chunks, mask, split_chunks
import mapping

ROOT = Path(sys.argv[1]).resolve()
NOTES = []


def note(*words):
    NOTES.append(' '.join(str(w) for w in words))


TEXT_TYPES = ('.h', '.cpp', '.in', '.txt', '.cmake', '.md', '.py', '.mjs', '.ts', '.toml', '.sh', '.yml', '.yaml', '.json', '.js', '.css', '.html')


class Tree:
    def __init__(self):
        names = subprocess.check_output(['git', 'ls-files'], cwd=ROOT, text=True).split('\n')
        self.files, self.original = {}, {}
        for f in names:
            p = ROOT / f
            if not f or not p.is_file() or p.is_symlink():
                continue
            if p.suffix in TEXT_TYPES or f.startswith(('script/', 'tools/', '.ci/', '.github/')) or p.name in ('run', 'tidy'):
                if f.startswith(('web/dist', 'tests/golden')) and p.suffix == '.json' or f.endswith('package-lock.json'):
                    continue
                try:
                    self.files[f] = p.read_text()
                except UnicodeDecodeError:
                    continue
        self.original = dict(self.files)
        self.where = {}   # original path -> present path (a merged or folded file: what it went into)
        self.head = {}    # header path (at the time) -> header path that replaces it; '' if it is gone
        self.source_home = {}  # original .cpp -> present .cpp

    # -- names ------------------------------------------------------------
    def now(self, path):
        seen = set()
        while path in self.where and path not in seen:
            seen.add(path)
            path = self.where[path]
        return path

    def sources(self):
        return [f for f in self.files if f.endswith(('.h', '.cpp', '.cpp.in', '.h.in'))]

    def includers(self, header):
        header = header
        needle = f'#include "{header}"'
        return [f for f in self.sources() if needle in self.files[f]]

    def reinclude(self, old, new):
        """Every include of `old` becomes one of `new` ('' removes it)."""
        pat = re.compile(rf'^[ \t]*#[ \t]*include[ \t]+"{re.escape(old)}"[^\n]*\n', re.M)
        for f in self.sources():
            if f'<{old}>' in self.files[f] and new:
                self.files[f] = self.files[f].replace(f'#include <{old}>', f'#include <{new}>')
            if f'"{old}"' not in self.files[f]:
                continue
            t = self.files[f]
            if new == f or new == '' or (new and f'#include "{new}"' in t):
                t = pat.sub('', t)
            else:
                t = pat.sub(f'#include "{new}"\n', t)
            self.files[f] = t

    def move(self, old, new):
        assert old in self.files, old
        assert new not in self.files, f'{new} exists ({old})'
        self.files[new] = self.files.pop(old)
        self.where[old] = new
        if old.endswith('.h'):
            self.reinclude(old, new)

    # -- units --------------------------------------------------------------
    def parts(self, unit):
        return [unit + e for e in ('.h', '.cpp') if unit + e in self.files]

    def move_unit(self, unit, to):
        for p in self.parts(unit):
            self.move(p, to + p[len(unit):])

    def parse(self, path):
        s = Source(self.files[path], path)
        if s.odd and all(l.strip().startswith('//') or not l.strip() for l in s.odd.split('\n')):
            s.comment = (s.comment + '\n' + s.odd).strip('\n')
            s.odd = ''
            s.ok = len(s.spaces) == 1 and not s.outside and not s.tail.strip()
        return s

    def write(self, path, own, includes, body, comment='', pragma=False, lead=''):
        angle = sorted({i for i in includes if i.startswith('<')})
        c_like = [i for i in angle if i.endswith('.h>')]
        std = [i for i in angle if not i.endswith('.h>')]
        quote = sorted({i for i in includes if i.startswith('"') and i.strip('"') not in (own, path)})
        groups = []
        if own:
            groups.append([f'"{own}"'])
        # LibTorch and other third parties first, as the sources do
        groups += [g for g in (c_like, std, quote) if g]
        text = (comment + '\n' if comment else '') + ('#pragma once\n\n' if pragma else '')
        text += '\n\n'.join('\n'.join('#include ' + i for i in g) for g in groups) + ('\n\n' if groups else '')
        text += (lead + '\n' if lead else '') + 'namespace projnce {\n\n' + body.strip('\n') + '\n\n}  // namespace projnce\n'
        self.files[path] = text

    def merge(self, target, units):
        """Joins units (header and source each) into `target`; order follows their includes."""
        present = [u for u in units if self.parts(u)]
        for u in units:
            if not self.parts(u):
                note('merge', target, ': no', u)
        if not present:
            return
        if len(present) == 1 and target == present[0]:
            return
        for ext, limit in (('.h', 200), ('.cpp', 400)):
            lines = [self.files[u + ext].count('\n') for u in present if u + ext in self.files]
            if len(lines) > 1 and sum(lines) - 12 * (len(lines) - 1) > limit:
                note('merge', target, 'SKIPPED: would have', sum(lines), 'lines', ext); return
        headers = [u for u in present if u + '.h' in self.files]
        # included units first
        def depends(a, b):
            return f'#include "{b}.h"' in self.files.get(a + '.h', '')
        order = []
        def visit(u, path=()):
            if u in order or u in path:
                return
            for v in present:
                if v != u and depends(u, v):
                    visit(v, path + (u,))
            order.append(u)
        for u in present:
            visit(u)
        for ext in ('.h', '.cpp'):
            files = [u + ext for u in order if u + ext in self.files]
            if not files:
                continue
            parsed = [self.parse(f) for f in files]
            for s in parsed:
                if not s.ok:
                    note('merge', target, 'FAILED:', s.why_not())
                    return
        for ext in ('.h', '.cpp'):
            files = [u + ext for u in order if u + ext in self.files]
            if not files:
                continue
            parsed = [self.parse(f) for f in files]
            inside = {f'"{u}.h"' for u in present}
            includes = [i for s in parsed for i in s.includes if i not in inside]
            comments = '\n'.join(c for c in dict.fromkeys(s.comment for s in parsed) if c)
            seen, bodies = set(), []
            for s in parsed:
                chunks, tail = split_chunks(s.body)
                kept = []
                for c in chunks:
                    key = re.sub(r'\s+', ' ', c.code)
                    if (c.kind in ('using', 'alias', 'directive') or (c.kind == 'type' and '{' not in c.masked)) and key in seen:
                        continue
                    if c.kind in ('using', 'alias') or (c.kind == 'type' and '{' not in c.masked):
                        seen.add(key)
                    kept.append(c)
                bodies.append(s.body if len(kept) == len(chunks) else join_chunks(kept) + (('\n\n' + tail) if tail else ''))
            leads = '\n'.join(s.space_lead for s in parsed if s.space_lead)
            for f in files:
                self.files.pop(f)
                self.where[f] = target + ext
            self.where.pop(target + ext, None)
            own = target + '.h' if ext == '.cpp' and headers else None
            if ext == '.cpp' and own and own not in self.files and own not in [h + '.h' for h in headers] and not headers:
                own = None
            self.write(target + ext, own, includes, '\n\n'.join(bodies), comments, ext == '.h', leads)
        for u in headers:
            if u != target:
                self.reinclude(u + '.h', target + '.h')
        self.files.update({f: re.sub(rf'(#include "{re.escape(target)}\.h"\n)(?=(?:.*\n)*?\1)', r'\1', t, count=0) for f, t in self.files.items()
                           if f.endswith(('.h', '.cpp')) and t.count(f'#include "{target}.h"\n') > 1})

    def merge_headers(self, target, units):
        present = [u for u in units if u + '.h' in self.files]
        if len(present) < 2:
            note('merge_headers', target, ': only', present); return
        parsed = [self.parse(u + '.h') for u in present]
        for s in parsed:
            if not s.ok:
                note('merge_headers', target, 'FAILED:', s.why_not()); return
        inside = {f'"{u}.h"' for u in present}
        order = sorted(range(len(present)), key=lambda i: sum(x in inside for x in parsed[i].includes))
        for u in present:
            self.files.pop(u + '.h')
            self.where[u + '.h'] = target + '.h'
        self.where.pop(target + '.h', None)
        seen, bodies = set(), []
        for i in order:
            chunks, tail = split_chunks(parsed[i].body)
            kept = [k for k in chunks if not (k.kind == 'using' and re.sub(r'\s+', ' ', k.code) in seen)]
            seen |= {re.sub(r'\s+', ' ', k.code) for k in chunks if k.kind == 'using'}
            bodies.append(parsed[i].body if len(kept) == len(chunks) else join_chunks(kept))
        self.write(target + '.h', None, [x for s in parsed for x in s.includes if x not in inside], '\n\n'.join(bodies),
                   '\n'.join(c for c in dict.fromkeys(s.comment for s in parsed) if c), True)
        for u in present:
            if u != target:
                self.reinclude(u + '.h', target + '.h')

    def fold(self, unit, into):
        """Definitions of a private unit move into the anonymous namespace of its one user."""
        h, c, y = unit + '.h', unit + '.cpp', into
        if h not in self.files:
            note('fold', unit, ': not there'); return False
        if y not in self.files:
            note('fold', unit, ': no', y); return False
        users = [f for f in self.includers(h) if f not in (c, y)]
        if users:
            note('fold', unit, ': also used by', users); return False
        sh, sy = self.parse(h), self.parse(y)
        sc = self.parse(c) if c in self.files else None
        for s in filter(None, (sh, sy, sc)):
            if not s.ok:
                note('fold', unit, 'FAILED:', s.why_not()); return False
        header, htail = split_chunks(sh.body)
        source, ctail = split_chunks(sc.body) if sc else ([], '')
        target, ytail = split_chunks(sy.body)
        if htail.strip() or ctail.strip() or ytail.strip():
            note('fold', unit, 'FAILED: tails'); return False
        hidden, shown, tops = [], [], []
        for k in source:
            if k.kind == 'anonymous':
                inner, tail = split_chunks(anonymous_inner(k))
                if tail.strip():
                    note('fold', unit, 'FAILED: tail in anonymous'); return False
                for x in inner:
                    (tops if x.kind in ('using', 'alias') else hidden).append(x)
                shown.append(None)  # place of helpers
            elif k.kind in ('using', 'alias'):
                tops.append(k)
            else:
                shown.append(k)
        # declarations give comments and default arguments to their definitions
        kept = []
        definitions = [k for k in source if k.kind == 'definition']
        used = set()
        for k in header:
            if k.kind in ('using', 'alias') and not k.lead:
                tops.append(k); continue
            if k.kind != 'declaration':
                if k.kind == 'definition':
                    k.code = re.sub(r'^inline ', '', k.code)
                k.code = re.sub(r'^inline constexpr', 'constexpr', k.code)
                kept.append(k); continue
            match = [d for d in definitions if d.name == k.name and id(d) not in used]
            if not match:
                note('fold', unit, 'FAILED: no definition of', k.name); return False
            d = match[0]
            used.add(id(d))
            if k.lead:
                d.lead = (k.lead + ('\n' + d.lead if d.lead else ''))
            mk = k.masked
            if '=' in mk[mk.find('('):].replace('operator=', ''):
                body = d.masked
                # the signature of the declaration with the body of the definition
                depth, pos = 0, None
                start = d._paren()
                for p in range(start, len(body)):
                    depth += {'(': 1, ')': -1}.get(body[p], 0)
                    if depth == 0:
                        pos = p; break
                brace = body.find('{', pos)
                d.code = k.code.rstrip().rstrip(';') + ' ' + d.code[brace:]
        # a definition that is called before it stands needs its declaration
        everything = hidden + [k for k in shown if k is not None]
        early = []
        for pos, d in enumerate(everything):
            if d.kind == 'definition' and d.name and '::' not in d.name:
                before = ''.join(mask(x.code) for x in everything[:pos]) + ''.join(mask(x.code) for x in kept)
                if re.search(rf'\b{re.escape(d.name)}\s*\(', before):
                    body = d.masked
                    brace = body.find('{', d._paren())
                    sig = re.sub(r'\s*=\s*[^,()]+(?=[,)])', '', d.code[:brace]) if False else d.code[:brace]
                    early.append(Chunk('', sig.rstrip() + ';'))
                    # defaults may stand once only
                    if '=' in mask(sig)[mask(sig).find('('):]:
                        note('fold', unit, ': check defaults of', d.name)
        insertion = kept + early + everything
        # the user's anonymous namespace
        ytops = [k for k in target if k.kind in ('using', 'alias')]
        anonymous = next((k for k in target if k.kind == 'anonymous'), None)
        if anonymous is not None:
            inner, tail = split_chunks(anonymous_inner(anonymous))
            if tail.strip():
                note('fold', unit, 'FAILED: tail in user'); return False
        else:
            inner = []
        have = {re.sub(r'\s+', ' ', k.code) for k in inner + ytops if k.kind in ('using', 'alias')}
        itops = [k for k in inner if k.kind in ('using', 'alias')]
        irest = [k for k in inner if k.kind not in ('using', 'alias')]
        for k in tops:
            if re.sub(r'\s+', ' ', k.code) not in have:
                itops.append(k); have.add(re.sub(r'\s+', ' ', k.code))
        names = {k.name for k in insertion if k.name} | {x for k in insertion if k.kind == 'type' for x in re.findall(r'\b(?:class|struct|enum class|enum)\s+(\w+)', k.masked)[:1]}
        if anonymous is not None and any(re.search(rf'\b{re.escape(n)}\b', mask(k.code)) for k in target[:target.index(anonymous)] for n in names):
            note('fold', unit, 'FAILED: used before the anonymous namespace of', y); return False
        new = Chunk('', 'namespace {\n\n' + join_chunks(itops + insertion + irest) + '\n\n}  // namespace')
        if anonymous is not None:
            new.lead = anonymous.lead
            target[target.index(anonymous)] = new
        else:
            at = max([target.index(k) + 1 for k in ytops] or [0])
            target.insert(at, new)
        includes = sh.includes + (sc.includes if sc else []) + sy.includes
        own = y[:-4] + '.h'
        own = own if f'"{own}"' in sy.includes else None
        comment = '\n'.join(x for x in (sy.comment,) if x)
        self.files.pop(h); self.where[h] = y
        if sc:
            self.files.pop(c); self.where[c] = y
        self.write(y, own, [i for i in includes if i != f'"{h}"'], join_chunks(target), comment, False, sy.space_lead)
        return True

    def extract(self, unit, to, public, hidden=()):
        """Types and functions, by name, of a unit become a unit of their own, which the old header includes."""
        if not self.parts(unit):
            note('extract', unit, ': not there'); return False
        def label(k):
            m = re.search(r'\b(?:class|struct|enum class|enum|using)\s+(\w+)', k.masked) if k.kind in ('type', 'using') else None
            if m:
                return m[1]
            if k.kind in ('declaration', 'definition'):
                return k.name
            m = re.search(r'(\w+)\s*(?:\[\w*\])?\s*(?:=|\{|;)', k.masked)
            return m[1] if m else None
        sh, sc = self.parse(unit + '.h'), self.parse(unit + '.cpp')
        header, _ = split_chunks(sh.body)
        source, _ = split_chunks(sc.body)
        out = [k for k in header if label(k) in public]
        missing = set(public) - {label(k) for k in out}
        if missing:
            note('extract', unit, ': no', missing)
        body, anonymous, rest = [], [], []
        for k in source:
            if k.kind == 'anonymous':
                inner, _ = split_chunks(anonymous_inner(k))
                anonymous += [x for x in inner if label(x) in hidden]
                left = [x for x in inner if label(x) not in hidden]
                if left:
                    rest.append(Chunk(k.lead, 'namespace {\n\n' + join_chunks(left) + '\n\n}  // namespace'))
            elif k.kind == 'definition' and k.name in public:
                body.append(k)
            else:
                rest.append(k)
        if anonymous:
            body.insert(0, Chunk('', 'namespace {\n\n' + join_chunks(anonymous) + '\n\n}  // namespace'))
        project = [i for i in sc.includes if i.startswith('"projnce/core')]
        std = [i for i in sh.includes + sc.includes if re.fullmatch(r'<[a-z_]+>', i)]
        def needed(i, text):
            hints = {'<vector>': 'std::vector', '<string>': 'std::string', '<algorithm>': r'std::(find|sort|min|max|any_of|all_of|none_of|count)',
                     '<cmath>': r'std::(exp|log|sqrt|isfinite|abs)', '<optional>': 'std::optional', '<iterator>': r'std::(begin|end)'}
            return re.search(hints.get(i, 'NEVER'), text) is not None
        ht, ct = join_chunks(out), join_chunks(body)
        self.write(to + '.h', None, [i for i in std if needed(i, ht)], ht, '', True)
        self.write(to + '.cpp', to + '.h', [i for i in std if needed(i, ct) and not needed(i, ht)] + project, ct)
        self.write(unit + '.h', None, sh.includes + [f'"{to}.h"'], join_chunks([k for k in header if k not in out]), sh.comment, True, sh.space_lead)
        self.write(unit + '.cpp', unit + '.h', sc.includes, join_chunks(rest), sc.comment, False, sc.space_lead)
        self.original_new = getattr(self, 'original_new', []) + [to + '.cpp']
        return True

    def move_functions(self, source, names, to):
        """Member or free functions, by name, from one source to another of the same unit."""
        if source not in self.files or to not in self.files:
            note('move_functions', source, ': not there'); return
        s, t = self.parse(source), self.parse(to)
        chunks, _ = split_chunks(s.body)
        taken = [k for k in chunks if k.kind == 'definition' and k.name in names]
        if len(taken) != len(names):
            note('move_functions', source, ': found', [k.name for k in taken])
        hidden = [x for k in chunks if k.kind == 'anonymous' for x in split_chunks(anonymous_inner(k))[0]]
        moved = ' '.join(mask(k.code) for k in taken)
        carry = [x for x in hidden if x.kind == 'using' and re.search(rf'\b{re.escape(x.code.rstrip(";").split("::")[-1].strip())}\b', moved)
                 and x.code not in t.body]
        others = ' '.join(mask(k.code) for k in chunks if k not in taken and k.kind != 'anonymous')
        for x in hidden:
            if x.name and re.search(rf'\b{re.escape(x.name)}\(', moved):
                inside = ' '.join(mask(y.code) for y in hidden if y is not x)
                if re.search(rf'\b{re.escape(x.name)}\(', others + inside):
                    note('move_functions', source, ': a moved function needs', x.name)
                    continue
                carry.append(x)
                for k in chunks:
                    if k.kind == 'anonymous':
                        inner = split_chunks(anonymous_inner(k))[0]
                        k.code = 'namespace {\n\n' + join_chunks([y for y in inner if y.code != x.code]) + '\n\n}  // namespace'
        if carry:
            t.body = 'namespace {\n\n' + join_chunks(carry) + '\n\n}  // namespace\n\n' + t.body
        rest = [k for k in chunks if k not in taken]
        own = '"' + source[:-4] + '.h"'
        self.write(source, own.strip('"') if own in s.includes else None, s.includes, join_chunks(rest), s.comment, False, s.space_lead)
        used = [i for i in s.includes if i not in t.includes and i != own]
        self.write(to, own.strip('"') if own in t.includes else None, t.includes + used, t.body + '\n\n' + join_chunks(taken), t.comment, False, t.space_lead)


tree = Tree()
mapping.apply(tree, note)


# ---- tests follow the folders of their sources --------------------------------
def place_tests():
    homes = defaultdict(list)
    for f in tree.files:
        if f.startswith('projnce/') and f.endswith(('.h', '.cpp')):
            homes[Path(f).stem].append(str(Path(f).parent)[len('projnce/'):])
    # original homes, for tests of units that were merged or folded
    origin = defaultdict(list)
    for f in tree.original:
        if f.startswith('projnce/') and f.endswith(('.h', '.cpp')):
            origin[Path(f).stem].append(f)
    for f in sorted(tree.files):
        m = re.fullmatch(r'tests/([\w/]+)/(\w+)_test\.cpp', f)
        if not m or m[1].split('/')[0] in ('support', 'cli', 'faults'):
            continue
        stem, folder = m[2], m[1]
        first = folder.split('/')[0]
        target = mapping.TEST_FOLDERS.get(stem)
        if target is None:
            cand = [tree.now(o) for o in origin.get(stem, []) if o.split('/')[1] == first]
            if not cand and first in mapping.RENAMED:
                cand = [tree.now(o) for o in origin.get(stem, [])]
            cand = sorted({str(Path(c).parent)[len('projnce/'):] for c in cand if c.startswith('projnce/')})
            if len(cand) >= 1:
                target = cand[0]
            else:
                # the folder whose headers it includes first
                own = re.findall(r'#include "projnce/(\w+)/', tree.files[f])
                target = folder if first not in mapping.RENAMED else mapping.RENAMED[first] or (own[0] if own else None)
                if first in mapping.RENAMED:
                    note('test without a unit:', f, '->', target)
        new = f'tests/{target}/{stem}_test.cpp'
        if new != f:
            tree.move(f, new)
    for f in sorted(tree.files):  # helpers of tests of a renamed folder
        m = re.fullmatch(r'tests/(\w+)/(.+)', f)
        if m and m[1] in mapping.RENAMED and not f.endswith(('_test.cpp', 'CMakeLists.txt')):
            tree.move(f, f'tests/{mapping.RENAMED[m[1]] or "run"}/{m[2]}')


place_tests()


# ---- CMake lists ---------------------------------------------------------------
def module_of_list(path):
    """The CMakeLists.txt that lists a source: the nearest one above it."""
    d = Path(path).parent
    while str(d) not in ('.', ''):
        f = str(d / 'CMakeLists.txt')
        if f in tree.files:
            return f
        d = d.parent
    return None


def wrap(head, items, tail=')'):
    lines, line = [], head
    for k, item in enumerate(items):
        piece = item + (tail if k == len(items) - 1 else '')
        if len(line) + 1 + len(piece) > 100 and line.strip():
            lines.append(line); line = '  ' + piece
        else:
            line += ('' if line.endswith('(') else ' ') + piece
    lines.append(line)
    if len(lines) > 1 and head and lines[0] != head:  # all items on their own lines
        lines, line = [head], ' '
        for k, item in enumerate(items):
            piece = item + (tail if k == len(items) - 1 else '')
            if len(line) + 1 + len(piece) > 100:
                lines.append(line); line = ' '
            line += ' ' + piece
        lines.append(line)
    return '\n'.join(lines)


COMMAND = re.compile(r'^(?P<indent>[ \t]*)(?P<name>target_sources|projnce_add_tests|projnce_add_torch_free_tests|set|add_library|add_executable|projnce_add_bench_objects)\((?P<args>[^()]*(?:\$\{[^}]*\}[^()]*)*)\)', re.M)


def fix_lists():
    lists = [f for f in tree.files if f.endswith('CMakeLists.txt')]
    added = defaultdict(list)    # list file -> [(target or kind, relative path)]
    for path in getattr(tree, 'original_new', []):
        path = tree.now(path)
        added[module_of_list(path)].append(('target_sources projnce_trainer', path))
    homes = {}
    for f in lists:
        homes[f] = str(Path(f).parent)
    # new modules and test folders get a list
    for f in list(tree.files):
        if f.endswith('.cpp') and f.startswith(('projnce/', 'tests/')):
            top = '/'.join(f.split('/')[:2])
            lst = top + '/CMakeLists.txt'
            if lst not in tree.files and top != 'tests/support':
                tree.files[lst] = ''
                added[lst] += []
    for f in lists:
        base = f[:-len('CMakeLists.txt')]
        old_base = next((o for o, n in tree.where.items() if n == f), f)[:-len('CMakeLists.txt')]

        def fix(m):
            args = m['args'].split()
            changed, out = False, []
            for a in args:
                if not a.endswith('.cpp') or '$' in a:
                    out.append(a); continue
                full = os.path.normpath(old_base + a)
                if full not in tree.original or a.startswith('..') and tree.now(full) == full:
                    out.append(a); continue
                new = tree.now(full)
                home = module_of_list(new)
                if home != f:
                    changed = True
                    if new in tree.files and new == tree.now(full):
                        target = args[0]
                        if new not in [x[1] for v in added.values() for x in v]:
                            listed_at_home = False
                            added[home].append((m['name'] + ' ' + target, new))
                    continue
                rel = os.path.relpath(new, Path(f).parent)
                if rel != a:
                    changed = True
                if rel not in out:
                    out.append(rel)
                else:
                    changed = True
            if not changed:
                return m[0]
            k = next((i for i, a in enumerate(out) if a.endswith('.cpp')), len(out))
            head, items = out[:k], out[k:]
            if m['name'] in ('projnce_add_tests', 'projnce_add_torch_free_tests'):
                mine = sorted(i for i in items if not i.startswith('..'))
                items = mine + [i for i in items if i.startswith('..')]
            else:
                items = sorted(i for i in items if i.endswith('.cpp') and '$' not in i) + [i for i in items if not (i.endswith('.cpp') and '$' not in i)]
            if not items and m['name'] != 'set':
                return ''
            return wrap(f"{m['indent']}{m['name']}({' '.join(head)}", items)
        tree.files[f] = COMMAND.sub(fix, tree.files[f])
    # properties name sources too
    for f in lists:
        old_base = next((o for o, n in tree.where.items() if n == f), f)[:-len('CMakeLists.txt')]
        def prop(m):
            def one(x):
                full = os.path.normpath(old_base + x[0])
                if full in tree.original and tree.now(full) != full or full in tree.original and f != old_base + 'CMakeLists.txt':
                    return os.path.relpath(tree.now(full), Path(f).parent)
                return x[0]
            return re.sub(r'(?<![\w/.$}])[\w./]+\.cpp\b', one, m[0])
        tree.files[f] = re.sub(r'set_source_files_properties\([^)]*\)', prop, tree.files[f])
    for f, items in sorted(added.items()):
        top = f.split('/')[1]
        by = defaultdict(list)
        for command, path in items:
            by[command].append(os.path.relpath(path, Path(f).parent))
        text = tree.files[f]
        merged = defaultdict(list)
        for command, rel in list(by.items()):
            for r in list(rel):
                forced = mapping.TARGETS.get(str(Path(os.path.normpath(f'{Path(f).parent}/{r}')).parent))
                if forced and not command.startswith('projnce_add'):
                    rel.remove(r)
                    merged['target_sources ' + forced].append(r)
        for command, rel in by.items():
            if not rel:
                continue
            if not command.startswith('projnce_add'):
                there = set(re.findall(r'^target_sources\((\w+) PRIVATE', text, re.M))
                if len(there) == 1:
                    command = 'target_sources ' + there.pop()
            merged[command] += rel
        for command, rel in merged.items():
            name, target = command.split(' ', 1)
            if f == 'apps/projnce/CMakeLists.txt':
                m = re.search(r'add_executable\(projnce_program\s+([^)]*)\)', text)
                text = text.replace(m[0], wrap('add_executable(projnce_program', sorted(m[1].split() + rel)))
                continue
            if name.startswith('projnce_add'):
                m = re.search(r'projnce_add(?:_torch_free)?_tests\(' + re.escape(top) + r'\b([^)]*)\)', text)
                have = m[1].split() if m else []
                allt = sorted(set([x for x in have if not x.startswith('..')] + rel))
                # support sources that the tests include
                support = [x for x in have if x.startswith('..')]
                for t in rel:
                    for s in re.findall(r'#include "tests/support/(\w+)\.h"', tree.files[os.path.normpath(f'{Path(f).parent}/{t}')]):
                        x = f'../support/{s}.cpp'
                        if f'tests/support/{s}.cpp' in tree.files and x not in support and s not in ('kernel_variants', 'wide_kernels'):
                            support.append(x)
                if m:
                    text = text.replace(m[0], wrap(m[0].split('(')[0] + '(' + top, allt + sorted(support)))
                else:
                    text = text + wrap(f'{name}({top}', allt + sorted(support)) + '\n'
            else:
                m = re.search(r'^target_sources\(' + re.escape(target) + r' PRIVATE\b([^)]*)\)', text, re.M)
                if m:
                    have = m[1].split()
                    mine = sorted(set([x for x in have if '$' not in x] + rel))
                    text = text.replace(m[0], wrap(f'target_sources({target} PRIVATE', mine + [x for x in have if '$' in x]))
                else:
                    text = text.rstrip('\n') + ('\n' if text.strip() else '') + wrap(f'target_sources({target} PRIVATE', sorted(set(rel))) + '\n'
        tree.files[f] = text
    # lists of folders that hold no sources any more
    for f in list(tree.files):
        if f.endswith('/CMakeLists.txt') and f.startswith(('projnce/', 'tests/')):
            base = f[:-len('CMakeLists.txt')]
            if not any(x.startswith(base) and x.endswith(('.cpp', '.in')) for x in tree.files):
                tree.files.pop(f)
                note('removed', f)


fix_lists()


# ---- mentions in comments, documents, scripts -----------------------------------
def fix_mentions():
    moved = {o: tree.now(o) for o in tree.where if o in tree.original and tree.now(o) != o}
    longest = sorted(moved, key=len, reverse=True)
    table = {}
    for o in longest:
        n = moved[o]
        table[o] = n
        if o.startswith('projnce/'):
            table[o[len('projnce/'):]] = n[len('projnce/'):] if n.startswith('projnce/') else n
    pat = re.compile(r'(?<![\w/.-])([\w][\w/-]*\.(?:h|cpp|in|txt))(?![\w-])')
    for f, t in tree.files.items():
        if f == 'CHANGELOG.md' or f.endswith('CMakeLists.txt') and f.startswith('projnce/'):
            continue
        if f.endswith(('.h', '.cpp')):
            # includes were rewritten; comments were not
            lines = t.split('\n')
            for i, l in enumerate(lines):
                if '//' in l and not l.startswith('#include'):
                    lines[i] = pat.sub(lambda m: table.get(m[1], m[1]), l)
            tree.files[f] = '\n'.join(lines)
        else:
            tree.files[f] = pat.sub(lambda m: table.get(m[1], m[1]), t)
    # what is named by its file name alone
    gone = {Path(o).name: n for o, n in moved.items() if Path(o).name != Path(n).name}
    still = {Path(f).name for f in tree.files}
    for f, t in tree.files.items():
        if f == 'CHANGELOG.md':
            continue
        words = set(re.findall(r'\w+\.(?:h|cpp)', t))
        for name, n in gone.items():
            if name in still or name not in words:
                continue
            for m in re.finditer(rf'(?<![\w/.-]){re.escape(name)}(?![\w-])', t):
                line = t[t.rfind('\n', 0, m.start()) + 1:t.find('\n', m.end())]
                note('mention:', f, name, '->', n, '|', line.strip()[:110])


fix_mentions()
mapping.finish(tree, note)


def save():
    changed = []
    for f in tree.original:
        if f not in tree.files:
            (ROOT / f).unlink()
    for f, t in tree.files.items():
        if tree.original.get(f) != t:
            p = ROOT / f
            p.parent.mkdir(parents=True, exist_ok=True)
            mode = None
            old = next((o for o, n in tree.where.items() if n == f), None)
            p.write_text(t)
            changed.append(f)
    for d in ('projnce', 'tests'):
        for p in sorted((ROOT / d).rglob('*'), reverse=True):
            if p.is_dir() and not any(p.iterdir()):
                p.rmdir()
    cpp = [f for f in changed if f.endswith(('.h', '.cpp'))]
    for k in range(0, len(cpp), 60) if '--format' in sys.argv else []:  # namespaces.py formats all at its end
        subprocess.run(['clang-format', '-i'] + cpp[k:k+60], cwd=ROOT, check=True)
    return changed


if '--dry' not in sys.argv:
    changed = save()
    print('changed', len(changed))
long = [(f, t.count('\n')) for f, t in tree.files.items() if f.startswith(('projnce/', 'apps/')) and
        (f.endswith('.h') and t.count('\n') > 200 or f.endswith('.cpp') and t.count('\n') > 400)]
for f, n in long:
    note('LONG', f, n)
print('\n'.join(NOTES))
n = [t.count('\n') for f, t in tree.files.items() if f.startswith(('projnce/', 'apps/')) and f.endswith(('.h', '.cpp'))]
print('files', len(n), 'mean', sum(n) / len(n))
if '--units' in sys.argv:
    units = defaultdict(dict)
    for f, t in tree.files.items():
        if f.startswith(('projnce/', 'apps/')) and f.endswith(('.h', '.cpp')):
            units[f.rsplit('.', 1)[0]][f.rsplit('.', 1)[1]] = t.count('\n')
    last = None
    for u in sorted(units):
        d = os.path.dirname(u)
        if d != last:
            print('\n##', d, end=': ')
            last = d
        print(os.path.basename(u), '/'.join(str(units[u].get(e, '-')) for e in ('h', 'cpp')), end=', ')
    print()
