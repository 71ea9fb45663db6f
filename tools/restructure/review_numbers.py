#!/usr/bin/env python3
"""Numbers of REVIEW 1: files, lines, single-includer headers, types by namespace. usage: numbers.py ROOT [-v]"""
import re,sys,statistics,importlib.util
from collections import defaultdict,Counter
from pathlib import Path
root=Path(sys.argv[1]); verbose='-v' in sys.argv
spec=importlib.util.spec_from_file_location('cl',root/'tools/check_layers.py'); cl=importlib.util.module_from_spec(spec); spec.loader.exec_module(cl)
src=[p for d in('projnce','apps') for p in sorted((root/d).rglob('*')) if p.suffix in('.h','.cpp')]
n={p:p.read_text().count('\n') for p in src}
print('source files (.h/.cpp of projnce, apps):',len(src),' lines',sum(n.values()),' median',statistics.median(n.values()),' mean %.1f'%statistics.mean(n.values()),' max',max(n.values()))
for p in src:
    if n[p]>(200 if p.suffix=='.h' else 400): print('  too long:',p.relative_to(root),n[p])
INC=re.compile(r'^\s*#include "([^"]+)"',re.M)
allf=[p for d in('projnce','apps','tests','bench','python','examples') if (root/d).exists() for p in (root/d).rglob('*') if p.suffix in('.h','.cpp','.in')]
by=defaultdict(set)
for p in allf:
    for t in INC.findall(p.read_text()): by[t].add(str(p.relative_to(root)))
hs=[str(p.relative_to(root)) for p in src if p.suffix=='.h']
one=[]
for h in hs:
    own=h[:-2]+'.cpp'
    prod={i for i in by[h] if i.split('/')[0] in('projnce','apps','python') and i!=own and i!='projnce/projnce.h'}
    test={i for i in by[h] if i.split('/')[0] in('tests','bench','examples')}
    if len(prod)==1: one.append((h,next(iter(prod)),len(test)))
print('headers:',len(hs),' with exactly one production includer:',len(one),
      '(of these: included by no test',sum(not t for *_,t in one),'; and by a source',sum((not t) and y.endswith('.cpp') for _,y,t in one),')')
types=Counter()
for p in src:
    for t in set(cl.defined_types(p.read_text())): types['::'.join(t.split('::')[:-1])]+=1
print('types by namespace:',dict(types.most_common()))
if verbose:
    for h,y,t in sorted(one): print(' ',h,n[root/h],(n.get(root/(h[:-2]+'.cpp'),0)),'<-',y,n.get(root/y),'TEST' if t else '')
