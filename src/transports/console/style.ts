import { createHash } from "node:crypto"

// A `section` is a card with an `h2`. A page with one form uses `section.narrow`. Rows of `table.cards` become cards on
// a phone, so each `td` needs a `data-label`. `td.acts` contains buttons. Fields of `form.row` are side by side.
// `label.choice` is for a radio button or checkbox before its text. `button.danger` is for irreversible actions.
//
// `.message` has `.done` (role="status"), `.error` (role="alert") or `.note`. `.secret` is a value shown once, and
// `.soft` is secondary text. `.name` may break anywhere, and `.whole` must not break.
//
// Colour never carries information alone.

const COLOR_STYLES = `
:root {
  color-scheme: light dark;
  --page: #fbfaf8; --card: #fff; --ink: #1d2329; --soft: #59626c; --line: #dcdad4; --edge: #767f89; --link: #0b5c9e;
  --good: #dff2e6; --good-ink: #0d4a2b; --bad: #f6dede; --bad-ink: #7c1d1d; --wait: #fff0cf; --wait-ink: #6b4700;
  --plain: #edebe7; --plain-ink: #454b52; --button: #0b5c9e; --button-ink: #fff; --danger: #9b2226; --danger-ink: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --card: #1b1f23; --ink: #e9ecef; --soft: #a2abb5; --line: #30363d; --edge: #7d8894; --link: #7cc0ff;
    --good: #12382a; --good-ink: #b5ecce; --bad: #43191b; --bad-ink: #ffc9c9; --wait: #40320f; --wait-ink: #ffe0a1;
    --plain: #262b31; --plain-ink: #c3cad2; --button: #7cc0ff; --button-ink: #0c1a27; --danger: #ff9d9d; --danger-ink: #2a0d0e;
  }
}
`

const BASE_STYLES = `
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 1rem 1rem 4rem; max-width: 64rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
h1, h2, h3 { line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin-top: 1.5rem; }
h2 { font-size: 1.2rem; margin-bottom: .5rem; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
p, li, dd, .name { overflow-wrap: anywhere; }
td, th { overflow-wrap: break-word; }
.whole { white-space: nowrap; }
p { margin: .5rem 0; }
ul { margin: .5rem 0; padding-left: 1.25rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
main:focus { outline: none; }
.soft { color: var(--soft); font-size: .9rem; }
.number { font-variant-numeric: tabular-nums; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem 1rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; padding-bottom: .75rem; border-bottom: 1px solid var(--line); }
header strong { font-size: 1.1rem; }
header nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: center; flex: 1; min-width: 0; }
header nav a { padding: .6rem 0; }
header nav [aria-current] { color: var(--ink); font-weight: 600; }
header form { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; margin: 0 0 0 auto; min-width: 0; }
header form span { color: var(--soft); font-size: .9rem; overflow-wrap: anywhere; min-width: 0; }
nav.pages { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-top: .75rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin-top: 1.25rem; scroll-margin-top: 1rem; }
.narrow { max-width: 28rem; }
.message { padding: .75rem 1rem; border-radius: .5rem; margin: 1rem 0; }
.message p:first-child, section > :first-child { margin-top: 0; }
.message p:last-child { margin-bottom: 0; }
.done, .badge.good { background: var(--good); color: var(--good-ink); }
.error, .badge.bad { background: var(--bad); color: var(--bad-ink); }
.note, .badge.wait { background: var(--wait); color: var(--wait-ink); }
.message a { color: inherit; }
.badge { font-size: .8rem; font-weight: 600; padding: .1rem .5rem; border-radius: 1rem; background: var(--plain); color: var(--plain-ink); white-space: nowrap; }
code, pre { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; font-size: .875rem; }
code { overflow-wrap: anywhere; }
pre { margin: .5rem 0; padding: .6rem .75rem; background: var(--page); border: 1px solid var(--line); border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.secret { display: block; padding: .6rem .75rem; margin: .5rem 0; background: var(--card); color: var(--ink); border: 2px solid var(--edge); border-radius: .4rem; user-select: all; }
.facts { margin: .5rem 0; display: grid; grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr); gap: .25rem 1rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; }
`

const FORM_STYLES = `
form { margin: .75rem 0 0; display: grid; gap: .75rem; }
form.row { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: end; }
form.row > label { flex: 1 1 12rem; }
label { display: grid; gap: .25rem; font-size: .9rem; color: var(--soft); min-width: 0; }
label.choice { display: flex; gap: .6rem; align-items: baseline; font-size: 1rem; color: var(--ink); padding: .35rem 0; }
label.choice input { flex: none; width: 1.15rem; height: 1.15rem; min-height: 0; margin: .2rem 0 0; align-self: start; accent-color: var(--button); }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
legend { padding: 0; font-size: .9rem; color: var(--soft); }
input, select, textarea {
  font: inherit; font-size: 1rem; width: 100%; min-width: 0; min-height: 2.75rem; padding: .45rem .6rem; border-radius: .4rem;
  border: 1px solid var(--edge); background: var(--page); color: var(--ink);
}
button {
  font: inherit; font-weight: 600; min-height: 2.75rem; padding: .45rem 1.1rem; border: 1px solid var(--edge); border-radius: .4rem;
  background: transparent; color: var(--link); cursor: pointer; justify-self: start;
}
button.primary { background: var(--button); color: var(--button-ink); border-color: transparent; }
button.danger { background: transparent; color: var(--bad-ink); border-color: var(--bad-ink); }
button.primary.danger { background: var(--danger); color: var(--danger-ink); border-color: transparent; }
.acts { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.acts form, td form { margin: 0; }
details { margin-top: .5rem; }
summary { cursor: pointer; color: var(--link); padding: .5rem 0; }
`

