"""Just enough C++ reading for moving text around: masks, chunks, includes."""
import functools
import re

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(<[^>]+>|"[^"]+")[^\n]*$', re.M)


TOKENS = re.compile(r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<raw>(?<![A-Za-z0-9_])(?:u8|u|U|L)?R"(?P<tag>[^ ()\\\t\n]*)\(.*?\)(?P=tag)")"""
                    r"""|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<char>(?<![A-Za-z0-9])'(?:\\.|[^'\\\n])*')"""
                    r"""|(?P<directive>^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)""", re.S | re.M)


@functools.lru_cache(maxsize=20000)
def mask(text):
    """The text with comments, strings, characters and directives blanked; same length, same newlines."""
    def blank(m):
        s = re.sub(r'[^\n]', ' ', m[0])
        return '"' + s[1:-1] + '"' if m.lastgroup == 'string' else s
    return TOKENS.sub(blank, text)


class Chunk:
    """A declaration with the comments in front of it."""

    def __init__(self, lead, code):
        self.lead, self.code = lead, code

    @property
    def masked(self):
        return mask(self.code).strip()

    def text(self):
        return (self.lead + '\n' if self.lead else '') + self.code

    @property
    def kind(self):
        m = self.masked
        if self.code.lstrip().startswith('#'):
            return 'directive'
        if re.match(r'namespace\s*\{', m):
            return 'anonymous'
        if re.match(r'namespace\s+\w+\s*=', m):
            return 'alias'
        if re.match(r'namespace\s+[\w:]+\s*\{', m):
            return 'namespace'
        if re.match(r'using\b', m):
            return 'using'
        t = re.sub(r'^template\s*<', '', m)
        if t != m:  # skip the parameters
            depth, k = 1, 0
            while depth and k < len(t):
                depth += {'<': 1, '>': -1}.get(t[k], 0)
                k += 1
            t = t[k:].strip()
        if re.match(r'(class|struct|union|enum)\b', t) and ('{' in t or t.endswith(';')) \
                and not re.match(r'(class|struct|union|enum)\s+[\w:]+\s+\w+\s*\(', t):
            return 'type'
        if m.endswith(';') and self._paren() >= 0 and '=' not in m[:self._paren()] and not m.rstrip(';').rstrip().endswith('}'):
            return 'declaration' if self.name and not self.name.isupper() and not re.match(r'[A-Z_]+$', self.name) else 'other'
        if m.endswith('}') and self._paren() >= 0:
            return 'definition'
        return 'other'

    def _paren(self):
        m, depth = self.masked, 0
        for k, c in enumerate(m):
            if c == '<' and k and (m[k-1].isalnum() or m[k-1] in '_ ') and not m[k-1] == ' ' or m.startswith('template <', max(0, k-9)) and c == '<' and k <= 9:
                depth += 1
            elif c == '>' and depth:
                depth -= 1
            elif c == '(' and depth == 0:
                return k
            elif c in '{=' and depth == 0:
                return -1
        return -1

    @property
    def name(self):
        k = self._paren()
        if k < 0:
            return None
        m = re.search(r'(operator\s*[^\w\s]+|[\w~:]+)\s*$', self.masked[:k])
        return m[1] if m else None


