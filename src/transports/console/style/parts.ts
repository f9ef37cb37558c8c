/** Cards, messages, toasts, badges, facts and counts. `.whole` must not break, `.name` may break anywhere. */
export const PART_STYLES = `
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin-top: 1rem; scroll-margin-top: 1rem; overflow-x: auto; }
.narrow { max-width: 28rem; }
.scroll { overflow-x: auto; }
.message { padding: .6rem 1rem; border-radius: .5rem; margin: 1rem 0; }
.message p:first-child, .message ul:first-child, section > :first-child { margin-top: 0; }
.message p:last-child, .message ul:last-child { margin-bottom: 0; }
.done, .badge.good { background: var(--good); color: var(--good-ink); }
.error, .badge.bad { background: var(--bad); color: var(--bad-ink); }
.note, .badge.wait { background: var(--wait); color: var(--wait-ink); }
.message a { color: inherit; }
.toast {
  position: fixed; z-index: 15; right: 1rem; bottom: 1rem; max-width: min(26rem, calc(100vw - 2rem)); display: flex; gap: .75rem; align-items: center;
  padding: .6rem 1rem; border-radius: .5rem; background: var(--good); color: var(--good-ink); box-shadow: var(--shadow);
  animation: toast-end .3s 10s forwards;
}
.toast form { margin: 0; }
.toast button { min-height: 2rem; color: inherit; border-color: currentColor; }
.toast:hover, .toast:focus-within { animation-play-state: paused; }
@keyframes toast-end { to { opacity: 0; visibility: hidden; } }
@media (max-width: 59.99rem) { .toast { bottom: 4.25rem; } }
.badge { font-size: var(--size-small); font-weight: 600; padding: .05rem .5rem; border-radius: 1rem; background: var(--plain); color: var(--plain-ink); white-space: nowrap; }
.secret { display: block; padding: .6rem .75rem; margin: .5rem 0; background: var(--card); color: var(--ink); border: 2px solid var(--edge); border-radius: .4rem; user-select: all; }
.facts { margin: .5rem 0; display: grid; grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr); gap: .25rem 1rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; }
@media (max-width: 44rem) { .facts { grid-template-columns: minmax(5rem, 8rem) minmax(0, 1fr); } }
.columns { display: grid; gap: 0 1rem; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); align-items: start; }
.counts { display: flex; flex-wrap: wrap; gap: .75rem; list-style: none; padding: 0; margin: .75rem 0; }
.counts a { display: grid; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); text-decoration: none; min-width: 8rem; }
.counts strong { font-size: var(--size-page); font-variant-numeric: tabular-nums; }
.empty { padding: 1.5rem 1rem; text-align: center; color: var(--soft); }
nav.pages { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-top: .75rem; }
nav.pages [aria-current] { color: var(--ink); font-weight: 600; }
@media (forced-colors: active) { .badge, .message, .toast { border: 1px solid CanvasText; } }
@media print { section { border: 0; padding: 0; break-inside: avoid; } .noprint { display: none; } }
`
