/** The overview, the start page and the rules of the automation. */
export const OVERVIEW_STYLES = `
@media (max-width: 44rem) {
  .counts { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem; }
  .counts a { display: flex; gap: .4rem; align-items: baseline; padding: .4rem .6rem; min-width: 0; height: 100%; font-size: var(--size-small); }
  .counts strong { font-size: var(--size-section); }
  .day-list td.at-side button, .day-list td.at-side a.button { min-height: 2rem; padding: .1rem .6rem; }
}
.day-list td:last-child { text-align: right; }
.counts strong, .day-list button { white-space: nowrap; }
.day-list form { display: inline-block; }
.steps { margin: 0; padding: 0; list-style: none; counter-reset: step; }
.steps > li { counter-increment: step; position: relative; padding: .75rem 0 .75rem 2.5rem; border-top: 1px solid var(--line); }
.steps > li::before {
  content: counter(step); position: absolute; left: 0; top: .75rem; width: 1.75rem; height: 1.75rem; border-radius: 50%;
  display: grid; place-items: center; border: 1px solid var(--edge); font-weight: 600;
}
.steps > li.is-done::before { content: "✓"; background: var(--good); color: var(--good-ink); border-color: transparent; }
.steps h2 { margin: 0; font-size: var(--size-body); line-height: 1.75rem; }
.rules .quote { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; overflow-wrap: anywhere; }
.rules td .since { display: block; }
.rules td details { margin: 0; }
.rules td.at-actions { min-width: 10.5rem; }
@media (max-width: 44rem) { .rules td .since { display: none; } .rules .quote { -webkit-line-clamp: 1; } .rules td.at-actions button, .rules td.at-actions a.button { min-height: 2rem; padding: .1rem .6rem; } .rules td.at-actions .acts { display: inline-flex; margin-right: .75rem; } }
.welcome { border-left: .3rem solid var(--button); }
`
