#!/usr/bin/env python3
"""Finds every token that names something of namespace projnce, exactly, by libclang.

usage: ast_refs.py TREE BUILD OUT.json [-j N]
BUILD: a configured (not built) unity tree without precompiled headers. Writes
{"refs": {file: {offset: [name, file of the declaration]}}, "names": {file: [names it declares]}, "errors": [...]}.
One TU is one cached result (by the contents of all files of the tree that it read).
"""
import ctypes, hashlib, json, os, re, shlex, subprocess, sys
from multiprocessing import Pool
from pathlib import Path
from clang import cindex
from clang.cindex import CursorKind as K, conf

ROOT = Path(sys.argv[1]).resolve()
BUILD = Path(sys.argv[2]).resolve()
OUT = Path(sys.argv[3])
JOBS = int(sys.argv[sys.argv.index('-j') + 1]) if '-j' in sys.argv else 2
CACHE = Path('tools/restructure/ast_cache'); CACHE.mkdir(exist_ok=True)
PREFIX = str(ROOT) + '/'
GEN = str(BUILD) + '/'

lib = conf.lib
lib.clang_getFileLocation.argtypes = [cindex.SourceLocation, ctypes.POINTER(cindex.c_object_p), ctypes.POINTER(ctypes.c_uint),
                                      ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_uint)]
