/** The frame of each page: a sidebar, or on phones a bar of at most 60 pixels at the bottom. */
export const SHELL_STYLES = `
body { margin: 0; }
main { padding: 1.25rem 1rem 4rem; max-width: 80rem; min-width: 0; }
body.wide main { max-width: none; }
body.public main { margin: 0 auto; max-width: 40rem; }
body.public > header { padding: 1rem; text-align: center; }
main:focus { outline: none; }
.product { font-size: var(--size-section); font-weight: 700; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: .5rem; z-index: 20; background: var(--card); padding: .5rem 1rem; }
.page-head { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; }
.side-menu { display: none; }
.side-menu a, .bottom-menu a, .bottom-menu summary { text-decoration: none; color: var(--ink); }
.side-menu [aria-current], .bottom-menu [aria-current] { color: var(--link); font-weight: 600; }
.side-menu h2, .bottom-menu h2 { font-size: var(--size-small); font-weight: 600; color: var(--soft); margin: .75rem 0 .15rem; }
.account { font-size: var(--size-small); color: var(--soft); overflow-wrap: anywhere; }
.bottom-menu {
  position: fixed; inset: auto 0 0 0; z-index: 10; display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); height: 3.5rem;
  background: var(--side); border-top: 1px solid var(--line);
}
.bottom-menu > a, .bottom-menu > details > summary {
  display: grid; place-items: center; align-content: center; gap: .1rem; height: 3.5rem; padding: 0; font-size: .6875rem;
  white-space: nowrap; list-style: none;
}
.bottom-menu summary::-webkit-details-marker { display: none; }
.bottom-menu > details { margin: 0; }
.bottom-menu svg { width: 1.35rem; height: 1.35rem; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
.bottom-menu .more-pages {
  position: fixed; inset: auto 0 3.5rem 0; max-height: calc(100vh - 6rem); overflow: auto; padding: .25rem 1rem 1rem; background: var(--side);
  border-top: 1px solid var(--line); box-shadow: var(--shadow);
}
.bottom-menu .more-pages ul { columns: 2; }
.side-menu ul, .bottom-menu ul { list-style: none; margin: 0; padding: 0; }
.bottom-menu .more-pages a { display: block; padding: .6rem 0; }
@media (max-width: 59.99rem) { body.signed-in { padding-bottom: 3.5rem; } }
@media (min-width: 60rem) {
  body.signed-in { display: grid; grid-template-columns: 13rem minmax(0, 1fr); min-height: 100vh; }
  main { padding: 1.5rem 1.75rem 4rem; }
  .bottom-menu { display: none; }
  .side-menu { display: block; position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem .75rem; background: var(--side); border-right: 1px solid var(--line); }
  .side-menu .product { padding: 0 .6rem; }
  .side-menu a { display: block; padding: .3rem .6rem; border-radius: .4rem; font-size: var(--size-body); }
  .side-menu h2, .side-menu .account { padding: 0 .6rem; }
  .side-menu a:hover, .side-menu [aria-current] { background: var(--current); }
}
@media print { .side-menu, .bottom-menu, .skip, .toast { display: none; } body.signed-in { display: block; } main { padding: 0; } }
`
