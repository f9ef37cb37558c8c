/** Pages of properties, staff, categories and articles. `.choices.few` is a row of checkboxes, `.off-phone` is left out on phones. */
export const RECORD_PAGE_STYLES = `
.choices.few { display: flex; flex-wrap: wrap; gap: 0 1.25rem; max-height: none; border: 0; padding: 0; }
.jumps { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .25rem 0 0; }
.property { display: grid; gap: 0 1rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 76rem) {
  .property { grid-template: auto 1fr / minmax(0, 3fr) minmax(0, 2fr); }
  .property .overview { grid-column: 2; }
  .property .details { grid-area: 1 / 1 / 3; }
}
@media (max-width: 44rem) { .off-phone { display: none; } }
`
