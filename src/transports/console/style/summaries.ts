/** Big figures, the period of a page, filters that phones hide behind a summary, and forms in a table row. */
export const SUMMARY_STYLES = `
.totals { display: grid; gap: .5rem 1rem; margin: .25rem 0; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); }
.totals dt { font-size: var(--size-small); color: var(--soft); }
.totals dd { margin: 0; overflow-wrap: anywhere; }
.totals dd:not(.soft) { font-size: var(--size-page); font-weight: 600; line-height: 1.3; font-variant-numeric: tabular-nums; }
.totals small { font-size: var(--size-small); font-weight: 500; }
.period { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; margin: .5rem 0; }
.step { padding: 0 .9rem; }
.filters { margin: .25rem 0; }
.filters form { margin-top: 0; }
.filters form.row > label { flex: 1 1 8rem; }
.short-note { display: block; max-width: 11rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 400; }
.entry-fields { display: grid; gap: .75rem; grid-template-columns: repeat(2, minmax(0, 1fr)); align-items: end; max-width: 40rem; }
.entry-fields > label:has(textarea) { grid-column: 1 / -1; }
.row-form { display: flex; flex-wrap: wrap; gap: .35rem; align-items: center; margin: 0; }
.row-form select { width: auto; flex: 1 1 6rem; min-width: 5rem; max-width: 12rem; }
.row-form select, .row-form button { min-height: 2.25rem; padding: .15rem .6rem; font-size: var(--size-small); }
@supports selector(::details-content) {
  @media (min-width: 44.01rem) {
    .filters > summary { display: none; }
    .filters::details-content { content-visibility: visible; block-size: auto; }
  }
}
@media (min-width: 60rem) { .row-form { flex-wrap: nowrap; } .task-name .short-note { max-width: 20rem; } }
@media (max-width: 44rem) {
  .totals { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .5rem; }
  .totals dd:not(.soft) { font-size: 1rem; }
  .facts { grid-template-columns: minmax(5rem, 6rem) minmax(0, 1fr); }
  .wide-only { display: none; }
  .task-name { font-weight: 400; font-size: var(--size-small); }
  .subject { display: block; max-width: 12.2rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .short-note { max-width: 20rem; }
}
`