const TABLE_STYLES = `
.cards { width: 100%; border-collapse: collapse; margin-top: .5rem; font-size: .95rem; }
.cards th { text-align: left; font-size: .85rem; font-weight: 500; color: var(--soft); }
.cards th, .cards td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.cards td:last-child, .cards th:last-child { padding-right: 0; }
.cards td.acts { display: table-cell; }
.cards td.acts > * { display: inline-block; margin: 0 .25rem .25rem 0; }
caption { text-align: left; color: var(--soft); font-size: .9rem; padding-bottom: .25rem; }
.withdraw { margin: 0; max-width: 20rem; }
.withdraw summary { padding: 0; white-space: nowrap; }
time { white-space: nowrap; }
@media (min-width: 60rem) { .cards .name { display: inline-block; min-width: 9rem; } }
@media (max-width: 44rem) {
  .cards, .cards tbody, .cards tr, .cards td, .cards caption { display: block; }
  .cards thead { position: absolute; left: -100rem; }
  .cards tr { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; margin-top: .6rem; }
  .cards td, .cards td.acts { border: 0; padding: .2rem 0; display: block; }
  .cards td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); font-size: .9rem; }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin-bottom: .5rem; }
  header nav { flex-basis: 100%; }
  header form { margin-left: 0; flex-basis: 100%; justify-content: space-between; }
}
@media (forced-colors: active) { .badge, .message { border: 1px solid CanvasText; } }
@media print { header nav, form { display: none; } }
`

const HOST_PAGE_STYLES = `
body.wide { max-width: none; }
details.more { position: relative; margin: 0; }
details.more > div { display: grid; gap: 0 1.25rem; padding: .25rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
@media (min-width: 44.01rem) { details.more > div { position: absolute; z-index: 2; min-width: 14rem; } }
.choices { max-height: 16rem; overflow: auto; border: 1px solid var(--line); border-radius: .4rem; padding: .25rem .75rem; }
.scroll, section { overflow-x: auto; }
label, legend { overflow-wrap: anywhere; }
.columns { display: grid; gap: 0 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); align-items: start; }
.counts { display: flex; flex-wrap: wrap; gap: .75rem; list-style: none; padding: 0; margin: .75rem 0; }
.counts a { display: grid; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); text-decoration: none; min-width: 8rem; }
.counts strong { font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.month { border-collapse: separate; border-spacing: 0 2px; font-size: .8rem; table-layout: fixed; min-width: 70rem; width: 100%; }
.month th, .month td { padding: .2rem .15rem; text-align: center; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; border-left: 1px solid var(--line); }
.month th[scope=row] { width: 11rem; text-align: left; position: sticky; left: 0; background: var(--card); z-index: 1; font-weight: 500; }
@media (max-width: 44rem) { .month th[scope=row] { width: 6.5rem; white-space: normal; } }
.month th[scope=col].today { text-decoration: underline; font-weight: 700; }
.month .weekend { background: var(--plain); }
.month .stay a { display: block; overflow: hidden; text-overflow: ellipsis; border-radius: .8rem; padding: .15rem .5rem; background: var(--button); color: var(--button-ink); text-decoration: none; text-align: left; }
.month .request a { background: var(--wait); color: var(--wait-ink); border: 2px dashed var(--wait-ink); }
.month .closed { background: repeating-linear-gradient(45deg, var(--plain) 0 4px, var(--edge) 4px 5px); }
.month .elsewhere { background: repeating-linear-gradient(90deg, var(--good) 0 4px, var(--good-ink) 4px 5px); }
.talk { list-style: none; padding: 0; display: grid; gap: .5rem; }
.talk li { padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .6rem; max-width: 42rem; white-space: pre-wrap; }
blockquote { margin: .5rem 0; padding-left: .75rem; border-left: 3px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; }
nav.pages [aria-current] { color: var(--ink); font-weight: 600; }
.talk .host { margin-left: 2rem; background: var(--good); color: var(--good-ink); }
.talk .guest { margin-right: 2rem; }
.papers { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 1rem; }
.papers img { max-width: min(20rem, 100%); max-height: 20rem; border: 1px solid var(--line); border-radius: .4rem; }
svg.year { width: 100%; height: auto; }
svg.year text { fill: var(--soft); font-size: 11px; }
svg.year .bar { fill: var(--button); }
svg.year .line { stroke: var(--line); }
svg.year { min-width: 40rem; }
svg.year .income { fill: none; stroke: var(--ink); stroke-width: 2; }
svg.year circle.income { fill: var(--card); }
.figures { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
.figures th, .figures td { padding: .3rem .5rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
.figures th[scope=row] { text-align: left; position: sticky; left: 0; background: var(--card); max-width: 12rem; white-space: normal; font-weight: 500; }
@media print { .skip, .noprint, header { display: none; } body { padding: 0; } section { border: 0; padding: 0; break-inside: avoid; } }
`

export const STYLE = `${COLOR_STYLES}${BASE_STYLES}${FORM_STYLES}${TABLE_STYLES}${HOST_PAGE_STYLES}`

export const STYLE_PATH = `/console/${createHash("sha256").update(STYLE).digest("hex").slice(0, 16)}.css`
