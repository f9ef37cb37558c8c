import type { Session } from "../../../../src/domain/access/sign-in/Sessions.ts"
import {
  actionForm,
  checkbox,
  checkboxGroup,
  disclosure,
  input,
  makeFieldFiller,
  queryForm,
  select,
  textArea
} from "../../../../src/transports/console/host/form-fields.ts"
import { noticeToast, sealNotice } from "../../../../src/transports/console/host/notice.ts"
import {
  badge,
  buttonLink,
  dayHtml,
  fact,
  formatDayRange,
  link,
  moneyHtml,
  pagination,
  pluralize,
  section,
  table,
  timeHtml,
  timeZoneNote
} from "../../../../src/transports/console/host/page-parts.ts"
import { bottomBar, sidebar } from "../../../../src/transports/console/navigation.ts"
import type { SignedInVisit } from "../../../../src/transports/console/visit.ts"
import { type Html, html } from "../../../../src/transports/docs/html.ts"

// The page of the documentation that shows each part of a console page, beside the functions that make it.

const NOW = Date.parse("2026-11-25T14:05:00Z")

const session: Session = {
  person: {
    caller: {
      operatorId: 1,
      accountId: 1,
      accountName: "Ana",
      role: "main",
      tokenId: 0,
      tokenName: "",
      application: null,
      grantId: null,
      scope: "writable",
      timeZone: "Europe/Lisbon",
      currency: "EUR",
      edition: "pro"
    },
    status: "active",
    subscriptionUntil: null
  },
  email: "ana@example.com",
  operatorName: "Lisbon Stays",
  passwordAt: NOW
}

const FORM_TOKEN = "the form token of this page"

const visit: SignedInVisit = {
  target: "/console/reservations",
  path: "/console/reservations",
  query: new URLSearchParams({
    offset: "20",
    notice: sealNotice({ text: "Moved to Lisbon, Chiado Loft.", undo: { action: "move", fields: {} } }, FORM_TOKEN, NOW)
  }),
  cookie: "",
  formToken: FORM_TOKEN,
  formKey: "the key of this page",
  ipAddress: "127.0.0.1",
  session
}

const failedFiller = makeFieldFiller(
  {
    form: new URLSearchParams({ act: "set_price", price: "0" }),
    error: { _tag: "Refused", status: 422, message: "price: must be an amount from 1 to 999999999999." }
  },
  "set_price"
)
const newFiller = makeFieldFiller(undefined, "set_price")

const bookings = [
  {
    guest: "Chloé Martin",
    property: "Lisbon, Belém Garden Studio",
    from: "2026-12-26",
    to: "2026-12-28",
    price: "240"
  },
  { guest: "Jonas Weber", property: "Lisbon, Chiado Loft", from: "2026-12-30", to: "2027-01-02", price: "1420.5" }
]

const bookingTable = table(
  { caption: "On a phone, each row becomes a card of two lines.", empty: "No reservations." },
  [
    { label: "Guest", cell: ({ guest }) => link("#tables", guest) },
    { label: "Property", cell: ({ property }) => property, onPhone: "detail" },
    { label: "Nights", cell: ({ from, to }) => formatDayRange(from, to), onPhone: "detail" },
    { label: "Status", cell: () => badge("Confirmed", "good"), onPhone: "detail" },
    { label: "Total", cell: ({ price }) => moneyHtml(price, "EUR"), isNumeric: true, onPhone: "side" }
  ],
  bookings
)

interface Part {
  readonly id: string
  readonly title: string
  readonly made: string
  readonly example: Html
}

