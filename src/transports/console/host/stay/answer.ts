import { type Html, html, nothing } from "../../../docs/html.ts"
import { formOf } from "../fields.ts"
import { section } from "../parts.ts"
import { requestReasons } from "./change.ts"
import { behindAct, isByHand, isOver, type Seen } from "./seen.ts"

// What becomes of a stay: a request is answered, guests arrive and leave, a reservation made by hand is cancelled.

/** The order it is of, for what is done to all of its stays. */
const ofOrder = ({ stay }: Seen): Html =>
  html`<input type="hidden" name="reservation_code" value="${stay.reservation_code}">`

/** A request that waits for its answer, with what is in its way. */
export const request = (seen: Seen): Html => {
  const { visit, stay } = seen
  if (stay.status !== "wait_accept") return nothing
  const against = requestReasons(seen)
  const free = stay.in_reservation_box ? "It is in no property, and stays in the box." : "Its nights are free."
  return section(
    "It waits for your answer",
    html`${
      against.length === 0
        ? html`<p>${free}</p>
`
        : html`<div class="message note"><p><strong>Its nights are not free:</strong></p>
<ul>${against.map((words) => html`<li>${words}</li>`)}</ul></div>
`
    }<p>The channel and the guest are told at once, and it cannot be taken back.</p>
<div class="acts">${formOf(visit, { act: "approve", button: "Accept", fields: ofOrder(seen) })}${formOf(visit, { act: "decline", button: "Turn down", kind: "danger", fields: ofOrder(seen) })}</div>
`
  )
}

const MOVES = {
  checkin_pending: [{ to: "in_house", button: "The guest has arrived" }],
  in_house: [
    { to: "stay_completed", button: "The guest has left" },
    { to: "checkin_pending", button: "Not here yet after all" }
  ],
  stay_completed: [{ to: "in_house", button: "Still here after all" }]
} as const

/** Who has come, and who has gone. */
export const arrivals = ({ visit, stay }: Seen): Html =>
  stay.status === "accepted"
    ? html`<div class="acts">${MOVES[stay.stay_status].map(({ to, button }) =>
        formOf(visit, {
          act: "whereabouts",
          button,
          kind: "plain",
          fields: html`<input type="hidden" name="stay_status" value="${to}"><input type="hidden" name="seen" value="${stay.stay_status}">`
        })
      )}</div>
`
    : nothing

export const cancelling = (seen: Seen): Html => {
  const { visit, others } = seen
  if (!isByHand(seen) || isOver(seen)) return nothing
  const rest = others.length === 1 ? "other one" : `${others.length} others`
  const stays = others.length === 0 ? "this stay" : `this stay and the ${rest} of the same reservation`
  return section(
    "Cancel",
    behindAct(
      seen,
      "cancel",
      "Cancel this reservation",
      html`<p>It ends ${stays}: the nights are free again, here and on every channel. Money that was recorded stays recorded. The guest is not told. It cannot be taken back.</p>
${formOf(visit, { act: "cancel", button: "Cancel the reservation", kind: "danger", fields: ofOrder(seen) })}`
    )
  )
}
