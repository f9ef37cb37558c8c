import { type Html, html } from "../../../docs/html.ts"
import type { MonthProperty, MonthStay } from "../../queries/Month.ts"
import { channelName } from "../channel-names.ts"

/** The style sheet has a colour for each of these classes. */
export const channelClass = (channelType: string): string => `by-${channelType.replaceAll(/[^a-z0-9]+/g, "-")}`

const swatch = (cssClass: string, label: string): Html =>
  html`<li><span class="swatch ${cssClass}"></span>${label}</li>
`

const REQUESTS_AND_DAYS = html`<li><span class="swatch request"></span>Request</li>
<li><span class="swatch blocked"></span>Blocked</li>
<li><span class="swatch ical"></span>iCal</li>
`

const listChannels = (stays: ReadonlyArray<MonthStay>): ReadonlyArray<string> =>
  Array.from(new Set(stays.filter(({ status }) => status === "accepted").map(({ channel_type }) => channel_type)))

/** Returns the currencies of the properties as `EUR, GBP`. */
const currenciesText = (properties: ReadonlyArray<MonthProperty>): string =>
  Array.from(new Set(properties.map(({ currency }) => currency)))
    .toSorted()
    .join(", ")

export const calendarLegend = (
  properties: ReadonlyArray<MonthProperty>,
  unassigned: ReadonlyArray<MonthStay>
): Html => {
  const channels = listChannels([...properties.flatMap(({ stays }) => stays), ...unassigned])
    .map((type) => ({ type, name: channelName(type) }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
  return html`<ul class="legend">
<li>Booked:</li>
${channels.map(({ type, name }) => swatch(channelClass(type), name))}${REQUESTS_AND_DAYS}<li>120 2n: base price (${currenciesText(properties)}) and minimum nights</li>
</ul>
`
}
