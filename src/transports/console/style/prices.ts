/**
 * The grid of prices. Its first column stays while the days scroll, and the form below it stays in sight. Details with
 * `.desktop-only` would make the cards of listings too high on a phone.
 */
export const PRICE_STYLES = `
.price-form { gap: .5rem; }
.price-form .scroll { border: 1px solid var(--line); border-radius: .6rem; background: var(--card); }
.prices { border-collapse: separate; border-spacing: 0; font-size: var(--size-small); font-variant-numeric: tabular-nums; table-layout: fixed; width: 100%; min-width: 60rem; }
.prices th, .prices td { padding: .3rem .4rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); vertical-align: top; font-weight: 400; }
.prices thead th { color: var(--soft); }
.prices thead abbr { text-decoration: none; }
.prices th.today { color: var(--ink); font-weight: 700; }
.prices th:first-child { position: sticky; left: 0; z-index: 1; background: var(--card); text-align: left; white-space: normal; overflow-wrap: anywhere; width: 16rem; border-right: 1px solid var(--line); }
.prices tbody th .choice { font-size: inherit; font-weight: 600; padding: 0; }
.prices .state { display: block; padding-left: 1.75rem; }
.prices thead .choice { font-size: inherit; padding: 0; }
.prices .weekend { background: var(--plain); }
.prices tr:has(:checked), .prices tr:has(:checked) th { background: var(--current); }
.prices small { display: block; color: var(--soft); font-size: .6875rem; }
.prices .listing th:first-child { padding-left: 2rem; }
.prices .listing .reason { text-align: left; color: var(--soft); }
.prices .mark { text-decoration: none; font-weight: 700; color: var(--bad-ink); }
.prices tbody:last-child tr:last-child > * { border-bottom: 0; }
.price-bar { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .75rem 1rem; display: grid; gap: .5rem; }
.price-bar .fields { grid-template-columns: repeat(auto-fit, minmax(min(7rem, 100%), 1fr)); }
.price-bar .acts { gap: .5rem 1.25rem; }
.price-bar .choices { display: flex; flex-wrap: wrap; gap: 0 .9rem; border: 0; padding: 0; max-height: none; align-items: center; }
.price-bar .choices .choice { gap: .35rem; padding: .25rem 0; }
.price-bar legend { float: left; padding-right: .25rem; }
.price-bar details { margin: 0; }
.listing-facts time { white-space: normal; }
.price-result ul { columns: 22rem; padding-left: 1rem; }
@media (max-width: 44rem) {
  .desktop-only { display: none; }
  .prices { min-width: 56rem; }
  .prices th:first-child { width: 10rem; }
  .prices .listing th:first-child { padding-left: .4rem; }
  .prices tbody .choice { gap: .4rem; }
  .price-bar .fields { grid-template-columns: 1fr 1fr; }
}
@media (min-width: 60rem) and (min-height: 40rem) {
  .price-bar { position: sticky; bottom: 0; z-index: 2; box-shadow: var(--shadow); }
}
`
