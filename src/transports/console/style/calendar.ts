import { CALENDAR_DAYS_MAX, CALENDAR_LANES } from "../../../platform/limits.ts"

// The Content-Security-Policy forbids inline styles, so each width and each lane of a bar is a class.

const range = (first: number, last: number): ReadonlyArray<number> =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

const WIDTH_STYLES = range(1, 2 * CALENDAR_DAYS_MAX)
  .map((count) => `.half-days-${count} { width: calc(${count} * var(--day) / 2 - 3px); }`)
  .join("\n")

const LANE_STYLES = range(1, CALENDAR_LANES)
  .map(
    (lane) => `.stay.lane-${lane} { top: calc(.3rem + ${lane} * var(--lane)); }
.calendar .lanes-${lane + 1} td { height: calc(${lane + 1} * var(--lane) + .9rem); }`
  )
  .join("\n")

/** White text has a contrast of at least 4.5 on each of them. */
const CHANNEL_COLORS: Readonly<Record<string, string>> = {
  airbnb: "#b8324f",
  "booking-com": "#1b4f9c",
  vrbo: "#17697c",
  expedia: "#7a5600",
  agoda: "#6a429c",
  "trip-com": "#3a55c4",
  "booking-site": "#9c3f12",
  direct: "#2b6b3f"
}

const CHANNEL_STYLES = Object.entries(CHANNEL_COLORS)
  .map(([channel, color]) => `.by-${channel} { background: ${color}; }`)
  .join("\n")

