/**
 * A table becomes a list of cards on a phone. Each cell has the class of its place in the card: `at-title`, `at-side`,
 * `at-detail` (no label), `at-labelled` or `at-actions`. A cell without a class shows its `data-label`.
 */
export const TABLE_STYLES = `
.cards { width: 100%; border-collapse: collapse; margin-top: .25rem; }
.cards th { text-align: left; font-size: var(--size-small); font-weight: 500; color: var(--soft); }
.cards th, .cards td { padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.cards .amount { text-align: right; font-variant-numeric: tabular-nums; }
.cards td:last-child, .cards th:last-child { padding-right: 0; }
.cards tbody tr:last-child td { border-bottom: 0; }
.cards td.acts { display: table-cell; }
.cards td.acts > * { display: inline-block; margin: 0 .25rem .25rem 0; }
caption { text-align: left; color: var(--soft); font-size: var(--size-small); padding-bottom: .25rem; }
@media (min-width: 60rem) { .cards .name { display: inline-block; min-width: 9rem; } }
@media (max-width: 44rem) {
  .cards, .cards tbody, .cards caption { display: block; }
  .cards thead { position: absolute; left: -100rem; }
  .cards tr { display: flex; flex-wrap: wrap; gap: 0 .5rem; align-items: baseline; border-bottom: 1px solid var(--line); padding: .4rem 0; }
  .cards tbody tr:last-child { border-bottom: 0; }
  .cards td, .cards td.acts { border: 0; padding: 0; display: block; flex-basis: 100%; }
  .cards td:empty { display: none; }
  .cards td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); font-size: var(--size-small); }
  .cards td[class^=at-]::before { content: none; }
  .cards tr::after { content: ""; flex-basis: 100%; order: 1; }
  .cards td.at-title { flex: 1 1 60%; font-weight: 600; }
  .cards td.at-side { flex: 0 1 auto; order: 0; text-align: right; margin-left: auto; }
  .cards td.at-detail, .cards td.at-labelled { flex: 0 1 auto; order: 2; font-size: var(--size-small); color: var(--soft); text-align: left; }
  .cards td.at-labelled::before { content: attr(data-label) " "; }
  .cards td.at-actions { order: 3; }
  .cards td.at-none { display: none; }
}
.figures { border-collapse: collapse; font-size: var(--size-small); font-variant-numeric: tabular-nums; }
.figures th, .figures td { padding: .3rem .5rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
.figures th[scope=row] { text-align: left; position: sticky; left: 0; background: var(--card); max-width: 12rem; white-space: normal; font-weight: 500; }
`