lib.clang_getFileLocation.restype = None
_f, _l, _c, _o = cindex.c_object_p(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()


def place(loc):
    f = cindex.c_object_p()
    lib.clang_getFileLocation(loc, ctypes.byref(f), ctypes.byref(_l), ctypes.byref(_c), ctypes.byref(_o))
    if not f:
        return None, 0
    return cindex.File(f).name, _o.value


REFS = {K.DECL_REF_EXPR, K.TYPE_REF, K.TEMPLATE_REF, K.OVERLOADED_DECL_REF, K.VARIABLE_REF, K.MEMBER_REF}
DECLS = {K.CLASS_DECL, K.STRUCT_DECL, K.UNION_DECL, K.ENUM_DECL, K.FUNCTION_DECL, K.VAR_DECL, K.TYPEDEF_DECL, K.TYPE_ALIAS_DECL,
         K.CLASS_TEMPLATE, K.FUNCTION_TEMPLATE, K.TYPE_ALIAS_TEMPLATE_DECL, K.ENUM_CONSTANT_DECL, K.CONCEPT_DECL if hasattr(K, 'CONCEPT_DECL') else K.CLASS_DECL}


def flat_parent(decl):
    """True where the declaration stands directly in namespace projnce."""
    p = decl.semantic_parent
    if p is not None and p.kind == K.ENUM_DECL and decl.kind == K.ENUM_CONSTANT_DECL and not p.is_scoped_enum():
        p = p.semantic_parent
    if p is None or p.kind != K.NAMESPACE or p.spelling != 'projnce':
        return False
    up = p.semantic_parent
    return up is not None and up.kind == K.TRANSLATION_UNIT


def relative(name):
    if name is None:
        return None
    name = os.path.normpath(name)
    if name.startswith(GEN):
        return '@' + name[len(GEN):]
    return name[len(PREFIX):] if name.startswith(PREFIX) else None


def arguments(entry):
    args = shlex.split(entry['command'])
    if os.path.basename(args[0]) == 'ccache':
        args = args[1:]
    out, skip = [], False
    for a in args[1:]:
        if skip:
            skip = False; continue
        if a in ('-o', '-MF', '-MT', '-MQ'):
            skip = True; continue
        if a in ('-c', '-MD', '-Werror') or a == entry['file'] or a.startswith('-W') or a.startswith('-f') and a not in ('-fopenmp', '-fPIC'):
            continue
        out.append(a)
    gcc = subprocess.check_output(['c++', '-print-file-name=include'], text=True).strip()
    return out + ['-w', '-resource-dir', '/usr/lib/llvm-14/lib/clang/14.0.6', f'-idirafter{gcc}', '-D__malloc__(...)=', '-ferror-limit=0']


def scan(entry):
    args = arguments(entry)
    source = entry['file']
    key = hashlib.sha1((source + ' '.join(args)).encode()).hexdigest()
    cached = CACHE / (key + '.json')
    if cached.exists():
        data = json.loads(cached.read_text())
        if all(Path(f).exists() and hashlib.sha1(Path(f).read_bytes()).hexdigest() == h for f, h in data['inputs'].items()):
            return source, data
    index = cindex.Index.create()
    unit = index.parse(source, args=['-x', 'c++'] + args)
    errors = [f'{d.location.file}:{d.location.line}: {d.spelling}' for d in unit.diagnostics if d.severity >= 3]
    refs, names = {}, {}
    texts = {}

    def text_of(f):
        if f not in texts:
            p = (BUILD / f[1:]) if f.startswith('@') else ROOT / f
            texts[f] = p.read_bytes()
        return texts[f]

    def record(cursor, decl):
        if not flat_parent(decl):
            return
        name = decl.spelling.split('<')[0]
        if not name or name.startswith('operator'):
            return
        f, offset = place(cursor.location)
        rel = relative(f)
        if rel is None:
            return
        data = text_of(rel)
        if data[offset:offset + len(name)] != name.encode():
            # template names, qualified spellings: look a little further on the same line
            at = data.find(name.encode(), offset, offset + 200)
            errors.append(f'offset: {rel}:{data[:offset].count(10) + 1} {name} {cursor.kind.name} found {data[offset:offset+20]!r}')
            return
        definition = decl.get_definition() or decl
        home = relative(place(definition.location)[0]) or relative(place(decl.location)[0])
        if home is None:
            return
        refs.setdefault(rel, {})[offset] = [name, home]

    def visit(cursor):
        kind = cursor.kind
        if kind in REFS:
            if kind == K.OVERLOADED_DECL_REF:
                n = lib.clang_getNumOverloadedDecls(cursor)
                for i in range(n):
                    record(cursor, lib.clang_getOverloadedDecl(cursor, i))
            elif kind != K.MEMBER_REF:
                decl = cursor.referenced
                if decl is not None:
                    record(cursor, decl)
        elif kind in DECLS:
            if cursor.spelling and flat_parent(cursor):
                f, _ = place(cursor.location)
                rel = relative(f)
                if rel:
                    k = 'f' if kind in (K.FUNCTION_DECL, K.FUNCTION_TEMPLATE) else 't'
                    if kind in (K.CLASS_DECL, K.STRUCT_DECL, K.ENUM_DECL, K.UNION_DECL) and not cursor.is_definition():
                        k = 'w'  # forward
                    names.setdefault(rel, {})[cursor.spelling] = k
        for child in cursor.get_children():
            visit(child)

    sys.setrecursionlimit(20000)
    for top in unit.cursor.get_children():
        f = top.location.file
        if f is not None and relative(f.name) is not None:
            visit(top)
    inputs = {source: hashlib.sha1(Path(source).read_bytes()).hexdigest()}
    for inc in unit.get_includes():
        n = os.path.normpath(inc.include.name)
        if n.startswith(PREFIX) or n.startswith(GEN):
            inputs[n] = hashlib.sha1(Path(n).read_bytes()).hexdigest()
    data = {'refs': refs, 'names': names, 'errors': errors, 'inputs': inputs}
    cached.write_text(json.dumps(data))
    return source, json.loads(json.dumps(data))


if __name__ == '__main__':
    entries = json.loads((BUILD / 'compile_commands.json').read_text())
    # Few large TUs: LibTorch's headers cost more than our sources do. Names of anonymous namespaces may clash
    # then; clang recovers, and what it misses the compiler tells later.
    def group(e):
        f = e['file'].replace(str(BUILD) + '/', '').replace(PREFIX, '')
        if 'projnce_trainer.dir' in f or f.startswith('projnce/train/'): return 'trainer'
        if 'projnce_files.dir' in f or f.startswith(('projnce/augment', 'projnce/report')): return 'files'
        if f.startswith('projnce/kernel/table_'): return f
        if f.startswith('projnce/kernel'): return 'kernel'
        if '/projnce_program.dir' in f or 'projnce_ops.dir' in f or f.startswith('bench/') or f.startswith('bench') or '/bench/' in f: return 'programs'
        if f.startswith('bench'): return 'programs'
        if re.match(r'tests/(io|dataset|augment|report|core)/', f): return 'tests_files'
        if re.match(r'tests/(loss|kernel|projection|information|eval|encoder)/', f) or f.startswith('tests/support'): return 'tests_library'
        if f.startswith('tests/'): return 'tests_trainer'
        return 'library'
    groups = {}
    for e in entries:
        if e['file'].endswith('.c') or 'cmake_pch' in e['file']:
            continue
        groups.setdefault(group(e), []).append(e)
    work = []
    (BUILD / 'joined').mkdir(exist_ok=True)
    for name, es in groups.items():
        joined = BUILD / 'joined' / (name.replace('/', '_') + '.cxx')
        files = list(dict.fromkeys(e['file'] for e in es))
        defines = [a for e in es for a in shlex.split(e['command']) if a.startswith('-D') and not a.startswith('-DPROJNCE_PAGE')]
        if name == 'programs':
            files += [str(x) for x in sorted((ROOT / 'examples').glob('*.cpp'))]
        text = ''
        for k, f in enumerate(files):
            text += f'#define main main_{k}\n#include "{f}"\n#undef main\n'
        joined.write_text(text) if not joined.exists() or joined.read_text() != text else None
        longest = max(es, key=lambda e: len(e['command']))
        includes = []
        for e in es:
            args = shlex.split(e['command'])
            for i, a in enumerate(args):
                if a.startswith(('-I', '-D')) or a.startswith('-m') and name.startswith('projnce'):
                    includes.append(a)
                elif a in ('-isystem', '-I', '-idirafter'):
                    includes += [a, args[i + 1]]
        seen, flags, i = set(), [], 0
        while i < len(includes):
            step = includes[i:i + 2] if includes[i] in ('-isystem', '-I', '-idirafter') else includes[i:i + 1]
            if tuple(step) not in seen:
                seen.add(tuple(step)); flags += step
            i += len(step)
        work.append({'file': str(joined), 'command': 'c++ -std=c++20 -fopenmp -fPIC ' + shlex.join(flags)})
    order = ['trainer', 'library', 'programs', 'tests_trainer', 'tests_library', 'tests_files', 'files', 'kernel']
    work.sort(key=lambda w: order.index(Path(w['file']).stem) if Path(w['file']).stem in order else 99)
    refs, names, errors = {}, {}, []
    if '--only' in sys.argv:
        work = [w for w in work if Path(w['file']).stem == sys.argv[sys.argv.index('--only') + 1]]
    with Pool(JOBS) as pool:
        for k, (source, data) in enumerate(pool.imap_unordered(scan, work)):
            print(f'{k + 1}/{len(work)}', source.replace(str(BUILD), ''), sum(len(v) for v in data['refs'].values()), 'errors', len(data['errors']), flush=True)
            for f, r in data['refs'].items():
                refs.setdefault(f, {}).update(r)
            for f, r in data['names'].items():
                have = names.setdefault(f, {})
                for n, kk in r.items():
                    if have.get(n) in (None, 'w'):
                        have[n] = kk
            errors += data['errors']
    OUT.write_text(json.dumps({'refs': refs, 'names': names, 'errors': sorted(set(errors))}))
    print('files', len(refs), 'references', sum(len(v) for v in refs.values()), 'errors', len(set(errors)))
