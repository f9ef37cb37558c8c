import { currencyDecimals } from "../../../contract/fields.ts"
import type { ExactAmount } from "../../../contract/money.ts"
import { formatWallClock, toDayNumber } from "../../../contract/time.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import type { SignedInVisit } from "../visit.ts"
import { parseRecordId } from "../visit.ts"
import { currentUrlWith } from "./page-url.ts"
import { activityLogUrl } from "./urls.ts"

export const section = (
  heading: string,
  body: Html,
  id?: string
): Html => html`<section${id === undefined ? nothing : html` id="${id}"`}>
<h2>${heading}</h2>
${body}</section>
`

export interface TableColumn<Row> {
  readonly label: string
  readonly cell: (row: Row) => Html | string
  /** Amounts and counts are aligned right. */
  readonly isNumeric?: true
  /**
   * The place of the cell in the card of a phone: the first line, its right end, the small text below it without or with
   * its label, a line of buttons, or none. Default: the first column is the title, and others are labelled.
   */
  readonly onPhone?: "title" | "side" | "detail" | "labelled" | "actions" | "none"
}

/** On a phone each row becomes a card. `empty` names the next step. */
export const table = <Row>(
  { caption, empty }: { readonly caption?: string; readonly empty: Html | string },
  columns: ReadonlyArray<TableColumn<Row>>,
  rows: ReadonlyArray<Row>
): Html =>
  rows.length === 0
    ? html`<p class="empty">${empty}</p>
`
    : html`<table class="cards">
${caption === undefined ? nothing : html`<caption>${caption}</caption>`}<thead><tr>${columns.map(({ label, isNumeric }) => html`<th scope="col"${isNumeric === true ? AMOUNT_ATTRIBUTE : nothing}>${label}</th>`)}</tr></thead>
<tbody>
${rows.map(
  (row) => html`<tr>${columns.map((column, index) => tableCell(column, row, index === 0 ? "title" : "labelled"))}</tr>
`
)}</tbody>
</table>
`

const tableCell = <Row>(
  { label, cell, isNumeric, onPhone }: TableColumn<Row>,
  row: Row,
  defaultPlace: "title" | "labelled"
): Html =>
  html`<td data-label="${label}" class="at-${onPhone ?? defaultPlace}${isNumeric === true ? " amount" : ""}">${cell(row)}</td>`

const AMOUNT_ATTRIBUTE: Html = { html: ' class="amount"' }

/** A link that looks like a button and begins a task. */
export const buttonLink = (url: string, text: string, kind: "primary" | "plain" = "primary"): Html =>
  html`<a class="button${kind === "primary" ? " primary" : ""}" href="${url}">${text}</a>`

/** Returns `1 day` or `3 days`. */
export const pluralize = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? singular : plural}`

const WEEKDAYS = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

export const weekdayName = (date: string): string => WEEKDAYS[((toDayNumber(date) % 7) + 7) % 7] ?? ""

/** Formats `YYYY-MM-DD` as `Wed 25 Nov 2026`. */
export const formatDay = (date: string): string => {
  const [year = "", month = "", day = ""] = date.split("-")
  return `${weekdayName(date)} ${Number(day)} ${MONTHS[Number(month) - 1] ?? ""} ${year}`
}

const dayAndMonth = (date: string): string => {
  const [, month = "", day = ""] = date.split("-")
  return `${Number(day)} ${MONTHS[Number(month) - 1] ?? ""}`
}

/** Formats the nights of a stay or a range of days as `26–28 Dec 2026`, or `30 Dec 2026 – 2 Jan 2027`. */
export const formatDayRange = (first: string, last: string): string => {
  const [lastYear, start] = [last.slice(0, 4), dayAndMonth(first)]
  if (first === last) return `${start} ${lastYear}`
  if (first.slice(0, 4) !== lastYear) return `${start} ${first.slice(0, 4)} – ${dayAndMonth(last)} ${lastYear}`
  return first.slice(0, 7) === last.slice(0, 7)
    ? `${Number(first.slice(8))}–${dayAndMonth(last)} ${lastYear}`
    : `${start} – ${dayAndMonth(last)} ${lastYear}`
}

export const dayHtml = (date: string): Html => html`<time datetime="${date}">${formatDay(date)}</time>`

/** Formats `YYYY-MM` as `Nov 2026`. */
export const formatMonth = (month: string): string => {
  const [year = "", number = ""] = month.split("-")
  return `${MONTHS[Number(number) - 1] ?? ""} ${year}`
}

/** Formats an instant as `Wed 25 Nov 2026, 14:05` in the time zone. */
export const formatInstant = (instant: Date, timeZone: string): string => {
  const wallClock = formatWallClock(instant, timeZone)
  return `${formatDay(wallClock.slice(0, 10))}, ${wallClock.slice(11, 16)}`
}

export const timeHtml = (instant: Date | string, { session }: SignedInVisit): Html => {
  const date = new Date(instant)
  return html`<time datetime="${date.toISOString()}">${formatInstant(date, session.person.caller.timeZone)}</time>`
}

export const timeZoneNote = ({ session }: SignedInVisit): Html =>
  html`<p class="soft">All times: ${session.person.caller.timeZone}</p>