/** Bars have a fixed size in days. The table scrolls in its box, so that its head and the names stay visible. */
export const CALENDAR_STYLES = `
main [hidden] { display: none !important; }
.calendar-head { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; }
.calendar-head .soft { margin: 0; }
.calendar-filter { margin: 0; }
.calendar-filter[open] { flex-basis: 100%; }
.calendar-filter form { margin: 0; }
.calendar-scroll { overflow: auto; max-height: calc(100vh - 11rem); margin-top: .5rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--card); overscroll-behavior: contain; }
.calendar { --day: 3rem; --lane: 1.7rem; --names: 11rem; border-collapse: separate; border-spacing: 0; table-layout: fixed; width: 1px; font-size: .75rem; }
.calendar col { width: var(--day); }
.calendar col.names { width: var(--names); }
.calendar col.weekend { background: var(--plain); }
.calendar col.today { background: var(--current); }
.calendar td { position: relative; height: 2.5rem; padding: 0 .2rem; border-bottom: 1px solid var(--line); border-right: 1px solid var(--line); text-align: right; line-height: 1.15; overflow-wrap: normal; color: var(--soft); font-variant-numeric: tabular-nums; }
.calendar td i { display: block; font-style: normal; font-size: .6875rem; }
.calendar th { position: sticky; background: var(--card); font-weight: 500; overflow-wrap: normal; }
.calendar thead th, .calendar thead td { height: auto; border-bottom: 1px solid var(--line); border-right: 0; }
.calendar .months th, .calendar .months td { top: 0; z-index: 4; height: 1.5rem; padding: 0 .4rem; text-align: left; background: var(--card); position: sticky; border-bottom: 0; font-weight: 600; }
.calendar .months td { left: 0; z-index: 6; }
.calendar .months span { white-space: nowrap; position: sticky; left: calc(var(--names) + .4rem); }
.calendar .days th { top: 1.5rem; z-index: 4; height: 2.4rem; padding: 0; text-align: center; color: var(--soft); border-right: 1px solid var(--line); }
.calendar .days b { display: block; color: var(--ink); font-weight: 600; }
.calendar .days .weekend { background: var(--plain); }
.calendar .days .today { background: var(--current); box-shadow: inset 0 -3px var(--link); }
.calendar .days .today b { color: var(--link); }
.calendar .days th:first-child { left: 0; z-index: 6; text-align: left; padding: 0 .5rem; }
.calendar [scope=row] { left: 0; z-index: 3; width: var(--names); padding: .1rem .5rem; text-align: left; border-right: 1px solid var(--edge); border-bottom: 1px solid var(--line); font-size: .8125rem; }
.calendar [scope=row] .title { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; line-height: 1.2; overflow-wrap: anywhere; }
.calendar [scope=row] .soft { margin-left: .4rem; }
.calendar [scope=row] .badge { font-size: .6875rem; }
.calendar #unassigned td, .calendar #unassigned th { background: var(--page); }
.calendar .blocked, .swatch.blocked { background: repeating-linear-gradient(135deg, var(--plain) 0 6px, transparent 6px 9px); }
.calendar .blocked, .calendar .ical { font-size: .625rem; text-align: center; padding: 0; color: var(--plain-ink); }
.calendar .ical, .swatch.ical { background: repeating-linear-gradient(90deg, var(--wait) 0 6px, transparent 6px 9px); }
.calendar .ical { color: var(--wait-ink); }
.stay { position: absolute; z-index: 1; top: .3rem; left: 0; height: calc(var(--lane) - .2rem); padding: 0 .45rem; border-radius: .8rem; background: #545d68; color: #fff; text-align: left; text-decoration: none; line-height: calc(var(--lane) - .2rem); overflow: hidden; white-space: nowrap; text-overflow: ellipsis; user-select: none; -webkit-touch-callout: none; }
.stay.from-noon { left: 50%; margin-left: 2px; }
.stay.starts-earlier { border-top-left-radius: 0; border-bottom-left-radius: 0; }
.stay.ends-later { border-top-right-radius: 0; border-bottom-right-radius: 0; }
.stay.request { background: var(--wait); color: var(--wait-ink); border: 2px dashed var(--wait-ink); line-height: calc(var(--lane) - .45rem); }
.stay:hover { filter: brightness(1.1); }
.calendar [aria-selected=true] { background: var(--current); box-shadow: inset 0 0 0 2px var(--link); color: var(--ink); }
.calendar td:focus-visible { outline-offset: -3px; }
.calendar .drop-place { box-shadow: inset 0 0 0 2px var(--link); background: var(--good); }
.calendar.is-dragging { cursor: grabbing; user-select: none; }
.stay.is-lifted { z-index: 2; opacity: .85; box-shadow: var(--shadow); pointer-events: none; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .5rem 0; padding: 0; font-size: var(--size-small); color: var(--soft); }
.swatch { display: inline-block; width: 1.5rem; height: .8rem; margin-right: .35rem; border-radius: .4rem; vertical-align: -.05rem; background: #545d68; }
.swatch.request { background: var(--wait); border: 2px dashed var(--wait-ink); }
.swatch.blocked, .swatch.ical { border: 1px solid var(--edge); border-radius: .1rem; background-color: transparent; }
#selection.bar-of-selection { position: fixed; z-index: 12; bottom: 1rem; left: 50%; transform: translateX(-50%); width: max-content; max-width: calc(100vw - 2rem); margin: 0; padding: .6rem 1rem; box-shadow: var(--shadow); overflow: visible; }
.bar-of-selection h2, .bar-of-selection form > label { display: none; }
.bar-of-selection form.row { margin: 0; align-items: center; gap: .5rem .75rem; }
.bar-of-selection .selected { margin: 0; font-weight: 600; }
.bar-of-selection details { margin: 0; order: 1; }
.bar-of-selection details[open] { order: 3; flex-basis: 100%; }
.bar-of-selection .acts { order: 2; }
.confirmation { position: fixed; z-index: 16; inset: auto 1rem 1rem; max-width: 30rem; margin: 0 auto; box-shadow: var(--shadow); border: 2px solid var(--wait-ink); }
@media (max-width: 59.99rem) {
  #selection.bar-of-selection { inset: auto 0 3.5rem; transform: none; width: auto; max-width: none; border-radius: .6rem .6rem 0 0; padding: .5rem .75rem; }
  .confirmation { bottom: 4.25rem; }
}
@media (max-width: 44rem) {
  .calendar { --day: 2.75rem; --names: 6.5rem; }
  .calendar-scroll { margin-inline: -1rem; border-radius: 0; border-inline: 0; max-height: calc(100vh - 13rem); }
  .calendar [scope=row] { padding: .1rem .35rem; font-size: .75rem; }
  .bar-of-selection .acts { gap: .4rem; }
  .bar-of-selection button, .bar-of-selection summary { padding: .25rem .6rem; }
}
@media (forced-colors: active) { .stay, .swatch { border: 1px solid CanvasText; } .calendar [aria-selected=true] { outline: 2px solid Highlight; } }
@media print { .calendar-scroll { max-height: none; overflow: visible; } #selection, .calendar-filter { display: none; } }
${CHANNEL_STYLES}
${WIDTH_STYLES}
${LANE_STYLES}
`