const PARTS: ReadonlyArray<Part> = [
  {
    id: "type",
    title: "Type",
    made: "style/base.ts: four sizes, `--size-page`, `--size-section`, `--size-body`, `--size-small`",
    example: html`<h1>Page title</h1><h2>Section title</h2><p>Body text with a ${link("#type", "link")}.</p><p class="soft">Secondary text</p>`
  },
  {
    id: "buttons",
    title: "Buttons",
    made: "`actionForm` for a change, `buttonLink` for a link that begins a task. A page has one primary button.",
    example: html`<div class="acts">${actionForm(visit, { action: "save", label: "Save" })}${actionForm(visit, { action: "later", label: "Skip", kind: "plain" })}${actionForm(visit, { action: "cancel", label: "Cancel reservation", kind: "danger" })}${buttonLink("#buttons", "New reservation")}</div>`
  },
  {
    id: "fields",
    title: "Fields",
    made: "`input`, `select`, `textArea`, `checkbox`, `checkboxGroup`; an error stands beside its field (`field-errors.ts`)",
    example: actionForm(visit, {
      action: "set_price",
      label: "Save prices",
      fields: html`<div class="fields">${input(failedFiller, { name: "price", label: "Price", type: "number" })}
${input(newFiller, { name: "date", label: "First night", type: "date", value: "2026-12-26" })}
${select(newFiller, { name: "property", label: "Property", options: [{ value: 1, label: "Lisbon, Chiado Loft" }] })}</div>
${textArea(newFiller, { name: "note", label: "Note", hint: "2,000 characters max." })}
${checkboxGroup({
  name: "weekdays",
  legend: "Weekdays",
  options: [
    { value: 5, label: "Fri" },
    { value: 6, label: "Sat" }
  ],
  selected: ["5"]
})}
${checkbox(newFiller, { name: "agree", label: "Active", isChecked: true })}`
    })
  },
  {
    id: "filters",
    title: "Filters",
    made: "`queryForm`",
    example: queryForm("#filters", input(newFiller, { name: "q", label: "Guest or code", type: "search" }), "Search")
  },
  {
    id: "tables",
    title: "Tables and cards",
    made: "`table`, with the place of each column on a phone in `onPhone`; amounts are `isNumeric`",
    example: html`${bookingTable}${pagination(visit, { offset: 20, limit: 20, total: 79 })}`
  },
  {
    id: "empty",
    title: "Empty states",
    made: "`table` with `empty`, which names the next step",
    example: table({ empty: html`No reservations match. ${link("#empty", "Clear the filters")}` }, [], [])
  },
  {
    id: "badges",
    title: "Badges",
    made: "`badge`; the word says what the colour shows",
    example: html`<p>${badge("Confirmed", "good")} ${badge("Request", "wait")} ${badge("Cancelled", "bad")} ${badge("Airbnb")}</p>`
  },
  {
    id: "facts",
    title: "Facts, dates and amounts",
    made: "`fact`, `dayHtml`, `formatDayRange`, `timeHtml`, `moneyHtml`, `pluralize`",
    example: html`<dl class="facts">${fact("Check-in", dayHtml("2026-12-26"))}${fact("Nights", `${formatDayRange("2026-12-26", "2026-12-28")}, ${pluralize(2, "night")}`)}${fact("Booked", timeHtml(new Date(NOW), visit))}${fact("Total", moneyHtml("1420.5", "EUR"))}</dl>${timeZoneNote(visit)}`
  },
  {
    id: "messages",
    title: "Messages",
    made: "The page frame shows `doneMessage` and errors. Notes are part of a page.",
    example: html`<p class="message done" role="status">Checked in.</p><p class="message error" role="alert">Choose a property.</p><p class="message note">2 listings take prices on their channel.</p>`
  },
  {
    id: "dialogs",
    title: "Dialogs",
    made: "`disclosure`: without a script, one click opens it and the next confirms",
    example: disclosure(
      "Cancel reservation…",
      actionForm(visit, { action: "cancel", label: "Cancel reservation", kind: "danger" })
    )
  },
  {
    id: "toast",
    title: "Toasts and undo",
    made: "`notice` of an action's redirect (`notice.ts`); the toast disappears after ten seconds",
    example: html`<p>Reload this page to see the toast again.</p>${noticeToast(visit, NOW)}`
  }
]

const partSection = ({ id, title, made, example }: Part): Html =>
  section(
    title,
    html`<p class="soft">${made.replaceAll("`", "")}</p>
${example}`,
    id
  )

export const renderPartsPage = (): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Parts of the console · Latchkey</title>
<link rel="stylesheet" href="console.css">
</head>
<body class="signed-in">
${sidebar(visit)}<main id="content" tabindex="-1">
<div class="page-head"><h1>Parts of the console</h1>${buttonLink("#toast", "Primary action")}</div>
<p>Each section shows a part of the console and names the function that makes it. The sidebar becomes a bar at the bottom on phones.</p>
${PARTS.map(partSection)}</main>
${bottomBar(visit)}</body>
</html>
`.html
