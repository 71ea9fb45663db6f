#include "projnce/reproduce/result_page_style.h"

#include <fmt/format.h>

#include <string_view>

namespace projnce {

namespace {

constexpr std::string_view kResultStyle = R"(
:root { --accent: #36509c; --best: #2c7a3f; }
@media (prefers-color-scheme: dark) { :root { --accent: #8ea6f5; --best: #7fce90; } }
header p { max-width: 46rem; font-size: 1.06rem; color: var(--text); }
.about { max-width: 46rem; }
h2 { margin: 2.4rem 0 0; font-size: 1.15rem; font-weight: 650; }
pre { margin: 1.1rem 0 0; padding: .7rem 1rem; overflow-x: auto; background: var(--panel);
  border: 1px solid var(--line); border-radius: 8px; font-size: .87rem; }
a { color: var(--accent); text-underline-offset: .2em; }
.wide { margin-top: .9rem; overflow-x: auto; background: var(--panel);
  border: 1px solid var(--line); border-radius: 10px; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .55rem .9rem; text-align: right; vertical-align: top; }
tr > :first-child { text-align: left; }
tbody tr, tfoot tr { border-top: 1px solid var(--line); }
thead th { font-size: .84rem; font-weight: 600; color: var(--soft); vertical-align: bottom; }
tbody th { position: sticky; left: 0; background: var(--panel); font-weight: 600;
  white-space: nowrap; }
td { white-space: nowrap; }
td b { font-weight: 500; }
td > span:not(.bar) { color: var(--soft); font-size: .87rem; }
.best b { font-weight: 750; color: var(--best); }
.wide + p { margin-top: .7rem; }
.none { color: var(--soft); }
.bar { display: block; width: 6rem; height: 3px; margin: .3rem 0 .25rem auto; border-radius: 2px;
  background: var(--line); overflow: hidden; }
.bar i { display: block; height: 100%; border-radius: 2px; background: var(--accent); }
.best .bar i { background: var(--best); }
td small { display: block; font-size: .78rem; color: var(--soft); }
tfoot th, tfoot td { font-size: .84rem; font-weight: 400; color: var(--soft); }
figure { margin: 1.1rem 0 0; overflow-x: auto; background: var(--panel);
  border: 1px solid var(--line); border-radius: 10px; }
figcaption { padding: 0 1.5rem 1rem; font-size: .84rem; color: var(--soft); }
figure svg { display: block; max-width: 100%; height: auto; margin: 0 auto; }
ul { margin: .7rem 0 0; padding-left: 1.2rem; max-width: 52rem; }
li { margin-top: .3rem; }
details { margin-top: 2.4rem; }
summary { font-size: 1.15rem; font-weight: 650; cursor: pointer; }
.runs { font-size: .87rem; }
.runs td { padding: .35rem .9rem; }
.runs :is(th, td):is(:nth-child(2), :last-child) { text-align: left; }
svg .ground { fill: var(--panel); }
svg .panel { fill: var(--panel); stroke: var(--line); }
svg .rule { stroke: var(--line); }
svg .text { fill: var(--text); }
svg .soft { fill: var(--soft); }
svg .halo { stroke: var(--panel); }
.mark { transition: opacity .12s; }
.key { cursor: default; outline: none; }
.key rect { pointer-events: all; }
.key:is(:hover, :focus-visible) rect { fill: var(--line); }
@media (max-width: 40rem) {
  body { padding: 1.5rem .9rem 3rem; }
  th, td { padding: .5rem .6rem; }
}
)";

}  // namespace

std::string result_page_style(size_t curves) {
  std::string style(kResultStyle);
  for (size_t i = 0; i < curves; ++i) {
    style += fmt::format(
        "svg:has(.k{0}:is(:hover, :focus-visible)) .mark:not(.c{0}) {{ opacity: .1; }}\n", i);
  }
  return style;
}

}  // namespace projnce
