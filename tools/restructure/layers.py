import re,sys
from pathlib import Path
from collections import defaultdict
root=Path(sys.argv[1]); g=defaultdict(lambda: defaultdict(list))
mod=lambda s: 'report/build' if s.startswith('report/build/') else s.split('/')[0]
for p in sorted((root/'projnce').rglob('*')):
    if p.suffix in('.h','.cpp','.in') and p.parent!=root/'projnce':
        m=mod(str(p.relative_to(root/'projnce')))
        for t in re.findall(r'^#include "projnce/(\w+)/([^"]+)"',p.read_text(),re.M):
            t=(mod('/'.join(t)),t[1])
            if t[0]!=m: g[m][t[0]].append(f'{p.relative_to(root/"projnce")} -> {"/".join(t)}')
for m in g: print(m,'->',' '.join(f'{k}({len(v)})' for k,v in sorted(g[m].items())))
# cycles
def reach(a):
    s=set(); st=[a]
    while st:
        x=st.pop()
        for y in g.get(x,{}):
            if y not in s: s.add(y); st.append(y)
    return s
R={m:reach(m) for m in list(g)}
for a in R:
    for b in g[a]:
        if a in R.get(b,()): print('CYCLE',a,b,g[a][b][:6])
# order
