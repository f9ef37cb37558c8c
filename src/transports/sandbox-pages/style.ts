/** Statuses differ in words, not only in colour. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #fbfaf8; --card: #fff; --ink: #1d2329; --soft: #59626c; --line: #dcdad4; --link: #0b5c9e;
  --free: #dff2e6; --free-ink: #0d4a2b; --sold: #f6dede; --sold-ink: #7c1d1d; --closed: #edebe7; --closed-ink: #50565d;
  --wait: #fff0cf; --wait-ink: #6b4700; --button: #0b5c9e; --button-ink: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --card: #1b1f23; --ink: #e9ecef; --soft: #a2abb5; --line: #30363d; --link: #7cc0ff;
    --free: #12382a; --free-ink: #b5ecce; --sold: #43191b; --sold-ink: #ffc9c9; --closed: #262b31; --closed-ink: #b3bac2;
    --wait: #40320f; --wait-ink: #ffe0a1; --button: #7cc0ff; --button-ink: #0c1a27;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 70rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
h1, h2, h3 { line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; }
h2 { font-size: 1.3rem; margin-bottom: .75rem; }
h3 { font-size: 1.05rem; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
code { font-size: .85em; overflow-wrap: anywhere; }
section { margin-top: 2.25rem; scroll-margin-top: 1rem; }
.soft, .id { color: var(--soft); font-weight: 400; }
.id { font-size: .9rem; }
.soft { font-size: .9rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin: 0 0 1rem; }
.tag, .status { font-size: .8rem; font-weight: 600; padding: .1rem .5rem; border-radius: 1rem; border: 1px solid var(--line); }
.status { background: var(--closed); color: var(--closed-ink); }
.status.accepted, .status.active { background: var(--free); color: var(--free-ink); }
.status.wait_accept, .status.wait_pay { background: var(--wait); color: var(--wait-ink); }
.message { padding: .75rem 1rem; border-radius: .5rem; }
.done { background: var(--free); color: var(--free-ink); }
.error { background: var(--sold); color: var(--sold-ink); }
form { margin: 0; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .75rem 1rem; align-items: end; }
label { display: grid; gap: .2rem; font-size: .85rem; color: var(--soft); }
input, select, textarea {
  font: inherit; font-size: 1rem; width: 100%; padding: .45rem .5rem; border: 1px solid var(--soft); border-radius: .4rem;
  background: var(--page); color: var(--ink); min-width: 0;
}
button {
  font: inherit; font-weight: 600; padding: .5rem 1rem; border: 1px solid transparent; border-radius: .4rem;
  background: var(--button); color: var(--button-ink); cursor: pointer;
}
details { font-size: .9rem; }
.fields details { grid-column: 1 / -1; }
summary { cursor: pointer; color: var(--link); padding: .3rem 0; }
.seldom { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .75rem 1rem; align-items: end; padding: .25rem 0 .5rem; }
.quiet .seldom { display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; }
.acts { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; align-items: end; }
.quiet { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
.quiet label { width: 9.5rem; }
.quiet button { background: transparent; color: var(--link); border-color: var(--link); }
.quiet .lines { width: 20rem; max-width: 100%; }
.fields .lines { grid-column: 1 / -1; }
textarea { resize: vertical; }
.talk { list-style: none; margin: .75rem 0; padding: 0; display: grid; gap: .5rem; }
.talk li { padding: .5rem .75rem; border-radius: .6rem; max-width: 42rem; min-width: 0; background: var(--closed); color: var(--closed-ink); }
.talk .host { justify-self: end; background: var(--free); color: var(--free-ink); }
.talk .who { font-size: .8rem; margin: 0; }
.words { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
.talk img { display: block; max-width: 100%; max-height: 16rem; margin-top: .5rem; border-radius: .4rem; }
.talk a { color: inherit; overflow-wrap: anywhere; }
.offers, .said { margin: .5rem 0; padding-left: 1.25rem; overflow-wrap: anywhere; }
.rooms { margin: .5rem 0; padding-left: 1.25rem; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: separate; border-spacing: 3px; width: 100%; }
caption { text-align: left; font-size: .85rem; color: var(--soft); padding: 0 3px .25rem; }
th { font-size: .8rem; font-weight: 500; color: var(--soft); text-align: left; padding: .2rem .4rem; }
.calendar { table-layout: fixed; min-width: 34rem; }
.calendar td { height: 3.4rem; padding: .2rem .4rem; border-radius: .4rem; vertical-align: top; font-variant-numeric: tabular-nums; line-height: 1.25; }
.calendar td > * { display: block; }
.price { font-weight: 600; }
.state, .rule { font-size: .75rem; }
.free { background: var(--free); color: var(--free-ink); }
.sold { background: var(--sold); color: var(--sold-ink); }
.closed { background: var(--closed); color: var(--closed-ink); }
.sold .price, .closed .price { text-decoration: line-through; font-weight: 400; }
.rows { border-spacing: 0; font-size: .9rem; min-width: 44rem; }
.rows td, .rows th { padding: .35rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
.more { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-top: .5rem; }
@media (max-width: 40rem) {
  .card { padding: .75rem .6rem; }
  .calendar { min-width: 0; border-spacing: 2px; }
  .calendar td { padding: .1rem .2rem; font-size: .8rem; border-radius: .25rem; overflow-wrap: anywhere; }
  .calendar th { padding: .1rem; }
  .state, .rule { font-size: .65rem; }
  .fields, .seldom { grid-template-columns: repeat(2, minmax(0, 1fr)); }
}
@media (forced-colors: active) { .calendar td { border: 1px solid CanvasText; } }
`