def split_chunks(text):
    """Chunks of a namespace's body, and the trailing text that is none."""
    m = mask(text)
    lines_directive = [(x.start(), x.end()) for x in re.finditer(r'^[ \t]*#(?:\\\n|[^\n])*', text, re.M)
                       if m[x.start():x.end()].strip() == '']
    # directives inside strings/comments were blanked with their surroundings as well: check the text
    starts = {a: b for a, b in lines_directive}
    chunks, begin, i, depth, paren, n = [], 0, 0, 0, 0, len(text)

    def emit(end):
        nonlocal begin
        raw = text[begin:end]
        mk = m[begin:end]
        k = len(mk) - len(mk.lstrip())
        # lead: comments before the first code character
        line = raw.rfind('\n', 0, k) + 1
        lead, code = raw[:line], raw[line:]
        chunks.append(Chunk(lead.strip('\n'), code.strip('\n').rstrip()))
        begin = end
    while i < n:
        if i in starts and depth == 0 and paren == 0 and m[begin:i].strip() == '' :
            end = starts[i]
            raw = text[begin:i]
            chunks.append(Chunk(raw.strip('\n').strip(' '), text[i:end]))
            begin = i = end
            continue
        c = m[i]
        if c in '([':
            paren += 1
        elif c in ')]':
            paren -= 1
        elif c == '{':
            depth += 1
        elif c == '}':
            depth -= 1
            if depth == 0 and paren == 0:
                rest = m[i+1:].lstrip()
                if not rest[:1] or rest[0] not in ';,{=)':
                    # `X x{...};` ends with ; handled below; a body ends here
                    head = m[begin:i].lstrip()
                    if re.match(r'(?:template\b.*?)?(class|struct|union|enum)\b', head, re.S) and not rest.startswith(';') \
                            and '(' not in head.split('{')[0]:
                        i += 1
                        continue
                    end = i + 1
                    eol = text.find('\n', end)
                    eol = n if eol < 0 else eol
                    if m[end:eol].strip() == '':
                        end = eol
                    emit(end); i = end; continue
        elif c == ';' and depth == 0 and paren == 0:
            end = i + 1
            eol = text.find('\n', end)
            eol = n if eol < 0 else eol
            if m[end:eol].strip() == '':
                end = eol
            emit(end); i = end; continue
        i += 1
    return chunks, text[begin:].strip('\n')


def join_chunks(chunks):
    """Text of chunks, a blank line between those that are more than a line or have comments."""
    out = ''
    for k, c in enumerate(chunks):
        t = c.text().strip('\n')
        if k:
            p = chunks[k-1]
            tight = p.kind == c.kind and p.kind in ('using', 'alias', 'directive', 'declaration', 'other') \
                and not c.lead and getattr(c, 'tight', c.kind in ('using', 'alias', 'directive'))
            out += '\n' if tight else '\n\n'
        out += t
    return out


class Source:
    """A file as: comment, #pragma once, includes, text before, namespace projnce { body }, text after."""

    def __init__(self, text, path):
        self.path = path
        m = mask(text)
        dirs = [x for x in INCLUDE.finditer(text)]
        self.includes = [x[1] for x in dirs]
        self.include_lines = [x[0].strip() for x in dirs]
        first = min([x.start() for x in dirs] + [text.find('#pragma once')] if '#pragma once' in text else [x.start() for x in dirs] or [0])
        self.comment = text[:first].strip('\n')
        last = max([x.end() for x in dirs] + [text.find('#pragma once') + 12 if '#pragma once' in text else 0])
        self.pragma = '#pragma once' in text
        between = text[first:last]
        left = INCLUDE.sub('', between).replace('#pragma once', '')
        self.odd = left.strip()   # comments or conditionals among the includes
        body = text[last:]
        chunks, tail = split_chunks(body)
        self.spaces = [c for c in chunks if re.match(r'namespace\s+projnce\s*\{', c.masked)]
        self.outside = [c for c in chunks if c not in self.spaces]
        self.tail = tail
        self.ok = len(self.spaces) == 1 and not self.outside and not self.odd and not tail.strip()
        if len(self.spaces) == 1:
            code = self.spaces[0].code
            mk = mask(code)
            a, b = mk.find('{') + 1, mk.rfind('}')
            self.body = code[a:b].strip('\n')
            self.space_lead = self.spaces[0].lead.strip('\n')
        else:
            self.body = None

    def why_not(self):
        return f'{self.path}: namespaces {len(self.spaces)}, outside {[c.code[:40] for c in self.outside]}, odd {self.odd[:60]!r}, tail {self.tail[:40]!r}'


def anonymous_inner(chunk):
    mk = mask(chunk.code)
    return chunk.code[mk.find('{') + 1:mk.rfind('}')].strip('\n')
