import { unitsOfText } from "../../connectors/sandbox/amounts.ts"
import { holds, totalOf } from "../../connectors/sandbox/order.ts"
import type { OrderRow } from "../../connectors/sandbox/Seeing.ts"
import { decimalText } from "../../contract/money.ts"
import { instantText } from "../../contract/time.ts"
import type { PageOf } from "../../platform/database/rows.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import { field, form, hidden, lines, seldom } from "./fields.ts"
import { canReview, reviewForm, reviewsOf } from "./reviews.ts"
import type { Shown } from "./threads.ts"

/** The orders of all accounts, the latest first, and what their guests can do. */
export const ordersSection = (
  orders: PageOf<OrderRow>,
  shown: Shown,
  more: Html
): Html => html`<section id="orders" aria-labelledby="orders-title">
<h2 id="orders-title">Orders</h2>
${orders.rows.length === 0 ? html`<p>Nobody has booked yet.</p>` : nothing}
${orders.rows.map((order) => orderCard(order, shown))}
${more}</section>`

/** What tells the order from others of its name. */
const named = ({ order_id, operator_id, channel_type }: OrderRow): Html =>
  html`${hidden("order_id", order_id)}${hidden("operator_id", operator_id)}${hidden("channel_type", channel_type)}`

const facts = (order: OrderRow): string => {
  const { said, paid, version, expires_at, reservation_code, heard } = order
  const { currency } = said
  const total = decimalText(totalOf(order), currency)
  return [
    `${total} ${currency}, ${decimalText(unitsOfText(paid, currency), currency)} paid`,
    `version ${version}`,
    ...(expires_at === null ? [] : [`waits until ${instantText(expires_at)}`]),
    reservation_code === null ? "not in the service" : `in the service ${reservation_code}`,
    heard === null ? "not sent yet" : `sent: ${heard}`
  ].join(" · ")
}

const orderCard = (order: OrderRow, { kept, now }: Shown): Html => {
  const { said, status, order_id } = order
  const isOpen = holds(status)
  const waits = status === "wait_accept" || status === "wait_pay"
  const canPay = status === "accepted" || status === "wait_pay"
  return html`<article class="card" id="order-${order_id}">
<h3><span class="tag">${order.channel_type}</span> ${said.booker.name} <span class="id">${order_id}</span> <span class="status ${status}">${status}</span></h3>
<ul class="rooms">${said.rooms.map(
    (room) =>
      html`<li>${room.check_in_date} to ${room.check_out_date}, listing ${room.listing_id}, ${room.rate} ${said.currency}</li>`
  )}</ul>
<p class="soft">${facts(order)}</p>
${reviewsOf(order)}<div class="acts">
${
  isOpen
    ? html`${form(`change${kept}`, "Change", html`${named(order)}${field("check_in_date", "Check-in", { type: "date" })}${field("check_out_date", "Check-out", { type: "date" })}${seldom("Rooms and guests", html`${field("listing_id", "Listings")}${field("adults", "Adults in each", { type: "number" })}`)}`, "quiet")}
`
    : nothing
}${canPay ? form(`pay${kept}`, "Pay", html`${named(order)}${field("amount", "Amount")}`, "quiet") : nothing}
${Number(order.paid) > 0 ? form(`refund${kept}`, "Refund", html`${named(order)}${field("amount", "Amount")}`, "quiet") : nothing}
${isOpen ? form(`cancel${kept}`, "Cancel", named(order), "quiet") : nothing}
${waits ? form(`time-out${kept}`, "Let time out", named(order), "quiet") : nothing}
${seldom("Write as the guest", form(`write${kept}`, "Write", html`${named(order)}${lines("text", "What the guest writes")}`, "quiet"))}
${canReview(order, now) ? reviewForm(kept, named(order)) : nothing}
</div>
</article>
`
}
