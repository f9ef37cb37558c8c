export const CALENDAR_STYLES = `
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
`
