/**
 * Free and taken days differ in shape, not only in colour: taken days are struck through and hatched. Text in `i` is
 * for screen readers only.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #fbfaf8; --ink: #1d2329; --soft: #59626c; --line: #dcdad4; --link: #0b5c9e;
  --free: #dff2e6; --free-ink: #0d4a2b; --free-edge: #8cc7a3;
  --taken: #edebe7; --hatch: #dedbd5; --taken-ink: #5a5f66;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --ink: #e9ecef; --soft: #a2abb5; --line: #30363d; --link: #7cc0ff;
    --free: #12382a; --free-ink: #b5ecce; --free-edge: #2f7d57;
    --taken: #22262b; --hatch: #2c3137; --taken-ink: #a3abb4;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 76rem;
  background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
h1, h2 { line-height: 1.2; overflow-wrap: anywhere; margin: 0; }
h1 { font-size: 1.75rem; }
h2 { font-size: 1.3rem; }
p { margin: .5rem 0; }
a { color: var(--link); overflow-wrap: anywhere; }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
i {
  position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap;
}
.soft { color: var(--soft); }
.legend, .list { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; }
.legend { margin: 1rem 0 0; }
.legend li { display: flex; align-items: center; gap: .5rem; }
.list { margin: 1.25rem 0 0; gap: .5rem; }
.list a {
  display: block; padding: .4rem .8rem; border: 1px solid var(--line); border-radius: 2rem;
  color: inherit; text-decoration: none;
}
.list a:hover { border-color: var(--link); }
section { margin-top: 2.25rem; scroll-margin-top: 1rem; }
section + section { border-top: 1px solid var(--line); padding-top: 1.75rem; margin-top: 1.75rem; }
.months { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1.75rem 2.5rem; margin-top: 1rem; }
main > .months { margin-top: 2rem; }
table { width: 100%; border-collapse: separate; border-spacing: 3px; table-layout: fixed; align-self: start; }
caption { text-align: left; font-weight: 600; padding: 0 3px .25rem; }
th { position: relative; color: var(--soft); font-size: .8rem; font-weight: 500; padding: .2rem 0; }
td { position: relative; height: 2.4rem; padding: 0; text-align: center; font-variant-numeric: tabular-nums; }
.swatch { width: 2.2rem; height: 2.2rem; display: inline-grid; place-items: center; font-variant-numeric: tabular-nums; }
b { font-weight: inherit; }
.free, .taken { border-radius: .4rem; border: 1px solid transparent; }
.free { background: var(--free); color: var(--free-ink); border-color: var(--free-edge); font-weight: 600; }
.taken {
  color: var(--taken-ink); background: repeating-linear-gradient(135deg, var(--taken) 0 5px, var(--hatch) 5px 8px);
}
.taken b { text-decoration: line-through; text-decoration-thickness: 2px; }
.past { color: var(--soft); font-size: .85rem; }
.today { border-radius: .4rem; }
.today, [aria-current] { outline: 2px solid var(--ink); outline-offset: 1px; }
footer { margin-top: 2.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
@media print {
  :root {
    --page: #fff; --ink: #000; --soft: #333; --line: #999; --link: #000;
    --free: #fff; --free-ink: #000; --free-edge: #000; --taken: #eee; --hatch: #ccc; --taken-ink: #333;
  }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .online { display: none; }
  .months { grid-template-columns: repeat(3, 1fr); gap: 1rem 1.5rem; }
  section, table { break-inside: avoid; }
  section + section { break-before: page; border: 0; padding: 0; margin: 0; }
  td { height: 1.8rem; }
  .free, .taken { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
@media (forced-colors: active) {
  .free { border-color: CanvasText; }
  .taken { color: GrayText; }
}
`
