export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #fbfaf8; --card: #fff; --ink: #1d2329; --soft: #59626c; --line: #dcdad4; --link: #0b5c9e;
  --good: #dff2e6; --good-ink: #0d4a2b; --bad: #f6dede; --bad-ink: #7c1d1d; --button: #0b5c9e; --button-ink: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --card: #1b1f23; --ink: #e9ecef; --soft: #a2abb5; --line: #30363d; --link: #7cc0ff;
    --good: #12382a; --good-ink: #b5ecce; --bad: #43191b; --bad-ink: #ffc9c9; --button: #7cc0ff; --button-ink: #0c1a27;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 1.25rem 1rem 3rem; max-width: 40rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
h1, h2 { line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; }
h2 { font-size: 1.15rem; margin-bottom: .5rem; }
p, li, dd { overflow-wrap: anywhere; }
p { margin: .5rem 0; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
.soft { color: var(--soft); font-size: .9rem; }
.message { padding: .75rem 1rem; border-radius: .5rem; }
.done { background: var(--good); color: var(--good-ink); }
.error { background: var(--bad); color: var(--bad-ink); }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin-top: 1rem; }
dl { margin: 0; display: grid; gap: .25rem; }
dt { color: var(--soft); font-size: .9rem; }
dd { margin: 0 0 .5rem; }
ul { margin: .5rem 0; padding-left: 1.25rem; }
.address { white-space: pre-line; }
.code { font-size: 2rem; font-weight: 700; font-variant-numeric: tabular-nums; letter-spacing: .05em; }
form { margin-top: .75rem; display: grid; gap: .75rem; }
label { display: grid; gap: .25rem; font-size: .9rem; color: var(--soft); min-width: 0; }
input, select {
  font: inherit; font-size: 1rem; width: 100%; min-width: 0; min-height: 2.75rem; padding: .45rem .6rem; border-radius: .4rem;
  border: 1px solid var(--soft); background: var(--page); color: var(--ink);
}
button {
  font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid transparent;
  border-radius: .4rem; background: var(--button); color: var(--button-ink); cursor: pointer; justify-self: start;
}
@media print {
  :root { --page: #fff; --card: #fff; --ink: #000; --soft: #333; --line: #999; --link: #000; }
  form { display: none; }
  section { break-inside: avoid; }
}
`
