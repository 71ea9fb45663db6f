"""g++ -fsyntax-only on unity sources of a build tree whose name contains a word. usage: syn.py BUILD WORD... > log"""
import json,shlex,subprocess,sys
for e in json.load(open(sys.argv[1]+'/compile_commands.json')):
    if any(w in e['file'] for w in sys.argv[2:]):
        a=[x for x in shlex.split(e['command']) if x not in('-c','ccache')]
        if '-o' in a: i=a.index('-o'); del a[i:i+2]
        r=subprocess.run(a+['-fsyntax-only','-fmax-errors=0'],cwd=e['directory'],text=True,capture_output=True)
        print(e['file'],r.returncode,file=sys.stderr); print(r.stderr)
