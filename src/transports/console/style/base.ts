/** The typographic scale has four sizes: `--size-page`, `--size-section`, `--size-body` and `--size-small`. */
export const BASE_STYLES = `
:root { --size-page: 1.5rem; --size-section: 1.125rem; --size-body: 1rem; --size-small: .875rem; }
@media (min-width: 60rem) { :root { --size-body: .9375rem; --size-small: .8125rem; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  background: var(--page); color: var(--ink);
  font: var(--size-body)/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
h1, h2, h3 { line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
h1 { font-size: var(--size-page); }
h2 { font-size: var(--size-section); margin-bottom: .5rem; }
h3 { font-size: var(--size-body); margin: 1rem 0 .25rem; }
p, li, dd, .name { overflow-wrap: anywhere; }
td, th { overflow-wrap: break-word; }
.whole, time { white-space: nowrap; }
p { margin: .5rem 0; }
ul { margin: .5rem 0; padding-left: 1.25rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
.soft { color: var(--soft); font-size: var(--size-small); }
.number { font-variant-numeric: tabular-nums; }
code, pre { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; font-size: var(--size-small); }
code { overflow-wrap: anywhere; }
pre { margin: .5rem 0; padding: .6rem .75rem; background: var(--page); border: 1px solid var(--line); border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
blockquote { margin: .5rem 0; padding-left: .75rem; border-left: 3px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin-top: .5rem; }
summary { cursor: pointer; color: var(--link); padding: .5rem 0; }
`
