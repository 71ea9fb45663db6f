import re,sys,subprocess
from collections import defaultdict
files=subprocess.check_output(['git','ls-files','projnce/pipeline'],text=True).split()
inc=re.compile(r'^\s*#include "projnce/pipeline/([^"]+)\.h"',re.M)
g=defaultdict(set)
for f in files:
    if f.endswith(('.h','.cpp')):
        u=f.split('/')[-1].rsplit('.',1)[0]
        g[u]|=set(inc.findall(open(f).read()))-{u}
for u in sorted(g): print(u,'->',' '.join(sorted(g[u])))
