import { STAY_TASKS_MAX } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import {
  badge,
  dayHtml,
  fact,
  formatDayRange,
  link,
  moneyHtml,
  section,
  table,
  timeHtml,
  toWords
} from "../page-parts.ts"
import { messagesUrl, moneyUrl, stayUrl, tasksUrl } from "../urls.ts"
import { guestCountText } from "./stay-header.ts"
import { bookingSourceLabel, guestLabel } from "./stay-labels.ts"
import { isEndedWithoutStay, propertyTitle, type StayView } from "./stay-view.ts"

const UNASSIGNED_BADGE = badge("Unassigned", "wait")

export const factsSection = (view: StayView): Html => {
  const { visit, stay } = view
  const portalUrl = isEndedWithoutStay(view) ? "" : stay.check_in_details.check_in_guide_url
  return section(
    "Details",
    html`<dl class="facts">
${fact("Phone", stay.guest_phone)}${fact("E-mail", stay.guest_email)}${fact("Guests", guestCountText(view))}${fact("Property", propertyTitle(view) ?? UNASSIGNED_BADGE)}${fact("Check-in", dayHtml(stay.check_in_date))}${fact("Check-out", dayHtml(stay.check_out_date))}${fact("Source", bookingSourceText(view))}${fact("Booked", timeHtml(stay.booked_at, visit))}${fact("Added by", stay.creator)}${fact("Remarks", stay.remarks)}${fact("Channel remarks", stay.channel_remarks)}</dl>
${
  portalUrl === ""
    ? nothing
    : html`<p><a href="${portalUrl}">Guest portal</a></p>
`
}`
  )
}

const bookingSourceText = ({ stay: { custom_channel, channel_type } }: StayView): string => {
  const channel = bookingSourceLabel(channel_type)
  return custom_channel === null || custom_channel.name === channel ? channel : `${custom_channel.name} (${channel})`
}

const PAYMENT_BADGES = {
  unreceived: badge("Not paid", "wait"),
  partial: badge("Partly paid", "wait"),
  received: badge("Paid", "good"),
  over_received: badge("Overpaid", "good")
} as const

/** The amounts due and received are those of the whole reservation. */
export const moneySection = ({ stay, otherStays }: StayView): Html => {
  const { rates, payment } = stay
  const { total_amount, received_amount, balance_amount, currency, status } = payment
  const isConfirmed = stay.status === "accepted"
  return section(
    "Payment",
    html`${isConfirmed ? html`<p>${PAYMENT_BADGES[status]}</p>` : nothing}<dl class="facts amounts">
${otherStays.length === 0 ? nothing : fact("This stay", moneyHtml(rates.rate.amount, rates.rate.currency))}${fact("Total", moneyHtml(total_amount, currency))}${fact("Paid", moneyHtml(received_amount, currency))}${fact("Balance due", isConfirmed ? moneyHtml(balance_amount, currency) : null)}${fact("Commission", rates.commission === null ? null : moneyHtml(rates.commission.amount, rates.commission.currency))}</dl>
${priceBreakdown(stay)}<p>${link(moneyUrl({ order: stay.reservation_code }), "Transactions")}</p>
`
  )
}

const priceBreakdown = ({ rates, additional_fees }: StayView["stay"]): Html =>
  rates.details.length < 2 && additional_fees.length === 0
    ? nothing
    : table(
        { caption: "Price breakdown", empty: "" },
        [
          { label: "Item", cell: ({ label }) => label },
          {
            label: "Amount",
            cell: ({ amount, currency }) => moneyHtml(amount, currency),
            isNumeric: true,
            onPhone: "side"
          }
        ],
        [
          ...rates.details.map(({ type, description, amount, currency }) => ({
            label: description === "" ? toWords(type.toLowerCase()) : description,
            amount,
            currency
          })),
          ...additional_fees.map(({ name, amount, currency }) => ({ label: name, amount, currency }))
        ]
      )

export const otherStaysSection = ({ otherStays, context }: StayView): Html =>
  otherStays.length === 0
    ? nothing
    : section(
        "Other stays of this reservation",
        table(
          { empty: "" },
          [
            { label: "Guest", cell: (each) => link(stayUrl(each.stay_code), guestLabel(each)) },
            {
              label: "Property",
              cell: (each) => context.titles[each.stay_code] ?? UNASSIGNED_BADGE,
              onPhone: "detail"
            },
            {
              label: "Dates",
              cell: (each) => formatDayRange(each.check_in_date, each.check_out_date),
              onPhone: "detail"
            },
            { label: "Guests", cell: (each) => String(each.number_of_guests), isNumeric: true }
          ],
          otherStays
        )
      )

/** The latest messages, and the conversation in which the host answers. */
export const messagesSection = ({ visit, stay, context }: StayView): Html => {
  if (stay.conversation_id === null) return nothing
  const conversationUrl = messagesUrl({ id: stay.conversation_id })
  return section(
    "Messages",
    html`${context.messages.length === 0 ? html`<p class="soft">No messages yet.</p>` : nothing}<ul class="excerpts">${context.messages.map(
      ({ sender_role, sender_name, content, created_at }) =>
        html`<li><span class="soft">${sender_role === "host" ? "You" : (sender_name ?? "Guest")}, ${timeHtml(created_at, visit)}</span><br>${content === "" ? "(attachment)" : content}</li>
`
    )}</ul>
<p>${link(conversationUrl, "Open conversation")}</p>
`
  )
}

export const tasksSection = ({ stay, context }: StayView): Html =>
  section(
    "Tasks",
    context.tasks.length === 0
      ? html`<p class="soft">No tasks for this stay. ${link(tasksUrl(), "Add a task")}.</p>
`
      : html`<ul class="excerpts">${context.tasks.slice(0, STAY_TASKS_MAX).map(taskItem)}</ul>
${context.tasks.length > STAY_TASKS_MAX ? html`<p class="soft">Only the latest ${STAY_TASKS_MAX} tasks are shown.</p>` : nothing}<p>${link(tasksUrl({ from: stay.check_in_date, to: stay.check_out_date }), "Tasks of these dates")}</p>
`
  )

const taskItem = ({ type, status, note, expected_date, staff_name }: StayView["context"]["tasks"][number]): Html =>
  html`<li>${capitalize(toWords(type))} ${badge(capitalize(toWords(status)))}<br><span class="soft">${expected_date === null ? "No date" : dayHtml(expected_date)}, ${staff_name ?? "unassigned"}${note === "" ? nothing : html`: ${note}`}</span></li>
`

const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
