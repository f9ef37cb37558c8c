/** The list of reservations, and the page of one. `.desk` is left out of the cards of phones. */
export const STAY_STYLES = `
.badge.info { background: var(--current); color: var(--link); }
form.finder { grid-template-columns: minmax(10rem, 2fr) minmax(9rem, 1fr) auto; gap: .5rem .75rem; align-items: end; }
form.finder details { grid-column: 1 / -1; margin: 0; }
form.finder summary { padding: .25rem 0; }
.section-head { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; justify-content: space-between; }
.section-head h2 { margin: 0; }
fieldset.group .fields { grid-template-columns: repeat(auto-fit, minmax(min(9rem, 100%), 1fr)); }
fieldset.group legend { font-size: var(--size-body); font-weight: 600; color: var(--ink); padding-bottom: .35rem; }
.page-head form { margin: 0; }
.headline { margin: .25rem 0 .5rem; }
.headline ul { display: inline; list-style: none; margin: 0; padding: 0; }
.headline li { display: inline; }
.headline li::before { content: " · "; color: var(--soft); }
.headline .acts { margin-top: .5rem; }
.excerpts, .timeline { list-style: none; margin: 0; padding: 0; }
.excerpts li { padding: .35rem 0; overflow-wrap: anywhere; }
.timeline li { display: grid; grid-template-columns: 12.5rem minmax(0, 1fr); gap: 0 .75rem; padding: .2rem 0; }
.timeline time { color: var(--soft); font-size: var(--size-small); }
.facts.amounts dd { justify-self: end; }
.facts.amounts { max-width: 24rem; }
.phone { display: none; }
.reservations time { display: inline-block; min-width: 9.75rem; white-space: normal; }
.due { color: var(--wait-ink); font-weight: 600; }
@media (max-width: 44rem) {
  .page-head { gap: .5rem; }
  .page-head a.button { padding: .35rem .6rem; }
  form.finder > button { padding: .35rem .7rem; }
  form.finder { grid-template-columns: minmax(0, 1fr) minmax(0, 8.75rem) auto; gap: .25rem .5rem; margin-top: .5rem; }
  form.finder > label { font-size: 0; gap: 0; }
  .section-head h2 { font-size: var(--size-body); }
  .desk, .reservations time.desk { display: none; }
  .phone { display: inline; }
  .reservations tr { padding: .3rem 0; flex-wrap: wrap; }
  .reservations td.at-title { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .reservations td[data-label=Dates], .reservations td[data-label=Payment] { flex: none; }
  .reservations td[data-label=Property] { flex: 1 1 0; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .stay-page .facts { grid-template-columns: 6.25rem minmax(0, 1fr); gap: .25rem .75rem; }
  .timeline li { grid-template-columns: minmax(0, 1fr); }
}
`
