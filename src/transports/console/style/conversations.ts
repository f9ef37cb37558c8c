/**
 * The inbox has two lines a conversation on phones. A conversation scrolls from its newest message up, so the reply is in
 * sight.
 */
export const CONVERSATION_STYLES = `
.inbox .preview { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; overflow-wrap: anywhere; }
.inbox tr { position: relative; }
.inbox td.at-title a::after { content: ""; position: absolute; inset: 0; }
.inbox tbody tr:hover { background: var(--current); }
.inbox td.at-detail > .soft { display: block; }
@media (min-width: 44.01rem) { .inbox td:nth-child(2) { width: 40%; } .inbox td.at-side { white-space: nowrap; } }
@media (max-width: 44rem) {
  .inbox .cards tr { display: grid; grid-template-columns: minmax(0, auto) minmax(3rem, 1fr) auto; gap: 0 .5rem; }
  .inbox .cards td { order: 0; }
  .inbox .cards td:nth-child(1) { grid-area: 1 / 1; }
  .inbox .cards td:nth-child(3) { grid-area: 1 / 2; }
  .inbox .cards td:nth-child(5) { grid-area: 1 / 3; font-size: var(--size-small); color: var(--soft); }
  .inbox .cards td:nth-child(2) { grid-area: 2 / 1 / auto / span 2; }
  .inbox .cards td:nth-child(4) { grid-area: 2 / 3; text-align: right; }
  .inbox .cards td:nth-child(-n+3), .inbox .preview { display: block; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
  .inbox td.at-detail > .soft { display: inline; }
}
.stay-line { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; }
.conversation { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 1rem; }
.newest-first { display: flex; flex-direction: column-reverse; max-height: max(14rem, calc(100vh - 27rem)); overflow-y: auto; }
.newest-first .talk { margin: 0; }
@media (min-width: 60rem) { .conversation { grid-template-columns: minmax(0, 3fr) minmax(18rem, 2fr); align-items: start; } }
@media print { .newest-first { max-height: none; } }
`
