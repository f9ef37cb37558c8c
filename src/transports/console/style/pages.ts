/** Styles of single pages: conversations, identity papers and reports. */
export const SINGLE_PAGE_STYLES = `
.talk { list-style: none; padding: 0; display: grid; gap: .5rem; }
.talk li { padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .6rem; max-width: 42rem; white-space: pre-wrap; }
.talk .host { margin-left: 2rem; background: var(--good); color: var(--good-ink); }
.talk .guest { margin-right: 2rem; }
.papers { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 1rem; }
.papers img { max-width: min(20rem, 100%); max-height: 20rem; border: 1px solid var(--line); border-radius: .4rem; }
svg.year { display: block; width: 100%; max-width: 60rem; height: auto; }
svg.narrow-chart { display: none; }
@media (max-width: 44rem) { svg.year { display: none; } svg.narrow-chart { display: block; } }
svg.year text { fill: var(--soft); font-size: 11px; }
svg.year .occupancy { fill: var(--button); }
svg.year .line { stroke: var(--line); }
svg.year .income { fill: none; stroke: var(--ink); stroke-width: 2; }
svg.year circle.income { fill: var(--card); }
`
