import { parseUnits } from "../../connectors/sandbox/minor-units.ts"
import { computeOrderTotal, holdsNights } from "../../connectors/sandbox/order-transitions.ts"
import type { SandboxOrderRow } from "../../connectors/sandbox/SandboxQueries.ts"
import { formatMinorUnits } from "../../contract/money.ts"
import { formatUtcInstant } from "../../contract/time.ts"
import type { RowPage } from "../../platform/database/rows.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import { field, hiddenField, multilineField, optionalFields, sandboxForm } from "./form-fields.ts"
import { canReview, reviewForm, reviewsList } from "./reviews.ts"
import type { SandboxRenderContext } from "./threads.ts"

export const ordersSection = (
  orders: RowPage<SandboxOrderRow>,
  context: SandboxRenderContext,
  pagination: Html
): Html => html`<section id="orders" aria-labelledby="orders-title">
<h2 id="orders-title">Orders</h2>
${orders.rows.length === 0 ? html`<p>Nobody has booked yet.</p>` : nothing}
${orders.rows.map((order) => orderCard(order, context))}
${pagination}</section>`

/** Several accounts may have an order with this id, so the other fields are needed. */
const orderIdFields = ({ order_id, operator_id, channel_type }: SandboxOrderRow): Html =>
  html`${hiddenField("order_id", order_id)}${hiddenField("operator_id", operator_id)}${hiddenField("channel_type", channel_type)}`

const orderFactsText = (order: SandboxOrderRow): string => {
  const { said, paid, version, expires_at, reservation_code, heard } = order
  const { currency } = said
  const total = formatMinorUnits(computeOrderTotal(order), currency)
  return [
    `${total} ${currency}, ${formatMinorUnits(parseUnits(paid, currency), currency)} paid`,
    `version ${version}`,
    ...(expires_at === null ? [] : [`waits until ${formatUtcInstant(expires_at)}`]),
    reservation_code === null ? "not in the service" : `in the service ${reservation_code}`,
    heard === null ? "not sent yet" : `sent: ${heard}`
  ].join(" · ")
}

const orderCard = (order: SandboxOrderRow, { querySuffix, now }: SandboxRenderContext): Html => {
  const { said, status, order_id } = order
  const isOpen = holdsNights(status)
  const isPending = status === "wait_accept" || status === "wait_pay"
  const canPay = status === "accepted" || status === "wait_pay"
  return html`<article class="card" id="order-${order_id}">
<h3><span class="tag">${order.channel_type}</span> ${said.booker.name} <span class="id">${order_id}</span> <span class="status ${status}">${status}</span></h3>
<ul class="rooms">${said.rooms.map(
    (room) =>
      html`<li>${room.check_in_date} to ${room.check_out_date}, listing ${room.listing_id}, ${room.rate} ${said.currency}</li>`
  )}</ul>
<p class="soft">${orderFactsText(order)}</p>
${reviewsList(order)}<div class="acts">
${
  isOpen
    ? html`${sandboxForm(`change${querySuffix}`, "Change", html`${orderIdFields(order)}${field("check_in_date", "Check-in", { type: "date" })}${field("check_out_date", "Check-out", { type: "date" })}${optionalFields("Rooms and guests", html`${field("listing_id", "Listings")}${field("adults", "Adults in each", { type: "number" })}`)}`, "quiet")}
`
    : nothing
}${canPay ? sandboxForm(`pay${querySuffix}`, "Pay", html`${orderIdFields(order)}${field("amount", "Amount")}`, "quiet") : nothing}
${Number(order.paid) > 0 ? sandboxForm(`refund${querySuffix}`, "Refund", html`${orderIdFields(order)}${field("amount", "Amount")}`, "quiet") : nothing}
${isOpen ? sandboxForm(`cancel${querySuffix}`, "Cancel", orderIdFields(order), "quiet") : nothing}
${isPending ? sandboxForm(`time-out${querySuffix}`, "Let time out", orderIdFields(order), "quiet") : nothing}
${optionalFields("Write as the guest", sandboxForm(`write${querySuffix}`, "Write", html`${orderIdFields(order)}${multilineField("text", "What the guest writes")}`, "quiet"))}
${canReview(order, now) ? reviewForm(querySuffix, orderIdFields(order)) : nothing}
</div>
</article>
`
}
