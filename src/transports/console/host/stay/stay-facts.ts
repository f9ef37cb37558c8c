import { daysInRange } from "../../../../contract/time.ts"
import { STAY_TASKS_MAX } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { badge, dayHtml, fact, link, moneyHtml, section, table, timeHtml, toWords } from "../page-parts.ts"
import { messagesUrl, moneyUrl, stayUrl, tasksUrl } from "../urls.ts"
import { arrivalLabel, bookingSourceLabel, guestLabel, statusBadge } from "./stay-labels.ts"
import { isEndedWithoutStay, type StayView } from "./stay-view.ts"

const countText = (count: number, singular: string, plural: string): ReadonlyArray<string> =>
  count === 0 ? [] : [`${count} ${count === 1 ? singular : plural}`]

const guestCountText = ({ stay }: StayView): string =>
  [
    ...countText(stay.number_of_guests, "guest", "guests"),
    ...countText(stay.number_of_children, "of them a child", "of them children"),
    ...countText(stay.number_of_infants, "infant", "infants"),
    ...countText(stay.number_of_pets, "pet", "pets")
  ].join(", ")

const clockText = (time: { readonly hour: number; readonly minute: number } | null): string =>
  time === null ? "" : `, ${String(time.hour).padStart(2, "0")}:${String(time.minute).padStart(2, "0")}`

const PROPERTY_FALLBACKS = { unassigned: badge("in the box", "wait") }

export const factsSection = (view: StayView): Html => {
  const { visit, stay, context } = view
  const { arrival_at, departure_at, check_in_guide_url: guestPortalUrl } = stay.check_in_details
  const nightCount = daysInRange(stay.check_in_date, stay.check_out_date) - 1
  return section(
    "The stay",
    html`<p>${statusBadge(stay.status)}${stay.status === "accepted" ? html` ${badge(arrivalLabel(stay.stay_status))}` : nothing} ${stay.tags.map((tag) => html`${badge(tag)} `)}</p>
<dl class="facts">
${fact("Property", context.titles[stay.stay_code] ?? PROPERTY_FALLBACKS.unassigned)}${fact("Arrives", html`${dayHtml(stay.check_in_date)}${clockText(arrival_at)}`)}${fact("Leaves", html`${dayHtml(stay.check_out_date)}${clockText(departure_at)}`)}${fact("Nights", String(nightCount))}${fact("Guests", guestCountText(view))}${fact("Phone", stay.guest_phone)}${fact("E-mail", stay.guest_email)}${fact("Code", stay.stay_code)}${fact("Came by", bookingSourceText(view))}${fact("Booked", timeHtml(stay.booked_at, visit))}${fact("Entered by", stay.creator)}${fact("Cancelled", stay.cancelled_at === null ? null : timeHtml(stay.cancelled_at, visit))}${fact("Ends by itself", expiryText(view))}${fact("Your remarks", stay.remarks)}${fact("The channel's remarks", stay.channel_remarks)}</dl>
<p>${stay.conversation_id === null ? nothing : html`${link(messagesUrl({ id: stay.conversation_id }), "Conversation")} · `}${guestPortalUrl === "" || isEndedWithoutStay(view) ? nothing : html`<a href="${guestPortalUrl}">The guest's own page</a>`}</p>
`
  )
}

const bookingSourceText = ({ stay: { custom_channel, channel_type } }: StayView): string =>
  custom_channel === null
    ? bookingSourceLabel(channel_type)
    : `${custom_channel.name}, ${bookingSourceLabel(channel_type)}`

const expiryText = ({ visit, stay, context: { expires_at } }: StayView): Html | null =>
  expires_at !== null && (stay.status === "wait_accept" || stay.status === "wait_pay")
    ? timeHtml(expires_at, visit)
    : null

const PAYMENT_LABELS = {
  unreceived: "nothing received",
  partial: "partly received",
  received: "paid",
  over_received: "more received than due"
} as const

/** The amounts due and received are those of the whole order. */
export const moneySection = ({ stay }: StayView): Html => {
  const { rates, payment, additional_fees } = stay
  const { total_amount, received_amount, balance_amount, currency, status } = payment
  return section(
    "Money",
    html`<dl class="facts">
${fact("Price of this stay", moneyHtml(rates.rate.amount, rates.rate.currency))}${fact("Commission in it", rates.commission === null ? null : moneyHtml(rates.commission.amount, rates.commission.currency))}${fact("Due in all", moneyHtml(total_amount, currency))}${fact("Received", moneyHtml(received_amount, currency))}${fact("Still to come", stay.status === "accepted" ? moneyHtml(balance_amount, currency) : null)}</dl>
<p>${badge(PAYMENT_LABELS[status], status === "received" || status === "over_received" ? "good" : "wait")} ${link(moneyUrl({ order: stay.reservation_code }), "Its entries")}</p>
${
  rates.details.length < 2 && additional_fees.length === 0
    ? nothing
    : table(
        { caption: "What the price is made of", empty: "" },
        [
          { label: "For", cell: ({ label }) => label },
          {
            label: "Amount",
            cell: ({ amount, currency: feeCurrency }) => moneyHtml(amount, feeCurrency),
            isNumeric: true
          }
        ],
        [
          ...rates.details.map(({ type, description, amount, currency: feeCurrency }) => ({
            label: description === "" ? toWords(type.toLowerCase()) : description,
            amount,
            currency: feeCurrency
          })),
          ...additional_fees.map(({ name, amount, currency: feeCurrency }) => ({
            label: name,
            amount,
            currency: feeCurrency
          }))
        ]
      )
}`
  )
}

export const otherStaysSection = ({ otherStays, context }: StayView): Html =>
  otherStays.length === 0
    ? nothing
    : section(
        "Other stays of the same reservation",
        table(
          { empty: "" },
          [
            { label: "Guest", cell: (each) => link(stayUrl(each.stay_code), guestLabel(each)) },
            { label: "Property", cell: (each) => context.titles[each.stay_code] ?? PROPERTY_FALLBACKS.unassigned },
            { label: "Arrives", cell: (each) => dayHtml(each.check_in_date) },
            { label: "Leaves", cell: (each) => dayHtml(each.check_out_date) },
            { label: "Guests", cell: (each) => String(each.number_of_guests), isNumeric: true }
          ],
          otherStays
        )
      )

export const tasksSection = ({ stay, context }: StayView): Html =>
  section(
    "Tasks",
    html`${table(
      { empty: "Nothing is to be done for this stay." },
      [
        { label: "Day", cell: ({ expected_date: day }) => (day === null ? "any day" : dayHtml(day)) },
        { label: "What", cell: ({ type }) => toWords(type) },
        { label: "Who", cell: ({ staff_name }) => staff_name ?? "nobody yet" },
        { label: "Stands", cell: ({ status }) => toWords(status) },
        { label: "Note", cell: ({ note }) => html`<span class="name">${note}</span>` }
      ],
      context.tasks.slice(0, STAY_TASKS_MAX)
    )}${
      context.tasks.length > STAY_TASKS_MAX
        ? html`<p>There are more of before.</p>
`
        : nothing
    }<p>${link(tasksUrl({ from: stay.check_in_date, to: stay.check_out_date }), "Tasks of these days")}</p>
`
  )