`

/** Decimal text, or an API number of any precision. */
type MoneyAmount = string | typeof ExactAmount.Type

/** Formats an amount with its currency's decimals: `1,420.00 EUR`. */
export const formatMoney = (amount: MoneyAmount, currency: string): string => {
  const text = typeof amount === "object" ? amount.rawJSON : String(amount)
  const sign = text.startsWith("-") ? "−" : ""
  const [whole = "0", fraction = ""] = text.replace(/^-/, "").split(".")
  const decimals = currencyDecimals(currency)
  const fractionDigits = fraction.replace(/0+$/, "").padEnd(decimals, "0")
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}${fractionDigits === "" ? "" : `.${fractionDigits}`} ${currency}`
}

export const moneyHtml = (amount: MoneyAmount, currency: string): Html =>
  html`<span class="number whole">${formatMoney(amount, currency)}</span>`

export const badge = (label: string, kind?: "good" | "bad" | "wait" | "info"): Html =>
  html`<span class="badge${kind === undefined ? "" : ` ${kind}`}">${label}</span>`

export const link = (url: string, text: string): Html => html`<a href="${url}">${text}</a>`

export const fact = (name: string, value: Html | string | null | undefined): Html =>
  value === null || value === undefined || value === ""
    ? nothing
    : html`<dt>${name}</dt><dd>${value}</dd>
`

export const toWords = (word: string): string => word.replaceAll("_", " ")

export const activityLogLink = (record: string): Html =>
  html`<p class="soft"><a href="${activityLogUrl(record)}">Activity</a></p>
`

export const readOffsetParam = ({ query }: SignedInVisit, name = "offset"): number => {
  const text = query.get(name) ?? ""
  return /^\d{1,7}$/.test(text) ? Number(text) : 0
}

export const pagination = (
  visit: SignedInVisit,
  {
    offset,
    limit,
    total,
    name = "offset"
  }: { readonly offset: number; readonly limit: number; readonly total: number; readonly name?: string }
): Html => {
  const previousLink =
    offset > 0
      ? link(currentUrlWith(visit, { [name]: Math.max(0, offset - limit) || undefined }), "Previous page")
      : nothing
  const nextLink =
    offset + limit < total ? link(currentUrlWith(visit, { [name]: offset + limit }), "Next page") : nothing
  return previousLink === nothing && nextLink === nothing
    ? nothing
    : html`<nav class="pages" aria-label="Pages">${previousLink} ${nextLink}</nav>
`
}

/** Returns undefined if the text is not a day. */
export const parseDate = (text: string): string | undefined =>
  DATE_PATTERN.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true ? text : undefined

export const readDateParam = ({ query }: SignedInVisit, name: string): string | undefined =>
  parseDate(query.get(name) ?? "")

export const readIdParam = ({ query }: SignedInVisit, name: string): number | undefined =>
  parseRecordId(query.get(name))

export const readMonthParam = ({ query }: SignedInVisit, name = "month"): string | undefined => {
  const text = query.get(name) ?? ""
  return MONTH_PATTERN.test(text) ? text : undefined
}

/** MONTH_PATTERN and DATE_PATTERN accept only years in which computed dates stay valid. */
const MONTH_PATTERN = /^(?:19|20|21)\d{2}-(?:0[1-9]|1[0-2])$/
const DATE_PATTERN = /^(?:19|20|21)\d{2}-\d{2}-\d{2}$/

export const addMonths = (month: string, count: number): string => {
  const [year = "0", number = "1"] = month.split("-")
  const totalMonths = Number(year) * 12 + Number(number) - 1 + count
  return `${String(Math.floor(totalMonths / 12)).padStart(4, "0")}-${String((totalMonths % 12) + 1).padStart(2, "0")}`
}
