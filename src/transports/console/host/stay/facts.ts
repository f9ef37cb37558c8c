import { daysInRange } from "../../../../contract/time.ts"
import { STAY_TASKS } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { messagesAddress, moneyAddress, stayAddress, tasksAddress } from "../addresses.ts"
import { badge, dayOf, fact, link, moneyOf, section, spoken, table, timeOf } from "../parts.ts"
import { isOver, type Seen } from "./seen.ts"
import { soldWords, standingBadge, whereabouts, whoOf } from "./words.ts"

// What there is to know of a stay: where, when and who, its money, the rest of its order, and what is to be done there.

const many = (count: number, one: string, several: string): ReadonlyArray<string> =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : several}`]

const companyWords = ({ stay }: Seen): string =>
  [
    ...many(stay.number_of_guests, "guest", "guests"),
    ...many(stay.number_of_children, "of them a child", "of them children"),
    ...many(stay.number_of_infants, "infant", "infants"),
    ...many(stay.number_of_pets, "pet", "pets")
  ].join(", ")

const clock = (time: { readonly hour: number; readonly minute: number } | null): string =>
  time === null ? "" : `, ${String(time.hour).padStart(2, "0")}:${String(time.minute).padStart(2, "0")}`

const PLACE = { box: badge("in the box", "wait") }

export const facts = (seen: Seen): Html => {
  const { visit, stay, beside } = seen
  const { arrival_at, departure_at, check_in_guide_url: guide } = stay.check_in_details
  const nights = daysInRange(stay.check_in_date, stay.check_out_date) - 1
  return section(
    "The stay",
    html`<p>${standingBadge(stay.status)}${stay.status === "accepted" ? html` ${badge(whereabouts(stay.stay_status))}` : nothing} ${stay.tags.map((tag) => html`${badge(tag)} `)}</p>
<dl class="facts">
${fact("Property", beside.titles[stay.stay_code] ?? PLACE.box)}${fact("Arrives", html`${dayOf(stay.check_in_date)}${clock(arrival_at)}`)}${fact("Leaves", html`${dayOf(stay.check_out_date)}${clock(departure_at)}`)}${fact("Nights", String(nights))}${fact("Guests", companyWords(seen))}${fact("Phone", stay.guest_phone)}${fact("E-mail", stay.guest_email)}${fact("Code", stay.stay_code)}${fact("Came by", cameBy(seen))}${fact("Booked", timeOf(stay.booked_at, visit))}${fact("Entered by", stay.creator)}${fact("Cancelled", stay.cancelled_at === null ? null : timeOf(stay.cancelled_at, visit))}${fact("Ends by itself", endsAt(seen))}${fact("Your remarks", stay.remarks)}${fact("The channel's remarks", stay.channel_remarks)}</dl>
<p>${stay.conversation_id === null ? nothing : html`${link(messagesAddress({ id: stay.conversation_id }), "Conversation")} · `}${guide === "" || isOver(seen) ? nothing : html`<a href="${guide}">The guest's own page</a>`}</p>
`
  )
}

const cameBy = ({ stay: { custom_channel, channel_type } }: Seen): string =>
  custom_channel === null ? soldWords(channel_type) : `${custom_channel.name}, ${soldWords(channel_type)}`

const endsAt = ({ visit, stay, beside: { expires_at } }: Seen): Html | null =>
  expires_at !== null && (stay.status === "wait_accept" || stay.status === "wait_pay")
    ? timeOf(expires_at, visit)
    : null

const PAYMENT = {
  unreceived: "nothing received",
  partial: "partly received",
  received: "paid",
  over_received: "more received than due"
} as const

/** Its money; what is due and received is the whole order's. */
export const money = ({ stay }: Seen): Html => {
  const { rates, payment, additional_fees } = stay
  const { total_amount, received_amount, balance_amount, currency, status } = payment
  return section(
    "Money",
    html`<dl class="facts">
${fact("Price of this stay", moneyOf(rates.rate.amount, rates.rate.currency))}${fact("Commission in it", rates.commission === null ? null : moneyOf(rates.commission.amount, rates.commission.currency))}${fact("Due in all", moneyOf(total_amount, currency))}${fact("Received", moneyOf(received_amount, currency))}${fact("Still to come", stay.status === "accepted" ? moneyOf(balance_amount, currency) : null)}</dl>
<p>${badge(PAYMENT[status], status === "received" || status === "over_received" ? "good" : "wait")} ${link(moneyAddress({ order: stay.reservation_code }), "Its entries")}</p>
${
  rates.details.length < 2 && additional_fees.length === 0
    ? nothing
    : table(
        { caption: "What the price is made of", empty: "" },
        [
          { label: "For", cell: ({ words }) => words },
          { label: "Amount", cell: ({ amount, currency: of }) => moneyOf(amount, of), number: true }
        ],
        [
          ...rates.details.map(({ type, description, amount, currency: of }) => ({
            words: description === "" ? spoken(type.toLowerCase()) : description,
            amount,
            currency: of
          })),
          ...additional_fees.map(({ name, amount, currency: of }) => ({ words: name, amount, currency: of }))
        ]
      )
}`
  )
}

/** The other stays of its order. */
export const others = ({ others: rest, beside }: Seen): Html =>
  rest.length === 0
    ? nothing
    : section(
        "Other stays of the same reservation",
        table(
          { empty: "" },
          [
            { label: "Guest", cell: (each) => link(stayAddress(each.stay_code), whoOf(each)) },
            { label: "Property", cell: (each) => beside.titles[each.stay_code] ?? PLACE.box },
            { label: "Arrives", cell: (each) => dayOf(each.check_in_date) },
            { label: "Leaves", cell: (each) => dayOf(each.check_out_date) },
            { label: "Guests", cell: (each) => String(each.number_of_guests), number: true }
          ],
          rest
        )
      )

export const tasks = ({ stay, beside }: Seen): Html =>
  section(
    "Tasks",
    html`${table(
      { empty: "Nothing is to be done for this stay." },
      [
        { label: "Day", cell: ({ expected_date: day }) => (day === null ? "any day" : dayOf(day)) },
        { label: "What", cell: ({ type }) => spoken(type) },
        { label: "Who", cell: ({ staff_name }) => staff_name ?? "nobody yet" },
        { label: "Stands", cell: ({ status }) => spoken(status) },
        { label: "Note", cell: ({ note }) => html`<span class="name">${note}</span>` }
      ],
      beside.tasks.slice(0, STAY_TASKS)
    )}${
      beside.tasks.length > STAY_TASKS
        ? html`<p>There are more of before.</p>
`
        : nothing
    }<p>${link(tasksAddress({ from: stay.check_in_date, to: stay.check_out_date }), "Tasks of these days")}</p>
`
  )
